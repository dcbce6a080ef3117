/** `transcripts find` */
import { refTitle } from "../../places/session-ref.ts";
import { readBetween } from "../../queries/figures.ts";
import { Option } from "@commander-js/extra-typings";
import { given } from "../../given.ts";
import type { CurrentIndex } from "../../queries/current-index.ts";
import {
  find,
  findNeeds,
  type FindAsked,
  type Found,
  type FoundPassage,
  type HitSession,
} from "../../queries/find-passages.ts";
import { HIT_ROLES } from "../../parse/searched-texts.ts";
import {
  createQuestion,
  positiveInteger,
  jsonLines,
  runnable,
  SCREENFUL,
  type OptionsOf,
  type ExitCode,
} from "../command.ts";
import { badArguments, type CommandContext } from "../context.ts";
import { noteListPage } from "../page-note.ts";
import { noSessionsNote } from "../session-input.ts";
import { argumentFor, showCommand, storedArgument } from "../session-names.ts";
import { matchText, nothingFoundText, passageText } from "../../render/text/passage-text.ts";
import { sessionLine } from "../../render/text/session-text.ts";
import { forPeople, type TextStyle } from "../../render/text/text-style.ts";
import { neutralLine } from "../../neutral-text.ts";
import { counted, dayAndTime } from "../../quantities.ts";
import { askedOfStore, missingNote } from "../store-questions.ts";

const definition = createQuestion(
  "find",
  {
    description:
      "First come passages with the words exactly as typed, then those with all of them in any order, then those with all but one " +
      "(of five and more words, all but two). Within these, words that are close together come first; whole words, messages and newer sessions count for more. Case does not matter. " +
      "Each passage comes with its session, line and time, and with the command that opens it. " +
      "New sessions are added to the store first, up to 50 MB; the last line says what may be missing.",
    examples: {
      "transcripts find connection refused": "Shows where this was said, then passages with both words.",
      "transcripts find --exact connection refused": "Shows only passages with exactly this text.",
      "transcripts find migration --role user --since 30d": "Shows what you asked about it in the last month.",
      "transcripts find ENOENT --errors --tool Bash --json":
        "Prints the messages of shell commands that failed like this, as JSON.",
      "transcripts find --file src/price.ts": "Lists the calls that read or changed this file.",
      "transcripts find rounding --file price.ts": "Searches the sessions that read or changed a file of this name.",
    },
    nothing: "no passage matches",
  },
  "passages",
)
  .argument(
    "[WORD...]",
    "Words to search for; parts of words are found, too. Text in double quotes must be there exactly: 'retry \"queue order\"'. Optional with --file or --errors.",
  )
  .option(
    "--file <path>",
    "Only sessions in which a call read or changed this file: a path, the end of one, or a name. ./ and ../ start at the current folder. Without words, lists those calls.",
  )
  .addOption(
    new Option(
      "--role <role>",
      "Only passages of this role. user: what a person typed; tool: calls and results; system: text that the agent's program added, summaries included.",
    ).choices(HIT_ROLES),
  )
  .option("--tool <name>", "Only calls and results of this tool.")
  .option("--errors", "Only messages of failed calls. Without words, the same as `transcripts errors`.")
  .option(
    "--limit <n>",
    "Maximum number of passages. Default: 20 on a terminal, all in a pipe or a file.",
    positiveInteger,
  )
  .option(
    "--per-session <n>",
    "Maximum number of passages of one session. Default: 3 on a terminal, all in a pipe or a file.",
    positiveInteger,
  )
  .option("--exact", "Only passages with the words exactly as typed.")
  .addOption(jsonLines("each passage"));
type Options = OptionsOf<typeof definition>;

/** Default of --per-session on a terminal. */
const OF_SESSION = 3;
/** Maximum number of ranked passages without `--limit`. */
const MOST_RANKED = 5_000;

export const command = runnable(definition, async (context, [words], options) => {
  const { role = "tool", errors, file } = options;
  if (words.length === 0 && errors && file === undefined && role === "tool") {
    if (options.perSession !== undefined)
      throw badArguments("--per-session needs words to search for.", "Give some, or leave it out.");
    const { errorsOfAll } = await import("./errors.ts");
    return errorsOfAll(context, readBetween(options, context.now()), { ...options, redact: true });
  }
  const request = { query: await queryAsked(context, words, options), options };
  const { query } = request;
  // Nobody reads more ranked passages than that; the others follow unranked, as they are found.
  const ranked = query.limit === Infinity ? { limit: MOST_RANKED, rankedAtMost: MOST_RANKED } : {};
  return askedOfStore(
    context,
    findNeeds(context, query),
    (index) => find(index, context, { ...query, ...ranked }),
    (index, found) => printAll(context, request, index, found),
  );
});

