/** Dependencies for creating and finding snippets. */
import { type Redactor, sharedRedactor } from "../redact/redactor.ts";
import type { Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";

export interface SnippetSetting {
  store: Store;
  /** Where to find sessions that are not in the store yet. Without it, only stored sessions are known. */
  where?: Where | undefined;
  /** Default: the package's own redactor. */
  redactor?: Redactor | undefined;
  signal?: AbortSignal | undefined;
}

/** Everything that is stored passes through this redactor. */
export function redactorOf({ redactor }: Pick<SnippetSetting, "redactor">): Redactor {
  return redactor ?? sharedRedactor();
}
