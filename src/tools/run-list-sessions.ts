/** Lists the sessions on this machine for an agent. */
import { given } from "../given.ts";
import { counted, dayAndTime } from "../quantities.ts";
import { keptFigures, readFigures, type SessionFigures } from "../queries/figures.ts";
import { listedSession, withSomethingSaid } from "../queries/newest-sessions.ts";
import { findSessions } from "../sessions/find-sessions.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { projectName } from "../render/text/passage-text.ts";
import { answerText } from "./answer-text.ts";
import { agentAsked } from "./agent-argument.ts";
import { betweenOf } from "./arguments.ts";
import { execution } from "./execution.ts";
import { DATA_NOTICE, shownTitle } from "./session-heading.ts";
import { LIST_SESSIONS } from "./tool-definitions.ts";
import type { ToolContext } from "./tool.ts";

const DEFAULT_LIMIT = 20;
const MAX_NAME = 160;
const MAX_PLACES = 3;

export const execute = execution(LIST_SESSIONS, async (args, context) => {
  const { where, signal } = context;
  const { project, limit = DEFAULT_LIMIT, offset = 0 } = args;
  const between = betweenOf(args, context.now());
  const { sessions, unreadable } = await findSessions(where, {
    byEntryTime: true,
    archived: true,
    ...given({ since: between.since, project, agent: agentAsked(args.agent) }),
  });
  // One more shows whether there are more.
  const most = offset + limit + 1;
  const said: SessionFigures[] = [];
  for (let at = 0; at < sessions.length && said.length < most; at += most) {
    const read = await figuresOf(sessions.slice(at, at + most), context);
    said.push(...(await withSomethingSaid(read, { between, empty: false, signal })));
  }
  const items = await Promise.all(said.slice(offset, offset + limit).map(line));
  const places = unreadable.slice(0, MAX_PLACES).map(({ path, reason }) => `Not read: ${path}: ${reason}.`);
  if (unreadable.length > MAX_PLACES) places.push(`${unreadable.length - MAX_PLACES} more places could not be read.`);
  const none = offset > 0 ? "No more sessions." : "No session matches. Leave a filter out.";
  const head = (shown: number): string[] => {
    const which = `Sessions ${offset + 1} to ${offset + shown}, newest first; read_session takes the id. ${DATA_NOTICE}`;
    return [shown === 0 ? none : which, ...places];
  };
  return { text: answerText({ head, items, offset, hasMore: said.length >= most, maxChars: args.max_chars }) };
});

/** Returns the figures from the store, after adding those that they lack; without one, reads the sessions. */
async function figuresOf(refs: readonly SessionRef[], context: ToolContext): Promise<SessionFigures[]> {
  const { where, signal } = context;
  const known = await keptFigures(refs, where, {
    signal,
    withStore: async (_readOnly, work) => work(await context.openStore()),
  });
  return readFigures(refs, { known, signal });
}

async function line(read: SessionFigures): Promise<string> {
  const row = listedSession(read);
  const { session_id: id, project, ended, modified, turns, tool_calls, tool_errors, problem } = row;
  const time = dayAndTime(problem === null ? ended : modified) || "no time";
  const from = row.is_archived ? `  (from the store${row.host === null ? "" : `, ${row.host}`})` : "";
  if (problem !== null) return `- ${id}  ${time}  not read: ${problem}`;
  const failed = tool_errors === 0 ? "" : `, ${tool_errors} failed`;
  const counts = `${counted(turns, "turn")}, ${counted(tool_calls, "call")}${failed}`;
  const name = await shownTitle(row.title ?? row.prompt, MAX_NAME);
  const of = project === null ? "" : `${projectName(project)}: `;
  return `- ${id}  ${time}  ${of}${name === null ? "(no prompt)" : JSON.stringify(name)}  ${counts}${from}`;
}