interface FindRequest {
  query: FindAsked & { limit: number };
  options: Options;
}

/** Throws a `TranscriptsError` for an empty term. */
async function queryAsked(
  context: CommandContext,
  words: readonly string[],
  options: Options,
): Promise<FindRequest["query"]> {
  const term = words.join(" ");
  const path = options.file;
  const file =
    path === undefined ? undefined : (await import("../../queries/wanted-file.ts")).wantedFile(path, context);
  if (term === "" && (words.length > 0 || file === undefined))
    throw badArguments("No search words were given.", "Give at least one character, --file or --errors.");
  const isShort = context.isTerminal && !options.json;
  return {
    term,
    exact: options.exact ?? false,
    perSession: options.perSession ?? (isShort ? OF_SESSION : Infinity),
    ...readBetween(options, context.now()),
    project: options.project,
    agent: options.agent,
    ...given({ file, role: options.role, tool: options.tool, tags: options.tag }),
    errorsOnly: options.errors ?? false,
    limit: options.limit ?? (isShort ? SCREENFUL : Infinity),
    now: context.now(),
    signal: context.signal,
  };
}

async function printAll(
  context: CommandContext,
  request: FindRequest,
  index: CurrentIndex,
  found: Found,
): Promise<ExitCode> {
  const openBy = opener(index);
  const scope: Scope = { index, found, older: 0, shown: 0 };
  const show = async (passages: readonly FoundPassage[]): Promise<void> => {
    await print(context, request, passages, openBy);
    scope.shown += passages.length;
  };
  const literal = found.passages.filter(({ match }) => match === "phrase");
  const others = found.passages.filter(({ match }) => match === "words");
  await show(literal);
  if (others.length > 0)
    context.note(literal.length > 0 ? "Passages with the words in another order:" : matchText(others, found.result));
  await show(others);
  if (request.query.limit === Infinity) {
    for await (const passages of found.older()) {
      await show(passages);
      scope.older += passages.length;
    }
  }
  context.note(scopeLine(request, scope));
  if (scope.shown === 0 && found.sessions > 0) context.note(nextOf(request, found));
  const { query, options } = request;
  const { agent, project, since, until, tag, team } = options;
  if (scope.shown > 0 && query.term !== "" && !team) {
    await noteListPage(context, { text: query.term, agent, project, since, until, tag });
  }
  return scope.shown > 0 ? 0 : 1;
}

/** Returns what to try if nothing was found. */
function nextOf({ query, options }: FindRequest, { words }: Found): string {
  const { role, tool, errors, since, until, project, agent, tag, file } = options;
  const isListing = query.term === "";
  const narrowed = Object.entries({
    role,
    tool,
    errors,
    since,
    until,
    project,
    agent,
    tag,
    file: isListing ? undefined : file,
  });
  const filters = narrowed.filter(([, value]) => value !== undefined).map(([name]) => `--${name}`);
  return [
    "Nothing found.",
    isListing ? "Try the name of the file alone." : nothingFoundText(words),
    ...(query.exact === true ? ["Without --exact the words may be in any order."] : []),
    ...(filters.length > 0 ? [`Or leave out ${filters.join(", ")}.`] : []),
  ].join(" ");
}

/** Returns the arguments that open each session, and no other one. */
function opener(index: CurrentIndex): (session: HitSession) => string {
  const ambiguous = new Set(index.ambiguous());
  return ({ ref, stored, host }) => {
    const isOnly = !ambiguous.has(ref.id) && ref.id === stored.session_id;
    return host === null ? argumentFor(ref, isOnly) : storedArgument({ ...stored, host });
  };
}

