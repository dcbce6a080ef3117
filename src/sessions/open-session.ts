import { agentAt } from "../agents/registry.ts";
import { contentOf, type Input } from "../agents/detect.ts";
import type { SessionContent } from "../parse/content.ts";
import type { InputUnit, SessionDraft } from "../parse/message-draft.ts";
import { emptyUnit } from "../parse/record-units.ts";
import { type OpenOptions, sessionBytes } from "../places/session-bytes.ts";
import { nodeSessionFiles } from "../places/session-files.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { FILE_START } from "../transcript/format/lines.ts";
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
  const agent = agentAt(ref);
  const own = agent?.open?.(ref, files, content) ?? content;
  const part = agent?.parts === undefined ? undefined : (ref.agentId ?? undefined);
  return {
    open: async (options) => {
      const opened = await own.open(part === undefined ? options : { ...options, part });
      const session = await agent?.beside?.(ref, files);
      return session === undefined ? opened : { ...opened, units: after(session, opened.units) };
    },
  };
}

/** Adds fields of the session before its units. */
async function* after(session: SessionDraft, units: AsyncGenerator<InputUnit[]>): AsyncGenerator<InputUnit[]> {
  yield [{ ...emptyUnit(FILE_START, { as: "blank" }, []), lines: 0, session }];
  yield* units;
}
