import { agentAt } from "../agents/registry.ts";
import { contentOf, type Input } from "../agents/detect.ts";
import type { SessionContent } from "../parse/content.ts";
import { type OpenOptions, sessionBytes } from "../places/session-bytes.ts";
import { nodeSessionFiles } from "../places/session-files.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { refusalOf } from "./refuse-content.ts";

export type { OpenOptions } from "../places/session-bytes.ts";

/**
 * Opens a session that is not archived, as its agent does. Opening rejects with a `TranscriptsError` (`unsupported`,
 * `not_a_session`, `empty`) if the content is not a readable session.
 */
export function openReadable(ref: SessionRef, options: OpenOptions = {}): SessionContent {
  const refusal = refusalOf(ref.path ?? "Standard input", { mayBeUnknown: agentAt(ref) !== undefined });
  return openedBy(
    ref,
    contentOf(() => sessionBytes(ref, options), refusal),
    options.files,
  );
}

/** Opens a session whose file has these bytes. */
export function openBytes(ref: SessionRef, bytes: Input): SessionContent {
  return openedBy(ref, contentOf(bytes));
}

function openedBy(ref: SessionRef, content: SessionContent, files = nodeSessionFiles): SessionContent {
  return agentAt(ref)?.open?.(ref, files, content) ?? content;
}