/** Prints JSON in the order given; for people the passages of one session together, the session of the best one first. */
async function print(
  context: CommandContext,
  { options }: FindRequest,
  found: readonly FoundPassage[],
  openBy: (session: HitSession) => string,
): Promise<void> {
  // The store has redacted rows.
  const rows = found.map((passage) => findRow(passage, openBy(passage.session)));
  if (options.json) {
    for (const row of rows) await context.printLine(row);
    return;
  }
  const style = forPeople(context);
  const shown = found.map(({ session: { ref } }, at) => ({ ref, row: rows[at] }));
  for (const [, group] of Map.groupBy(shown, ({ ref }) => ref.path ?? ref.id)) {
    const [first] = group;
    if (first === undefined) continue;
    const { id, project, projectLabel } = first.ref;
    const title = refTitle(first.ref);
    const host = first.row?.host ?? null;
    const session = { id, title, project: project ?? (projectLabel || null), host };
    await context.out(`${sessionLine(session, style)}\n`);
    for (const { row } of group) if (row) await context.out(shownPassage(row, style));
  }
}

/** Returns a passage with the command that opens it, which stays on one line, so that it can be copied. */
function shownPassage(row: FindOutput, style: TextStyle): string {
  const facts = [dayAndTime(row.timestamp), row.gone ? "from the store" : ""];
  return `${passageText(row, facts, style)}\n${style.indent}${style.colors.dim(neutralLine(row.open))}\n\n`;
}

interface Scope {
  index: CurrentIndex;
  found: Found;
  /** Numbers of passages shown: those unranked, and all. */
  older: number;
  shown: number;
}

/** Returns what was searched, and how. */
function scopeLine({ options }: FindRequest, scope: Scope): string {
  const { index, found } = scope;
  const { unreadable, missing, ruledOut } = index;
  const sessions = found.sessions + ruledOut;
  const isNarrowed = [options.since, options.project, options.agent].some((each) => each !== undefined);
  if (sessions === 0 && missing.length === 0 && unreadable.length === 0 && !isNarrowed)
    return noSessionsNote({ team: options.team === true });
  const notes = [
    ...(index.updated > 0 ? [`${index.updated} updated`] : []),
    ...(ruledOut > 0 ? [`${ruledOut.toLocaleString("en-US")} without the words`] : []),
    ...(!isNarrowed && index.gone > 0 ? [`${index.gone} whose file is gone`] : []),
  ];
  const missed = [
    ...(unreadable.length === 0 ? [] : [`, ${unreadable.length} unreadable`]),
    ...(found.damaged === 0 ? [] : [`, ${counted(found.damaged, "damaged place")}`]),
  ].join("");
  const searched = `${counted(sessions, "session")}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}${missed}`;
  return `searched ${searched}${rankedNote(scope)}${heldNote(scope)}${missingNote(index)}`;
}

function rankedNote({ found, older }: Scope): string {
  const { total, isTotalExact } = found.result;
  const ranked = found.passages.length;
  if (older > 0)
    return `; the newest ${counted(ranked, "passage")} best first, then ${counted(older, "older one")}, newest first`;
  if (!isTotalExact) return `; the best ${ranked} of the ${total} newest passages, older ones were not ranked`;
  return total > ranked ? `; the best ${ranked} of ${counted(total, "passage")}` : "";
}

function heldNote({ found }: Scope): string {
  const { held } = found.result;
  return held === 0 ? "" : `; ${held} more in these sessions: --per-session`;
}

export type FindOutput = ReturnType<typeof findRow>;

function findRow(passage: FoundPassage, argument: string) {
  const { ref, host, isGone } = passage.session;
  const { line_number, role, block_type } = passage;
  const isTitle = block_type === "title";
  return {
    version: 1 as const,
    session_id: ref.id,
    place: ref.place,
    path: ref.path,
    project: ref.project ?? (ref.projectLabel || null),
    line_number: line_number === 0 ? null : line_number,
    byte_offset: passage.byte_offset,
    timestamp: passage.occurred_at,
    role,
    block_type,
    tool_name: passage.tool_name,
    tool_use_id: passage.tool_use_id,
    match: passage.match,
    missing: passage.missing,
    passage: passage.passage,
    matches: passage.matches,
    match_count: passage.match_count,
    open: isTitle ? showCommand(argument, null) : showCommand(argument, line_number, passage.superseded),
    gone: isGone,
    host,
    superseded: passage.superseded,
    changes_file: passage.changes_file ?? null,
    rank: passage.rank,
    event_id: isTitle ? null : passage.event_id,
  };
}
