import { agentAt } from "../agents/registry.ts";
import { contentOf, type Input } from "../agents/detect.ts";
import type { SessionContent } from "../parse/content.ts";
import { type OpenOptions, sessionBytes } from "../places/session-bytes.ts";
import { nodeSessionFiles } from "../places/session-files.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { refusingContent, type RefusalOptions } from "./refuse-content.ts";

export type { OpenOptions } from "../places/session-bytes.ts";

/** Opens a session that is not archived, as its agent does. `name`: see `readableBytes`. */
export function openReadable(ref: SessionRef, options: OpenOptions = {}, name?: string): SessionContent {
  return openBytes(ref, () => readableBytes(ref, options, name), options);
}

/** Opens a session whose file has these bytes. */
export function openBytes(
  ref: SessionRef,
  bytes: Input,
  { files = nodeSessionFiles }: Pick<OpenOptions, "files"> = {},
): SessionContent {
  const content = contentOf(bytes);
  return agentAt(ref)?.open?.(ref, files, content) ?? content;
}

/**
 * Like `sessionBytes`, but throws a `TranscriptsError` (`unsupported`, `not_a_session`, and `empty` for a stream) in place of
 * the first chunk if the content is not a readable session. `name`: the content in the error's message.
 */
function readableBytes(
  ref: SessionRef,
  options: OpenOptions,
  name = ref.path ?? "Standard input",
): AsyncGenerator<Uint8Array> {
  return refusingContent(sessionBytes(ref, options), name, refusalOptions(ref));
}

function refusalOptions(ref: SessionRef): RefusalOptions {
  // An empty file named by the user was refused earlier; any other may be a session that just began.
  return { mayBeEmpty: ref.bytes !== null, mayBeUnknown: agentAt(ref) !== undefined };
}
