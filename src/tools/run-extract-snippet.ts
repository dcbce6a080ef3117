/** Stores a snippet for an agent. */
import { extractSnippet } from "../snippets/extract-snippet.ts";
import { fieldError } from "../transcripts-error.ts";
import { execution } from "./execution.ts";
import { EXTRACT_SNIPPET } from "./tool-definitions.ts";

export const execute = execution(EXTRACT_SNIPPET, async (given, context) => {
  const session = given.session_id ?? context.sessionId;
  if (session === undefined) {
    const next = 'Give an id from list_sessions, or "latest".';
    throw fieldError("no_session", "session_id", "No session is named.", next);
  }
  const { where, signal } = context;
  const setting = { store: await context.openStore(), where, signal };
  return { text: JSON.stringify(await extractSnippet(setting, { ...given, session_id: session }), null, 1) };
});
