/** Errors of all sessions, each once, with what fixed it. */
import { errorSignature } from "../fixes/signature.ts";
import type { Where } from "../places/session-ref.ts";
import type { FailureGroup } from "../store/store.ts";
import type { CurrentIndex } from "./current-index.ts";
import { type PastFix, pastFixes } from "./past-fixes.ts";

/** Returns what fixed an error. */
export async function fixesOf(
  { store }: Pick<CurrentIndex, "store">,
  where: Where,
  { example }: FailureGroup,
  { project, signal }: { project?: string | undefined; signal: AbortSignal },
): Promise<PastFix[]> {
  const [same] = await pastFixes(store, where, { error: example.content, isSame: true, project, signal });
  return same?.fixes ?? [];
}

/** Returns a function that finds the group of an error by its text. */
export function groupFinder(groups: readonly FailureGroup[]): (error: string) => FailureGroup | undefined {
  const bySignature = new Map(groups.map((group) => [group.signature, group]));
  return (error) => bySignature.get(errorSignature(error));
}
