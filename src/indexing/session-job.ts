/** What indexing one session needs, whatever its source is. */
import type { Redactor } from "../redact/redactor.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";
import type { IndexLimits } from "./limits.ts";

/** What indexing a session asks of a store. */
export type IndexStore = Pick<Store, "session" | "events" | "writeSession" | "querySnippets">;

export interface SessionJob {
  store: IndexStore;
  redactor: Redactor;
  signal?: AbortSignal | undefined;
  limits: IndexLimits;
  sessionId: string;
  /** With what its head tells. */
  ref: SessionRef;
  /** The revision that the session has in the store. */
  revision: number;
  /** Reading it from the start: whether to remove all that is stored, or to write what differs. */
  rewriting: { removeFrom?: number; compares?: boolean };
}

/** A file that was opened, as it was then: what is added later is for the next time. */
export interface OpenFile {
  /** Descriptor. */
  file: number;
  size: number;
  modifiedMs: number;
}

/** What came of a session. */
export interface Indexed {
  /** Events that were written. */
  events: number;
  /** Bytes that were read. */
  bytes: number;
}
