/** Stores a snippet for an agent. */
import { extractSnippet, type ExtractSnippetOutput } from "../snippets/extract-snippet.ts";
import { execution } from "./execution.ts";
import { EXTRACT_SNIPPET } from "./tool-definitions.ts";
import { fieldError } from "../transcripts-error.ts";

export const execute = execution(EXTRACT_SNIPPET, async (given, context) => {
  const session = given.session_id ?? context.sessionId;
  if (session === undefined) {
    const next = 'Give an id from list_sessions, or "latest".';
    throw fieldError("no_session", "session_id", "it is missing.", next);
  }
  const { where, signal } = context;
  const setting = { store: await context.openStore("save"), where, signal };
  const output = await extractSnippet(setting, { ...given, session_id: session });
  return { text: textOf(output), data: { ...output } };
});

function textOf(output: ExtractSnippetOutput): string {
  const { snippet_id, session_id, snippet_type, title, similar = [], type_hint: hint } = output;
  const { lines_skipped: skipped, entries_left_out: leftOut } = output;
  const done = output.already_stored ? "This content is stored already as" : "Stored";
  return [
    `${done} snippet ${snippet_id} (${snippet_type}) of session ${session_id}: ${title}`,
    ...(skipped === undefined ? [] : [`Damaged lines passed over: ${skipped}.`]),
    ...(leftOut === undefined ? [] : [`Entries without room: ${leftOut}. A shorter range keeps more of each.`]),
    ...(hint === undefined ? [] : [`It reads like ${hint.snippet_type} (${hint.because.join(", ")}).`]),
    ...similar.map((each) => `Nearly the same (${each.likeness}): ${each.snippet_id} ${each.title}`),
  ].join("\n");
}
