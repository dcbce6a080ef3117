/** Finds passages in all sessions. */
import { wantedFile } from "../queries/wanted-file.ts";
import { given } from "../given.ts";
import { counted, dayAndTime } from "../quantities.ts";
import {
  find,
  findNeeds,
  type FindAsked,
  type Found,
  type FoundPassage,
  type HitSession,
} from "../queries/find-passages.ts";
import { argumentOf, refTitle } from "../places/session-ref.ts";
import { matchText, nothingFoundText, passageText } from "../render/text/passage-text.ts";
import { sessionLine } from "../render/text/session-text.ts";
import { PLAIN } from "../render/text/text-style.ts";
import type { CurrentIndex } from "../queries/current-index.ts";
import { fieldError } from "../transcripts-error.ts";
import { answerText } from "./answer-text.ts";
import { readAgentName } from "../agents/foreign.ts";
import { readBetween } from "../queries/figures.ts";
import { execution } from "./execution.ts";
import { DATA_NOTICE, READ_ON, shownTitle } from "./session-heading.ts";
import { FIND_IN_TRANSCRIPTS } from "./tool-definitions.ts";
import type { ToolContext } from "./tool.ts";
import { answerOfStore } from "./store-answers.ts";

const DEFAULT_LIMIT = 10;
const OF_SESSION = 3;

export const execute = execution(FIND_IN_TRANSCRIPTS, async (args, context) => {
  const { query = "", file, exact = false, limit = DEFAULT_LIMIT, offset = 0, project, role, tool } = args;
  if (query === "" && file === undefined) {
    const problem = "It is missing; give words to search for, or a file.";
    throw fieldError("bad_arguments", "query", problem, 'For example: {"query":"connection refused"}.');
  }
  const now = context.now();
  const asked: Asked = {
    term: query,
    exact,
    perSession: args.per_session ?? OF_SESSION,
    // One more shows whether there are more.
    limit: offset + limit + 1,
    project,
    agent: args.agent === undefined ? undefined : readAgentName(args.agent),
    ...(file === undefined ? {} : { file: wantedFile(file, context.where) }),
    now,
    signal: context.signal,
    ...readBetween(args, now),
    ...given({ role, tool, errorsOnly: args.errors }),
  };
  const { answer, notes: lacks } = await answerOfStore(context, findNeeds(context.where, asked), (index) =>
    passagesFor(index, asked, context),
  );
  const { passages, nothing } = answer;
  const notes = [...answer.notes, ...lacks];
  const wanted = passages.slice(offset, offset + limit);
  const items: string[] = [];
  let above = "";
  for (const passage of wanted) {
    const heading = await headingOf(passage.session);
    items.push(`${heading === above ? "" : `\n${heading}\n`}${textOf(passage)}`);
    above = heading;
  }
  const hasMore = passages.length > offset + limit;
  const head = (shown: number): string[] => {
    if (shown === 0) return [offset === 0 ? nothing : `No more passages: there are ${passages.length}.`, ...notes];
    const of = hasMore || shown < wanted.length ? "" : ` of ${passages.length}`;
    const which = `Passages ${offset + 1} to ${offset + shown}${of}, [N] is the line.`;
    return [`${which} ${DATA_NOTICE} ${READ_ON}`, ...notes];
  };
  return { text: answerText({ head, items, offset, hasMore, maxChars: args.max_chars }) };
});

type Asked = FindAsked & { limit: number };

interface Passages {
  /** Best first; at most `limit`. */
  passages: FoundPassage[];
  /** Sentence for an answer without hits. */
  nothing: string;
  notes: string[];
}

async function passagesFor(index: CurrentIndex, asked: Asked, { where }: ToolContext): Promise<Passages> {
  const found = await find(index, where, asked);
  const passages = [...found.passages];
  if (passages.length < asked.limit) for await (const older of found.older()) passages.push(...older);
  const { held } = found.result;
  return {
    passages: passages.slice(0, asked.limit),
    nothing: nothingText(found, found.sessions + index.ruledOut),
    notes: [
      ...[matchText(passages, found.result)].filter(Boolean),
      ...(held > 0 ? [`${held} more in these sessions: per_session.`] : []),
      ...(found.damaged === 0 ? [] : [`The sessions have ${counted(found.damaged, "damaged place")}.`]),
    ],
  };
}

function nothingText({ words }: Found, sessions: number): string {
  if (sessions === 0) return "No session was searched: there is none yet, or none that fits the filters.";
  return `Nothing found in ${counted(sessions, "session")}. ${nothingFoundText(words)}`;
}

/** Returns the lines above the passages of a session: its name in a call of `read_session`, its file, and limits. */
async function headingOf({ ref, stored, host, isGone }: HitSession): Promise<string> {
  // If several files share an id, only the path identifies this one.
  const isOneOfSeveral = stored.session_id !== ref.id;
  const named = isOneOfSeveral && ref.path !== null ? ref.path : argumentOf(ref);
  const id = host === null && !isGone ? named : stored.session_id;
  const project = ref.project ?? (ref.projectLabel || null);
  const title = await shownTitle(refTitle(ref));
  return [
    sessionLine({ id, title, project, host }, PLAIN),
    ...(ref.path === null || ref.path === id ? [] : [`file ${ref.path}`]),
  ].join("\n");
}

function textOf(passage: FoundPassage): string {
  const { session, occurred_at } = passage;
  const facts = [dayAndTime(occurred_at), session.isGone ? "from the store" : ""];
  return passageText(passage, facts, PLAIN);
}
