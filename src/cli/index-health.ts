/** How the index is, for `doctor`. */
import { openStore } from "../store/open-store.ts";
import { storePlace } from "../store/store-place.ts";
import { StoreError } from "../store/store-error.ts";
import type { CommandContext } from "./command.ts";
import type { DoctorResult } from "./schemas/doctor.ts";

/** Checking so many bytes takes some five seconds. */
const CHECKED_BYTES = 500_000_000;

type IndexHealth = DoctorResult["index"];

/** `isThorough`: whatever its size. Changes nothing. */
export async function indexHealth(context: CommandContext, isThorough: boolean): Promise<IndexHealth> {
  const place = storePlace(context);
  const unknown = { ...place, sessions: null, whole: null, problem: null };
  if (!place.exists) return unknown;
  try {
    const store = await openStore(context, { readOnly: true });
    try {
      const sessions = (await store.sessions()).length;
      const fault = await store.fault(isThorough ? Infinity : CHECKED_BYTES);
      if (fault === null) return { ...unknown, sessions };
      return { ...unknown, sessions, whole: fault === undefined, problem: fault === undefined ? null : advice(fault) };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...unknown, whole: error.code === "damaged" ? false : null, problem: error.message };
  }
}

function advice(fault: string): string {
  // SQLite tells the fault on a line below its heading.
  const what = fault.split("\n").at(-1) ?? "";
  return `SQLite's quick_check says: ${what}. Move the file away and run \`transcripts index\`, which makes it anew; snippets are in no other place, so keep the old file.`;
}
