/** Figures of a session that was just indexed, for whoever adds up many: `transcripts stats --all`. */
import type { Redactor } from "../redact/redactor.ts";
import { KEPT_SCANS, scanToKeep } from "../scan/kept-scan.ts";
import { SessionError } from "../sessions/session-error.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";
import type { KeyedSession } from "./session-keys.ts";

/** A session that went away meanwhile, on the disk or in the store, has none: they can be worked out at any time. */
export async function keepFigures(store: Store, { ref, sessionId }: KeyedSession, redactor: Redactor): Promise<void> {
  try {
    const kept = await scanToKeep(ref, redactor);
    if (kept) await store.writeCached(KEPT_SCANS, sessionId, kept);
  } catch (error) {
    const isGone = error instanceof StoreError && error.code === "unknown_session";
    if (!isGone && !(error instanceof SessionError)) throw error;
  }
}
