/** What snippets are made and found with. */
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import type { Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";

export interface SnippetSetting {
  store: Store;
  /** Where sessions are that are not in the store yet. Without it only those in the store are known. */
  where?: Where | undefined;
  /** Default: the package's own. */
  redactor?: Redactor | undefined;
  signal?: AbortSignal | undefined;
}

let shared: Redactor | undefined;

/** Nothing is stored but by way of it. */
export function redactorOf({ redactor }: Pick<SnippetSetting, "redactor">): Redactor {
  shared ??= createRedactor();
  return redactor ?? shared;
}
