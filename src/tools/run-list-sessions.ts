/** Lists the sessions on this machine for an agent. */
import { given } from "../given.ts";
import { counted, dayAndTime } from "../quantities.ts";
import { type ListedSession, listedSessions, listNeeds, sessionRow } from "../queries/listed-sessions.ts";
import { projectName } from "../render/text/session-text.ts";
import { answerText } from "./answer-text.ts";
import { readAgentName } from "../agents/foreign.ts";
import { readBetween } from "../queries/figures.ts";
import { execution } from "./execution.ts";
import { DATA_NOTICE, shownTitle } from "./session-heading.ts";
import { LIST_SESSIONS } from "./tool-definitions.ts";
import { answerOfStore } from "./store-answers.ts";

const DEFAULT_LIMIT = 20;
const MAX_NAME = 160;

export const execute = execution(LIST_SESSIONS, async (args, context) => {
  const { where } = context;
  const { project, limit = DEFAULT_LIMIT, offset = 0 } = args;
  const filters = {
    ...readBetween(args, context.now()),
    ...given({ project, agent: args.agent === undefined ? undefined : readAgentName(args.agent) }),
  };
  const query = { ...filters, limit, offset };
  const { answer, notes } = await answerOfStore(context, listNeeds(where, query), (index) =>
    listedSessions(index, where, query),
  );
  const items = await Promise.all(answer.sessions.map(line));
  const none = offset > 0 ? "No more sessions." : "No session matches. Leave a filter out.";
  const head = (shown: number): string[] => {
    const which = `Sessions ${offset + 1} to ${offset + shown}, newest first; read_session takes the id. ${DATA_NOTICE}`;
    return [shown === 0 ? none : which, ...notes];
  };
  return { text: answerText({ head, items, offset, hasMore: answer.isMore, maxChars: args.max_chars }) };
});

async function line(session: ListedSession): Promise<string> {
  const row = sessionRow(session);
  const { session_id: id, project, ended, turns, tool_calls, tool_errors } = row;
  const time = dayAndTime(ended) || "no time";
  const from = row.is_archived ? `  (from the store${row.host === null ? "" : `, ${row.host}`})` : "";
  const failed = tool_errors === 0 ? "" : `, ${tool_errors} failed`;
  const counts = `${counted(turns, "turn")}, ${counted(tool_calls, "call")}${failed}`;
  const name = await shownTitle(row.title ?? row.prompt, MAX_NAME);
  const of = project === null ? "" : `${projectName(project)}: `;
  return `- ${id}  ${time}  ${of}${name === null ? "(no prompt)" : JSON.stringify(name)}  ${counts}${from}`;
}
