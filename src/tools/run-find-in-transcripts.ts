/** Finds passages in all sessions. */
import { wantedFile } from "../queries/wanted-file.ts";
import { given } from "../given.ts";
import { counted, dayAndTime } from "../quantities.ts";
import { withoutIndex } from "../queries/current-index.ts";
import { type FindAsked, type FoundPassage, type HitSession } from "../queries/find-in-files.ts";
import { findInIndex, type FoundInIndex } from "../queries/find-in-index.ts";
import { sharedRedactor } from "../redact/redactor.ts";
import { searchedTerms } from "../search/search.ts";
import { argumentOf } from "../places/session-ref.ts";
import { storePlace } from "../store/store-place.ts";
import { passageText, sessionLine } from "../render/text/passage-text.ts";
import { PLAIN } from "../render/text/text-style.ts";
import { fieldError, isStoreError } from "../transcripts-error.ts";
import { answerText } from "./answer-text.ts";
import { agentAsked } from "./agent-argument.ts";
import { betweenOf } from "./arguments.ts";
import { execution } from "./execution.ts";
import { DATA_NOTICE, READ_ON, shownTitle } from "./session-heading.ts";
import { FIND_IN_TRANSCRIPTS } from "./tool-definitions.ts";
import type { ToolContext } from "./tool.ts";
import { updatedIndex } from "./updated-index.ts";

const DEFAULT_LIMIT = 10;
const NOTHING = 'Nothing found. Try other words, match: "words", or fewer filters.';

export const execute = execution(FIND_IN_TRANSCRIPTS, async (args, context) => {
  const { query = "", file, match = "phrase", limit = DEFAULT_LIMIT, offset = 0, project, role, tool } = args;
  if (query === "" && file === undefined) {
    const problem = "it is missing; it must be a text, or there must be a file.";
    throw fieldError("bad_arguments", "query", problem, 'For example: {"query":"connection refused"}.');
  }
  const now = context.now();
  const asked: Asked = {
    term: query,
    match,
    // One more shows whether there are more.
    limit: offset + limit + 1,
    project,
    agent: agentAsked(args.agent),
    ...(file === undefined ? {} : { file: wantedFile(file, context.where) }),
    now,
    signal: context.signal,
    ...betweenOf(args, now),
    ...given({ role, tool, errorsOnly: args.errors }),
  };
  const { passages, notes } = await found(asked, context);
  const wanted = passages.slice(offset, offset + limit);
  const items: string[] = [];
  let above = "";
  for (const passage of wanted) {
    const heading = await headingOf(passage.session);
    items.push(`${heading === above ? "" : `\n${heading}\n`}${await textOf(passage)}`);
    above = heading;
  }
  const hasMore = passages.length > offset + limit;
  const head = (shown: number): string[] => {
    if (shown === 0) return [offset === 0 ? NOTHING : `No more passages: there are ${passages.length}.`, ...notes];
    const of = hasMore || shown < wanted.length ? "" : ` of ${passages.length}`;
    const which = `Passages ${offset + 1} to ${offset + shown}${of}, [N] is the line.`;
    return [`${which} ${DATA_NOTICE} ${READ_ON}`, ...notes];
  };
  return { text: answerText({ head, items, offset, hasMore, maxChars: args.max_chars }) };
});

type Asked = FindAsked & { limit: number };

interface Found {
  /** Best first, then those of sessions that the index does not have; at most `limit`. */
  passages: FoundPassage[];
  notes: string[];
}

/** Searches the index if there is one, and the files if it cannot be read. */
async function found(asked: Asked, context: ToolContext): Promise<Found> {
  if (!storePlace(context.where).exists) return foundInFiles(asked, context);
  try {
    const { store, changed, left } = await updatedIndex(context);
    if (left?.reason === "none") return await foundInFiles(asked, context);
    const result = await collected(await findInIndex(store, context.where, asked, changed), asked);
    if (left === undefined || changed.length === 0) return result;
    const why = left.reason === "failed" && isStoreError(left.error) ? ` ${left.error.message}` : "";
    return withNote(result, `The store lacks ${changed.length} sessions, which were read and come last.${why}`);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    const result = await foundInFiles(asked, context);
    return withNote(result, `The files were searched, not the store. ${error.message}`);
  }
}

async function foundInFiles(asked: Asked, { where }: ToolContext): Promise<Found> {
  const { changed, unreadable } = await withoutIndex(where);
  const result = await collected(await findInIndex(undefined, where, asked, changed), asked);
  return unreadable.length === 0 ? result : withNote(result, `${unreadable.length} places could not be read.`);
}

function withNote(result: Found, note: string): Found {
  return { ...result, notes: [...result.notes, note] };
}

async function collected(result: FoundInIndex, asked: Asked): Promise<Found> {
  const passages = [...result.passages];
  let { damaged } = result;
  let unreadable = 0;
  if (passages.length < asked.limit) for await (const older of result.older()) passages.push(...older);
  if (passages.length < asked.limit) {
    for await (const { passages: more, damaged: lost, failure } of result.rest(result.unindexed)) {
      if (failure !== undefined) unreadable += 1;
      damaged += lost;
      passages.push(...more);
      if (passages.length >= asked.limit) break;
    }
  }
  const terms = searchedTerms(asked);
  const had = terms.length - Math.min(...passages.map(({ missing }) => missing.length));
  const isPart = passages.length > 0 && had < terms.length;
  return {
    passages: passages.slice(0, asked.limit),
    notes: [
      ...(isPart ? [`No entry has all of ${terms.join(", ")}: these have ${had} of them.`] : []),
      ...(unreadable === 0 ? [] : [`${unreadable} sessions could not be read.`]),
      ...(damaged === 0 ? [] : [`The sessions have ${counted(damaged, "damaged place")}.`]),
    ],
  };
}

/** Returns the lines above the passages of a session: its name in a call of `read_session`, its file, and limits. */
async function headingOf({ ref, stored, access }: HitSession): Promise<string> {
  // If several files share an id, only the path identifies this one.
  const isOneOfSeveral = stored !== undefined && stored.session_id !== ref.id;
  const named = isOneOfSeveral && ref.path !== null ? ref.path : argumentOf(ref);
  const storedId = access.kind === "elsewhere" ? access.id : stored?.session_id;
  const id = access.kind === "here" ? named : (storedId ?? named);
  const project = ref.project ?? (ref.projectLabel || null);
  const host = access.kind === "elsewhere" ? access.host : null;
  const title = await shownTitle(ref.title);
  return [
    sessionLine({ id, title, project, host }, PLAIN),
    ...(ref.path === null || ref.path === id ? [] : [`file ${ref.path}`]),
    ...(access.kind === "unreadable" ? [`read_session cannot show it: ${access.reason}`] : []),
  ].join("\n");
}

/** Text of the index has no secrets; that of a session just read is redacted here. */
async function textOf(passage: FoundPassage): Promise<string> {
  const { session, timestamp } = passage;
  const facts = [dayAndTime(timestamp), session.access.kind === "gone" ? "from the store" : ""];
  if (session.stored !== undefined) return passageText(passage, facts, PLAIN);
  const [redacted] = await sharedRedactor().redact([{ text: passage.passage, cut: true }]);
  return passageText({ ...passage, passage: redacted?.text ?? "", matches: [] }, facts, PLAIN);
}
