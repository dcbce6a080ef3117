import { rm } from "node:fs/promises";
import { reasonOf } from "../../sessions/reasons.ts";
import type { Place, SafePlaces } from "./plan.ts";

/** Removes files and folders; what cannot be removed does not keep the others. Resolves to those, with the reason. */
export async function removePlaces(
  places: readonly Place[],
  safe: SafePlaces,
  remove: (path: string) => Promise<void> = (path) => rm(path, { recursive: true }),
): Promise<{ path: string; reason: string }[]> {
  const failed: { path: string; reason: string }[] = [];
  for (const { path } of places) {
    try {
      // Time went by since it was looked at.
      const objection = await safe.objection(path);
      if (objection === undefined) await remove(path);
      else failed.push({ path, reason: objection });
    } catch (error) {
      failed.push({ path, reason: reasonOf(error) });
    }
  }
  return failed;
}
