/** Reading a session page by page. */
import { createRedactor, type Redactor } from "../../redact/redactor.ts";
import { needsAgentProgress } from "../../sessions/agent-progress.ts";
import { readHead } from "../../sessions/file-ref.ts";
import { SessionError, type SessionErrorCode } from "../../sessions/session-error.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { unitsOf, type Entry, type Unit } from "../conversation/entries.ts";
import { isShown, shownEntries, type ShownParts } from "../conversation/entry-text.ts";
import { execution } from "../execution.ts";
import { sessionAsked } from "../session-asked.ts";
import { sessionHeading, type SessionHeading } from "../session-heading.ts";
import { countTokens } from "../tokens.ts";
import { TOOL_DATA_VERSION, type ToolAnswer, type ToolArguments, type ToolContext } from "../tool.ts";
import { cursorAt, staleCursor } from "./cursor.ts";
import { Page, type PageSettings } from "./page.ts";
import { lastTurn, rangeOf, type PageRange } from "./range.ts";
import { selected, type Selected } from "./selection.ts";
import { DEFAULT_PAGE_TOKENS, READ_SESSION } from "./tool.ts";

/** What the lines after the entries take, and the braces of the other form. */
const FOOTER_TOKENS = 160;
/** Characters that are redacted in one go: more than a page needs at once. */
const BATCH_CHARS = 64 * 1024;
/** A file that was written so lately may hold only a part of its last entry. */
const BEING_WRITTEN_MS = 10_000;
const REFUSED_CONTENT: ReadonlySet<SessionErrorCode> = new Set(["empty", "not_a_session", "unsupported"]);

export const execute = execution(READ_SESSION, readSession);

type Arguments = ToolArguments<(typeof READ_SESSION)["args"]>;

async function readSession(given: Arguments, context: ToolContext): Promise<ToolAnswer> {
  const range = rangeOf(given);
  const ref = await readHead(await refOf(given.session, range, context));
  const heading = await sessionHeading(ref, given.session);
  const maxTokens = given.max_tokens ?? DEFAULT_PAGE_TOKENS;
  const cursor = range.kind === "cursor" ? range.cursor : undefined;
  const settings: PageSettings = {
    withTools: given.with_tools ?? cursor?.withTools ?? false,
    withThinking: given.with_thinking ?? cursor?.withThinking ?? false,
    isRest: cursor?.isRest ?? false,
    untilTurn: cursor?.untilTurn ?? (range.kind === "turns" ? range.last : undefined),
  };
  const page = new Page(maxTokens - heading.tokens - FOOTER_TOKENS, settings, context.showsData === true);
  const walk = await walkOf(ref, range, context);
  const end = await fill(page, walk, settings, createRedactor());
  return withinBudget(page, maxTokens, context.showsData === true, () => answerOf(heading, page, end, walk));
}

/** A page was read of what a cursor points into: what is no session now was one then. */
async function refOf(name: string | undefined, range: PageRange, context: ToolContext): Promise<SessionRef> {
  try {
    return await sessionAsked(name, context);
  } catch (error) {
    const isReplaced = error instanceof SessionError && REFUSED_CONTENT.has(error.code);
    throw isReplaced && range.kind === "cursor" ? staleCursor() : error;
  }
}

interface Walk {
  selection: AsyncGenerator<Selected>;
  /** What was seen of the session when the walk ended. */
  seen: { last?: Unit; torn?: Unit };
  range: PageRange;
  parts: (settings: PageSettings) => ShownParts;
}

async function walkOf(ref: SessionRef, asked: PageRange, context: ToolContext): Promise<Walk> {
  const isAround = asked.kind === "line" && asked.withContext;
  const agentProgress = isAround && (await needsAgentProgress(ref));
  const isGrowing = context.now().getTime() - ref.modifiedMs < BEING_WRITTEN_MS;
  const seen: Walk["seen"] = {};
  const units = (): AsyncGenerator<Unit> =>
    wholeUnits(unitsOf(ref, { agentProgress, signal: context.signal }), isGrowing, seen);
  const range = await counted(asked, units);
  const withNotes = isAround;
  const parts = ({ withTools, withThinking }: PageSettings): ShownParts => ({ withTools, withThinking, withNotes });
  const isContext = (entry: Entry): boolean => isShown(entry, { withTools: false, withThinking: false });
  return { selection: selected(units(), range, isContext), seen, range, parts };
}

/** Turns from the end as turns from the start. */
async function counted(range: PageRange, units: () => AsyncIterable<Unit>): Promise<PageRange> {
  if (range.kind !== "last") return range;
  const last = await lastTurn(units());
  return { kind: "turns", first: Math.max(last - range.count + 1, Math.min(last, 1)), last: Number.MAX_SAFE_INTEGER };
}

/** Without an entry that is being written. */
async function* wholeUnits(units: AsyncIterable<Unit>, isGrowing: boolean, seen: Walk["seen"]): AsyncGenerator<Unit> {
  for await (const unit of units) {
    if (unit.isTorn && isGrowing) {
      seen.torn = unit;
      continue;
    }
    seen.last = unit;
    yield unit;
  }
}

type End = "full" | "range" | "session";

/** Puts entries on the page until it is full or there are no more. */
async function fill(page: Page, walk: Walk, settings: PageSettings, redactor: Redactor): Promise<End> {
  const parts = walk.parts(settings);
  // More would be redacted in vain.
  const batchChars = Math.min(BATCH_CHARS, page.budget * 4);
  let batch: Selected[] = [];
  let chars = 0;
  const flush = async (): Promise<boolean> => {
    const wanted = batch.flatMap(({ unit, entries, offset }) =>
      (settings.isRest ? entries.slice(0, 1) : entries).map((entry, at) => ({
        unit,
        entry,
        offset: at === 0 ? offset : 0,
      })),
    );
    batch = [];
    chars = 0;
    const places = new Map(wanted.map((place) => [place.entry, place]));
    for (const shown of await shownEntries([...places.keys()], parts, redactor)) {
      const place = places.get(shown.entry);
      if (place && !page.add(place.unit, shown, place.offset)) return false;
    }
    return true;
  };
  try {
    for await (const next of walk.selection) {
      batch.push(next);
      chars += next.entries.reduce((sum, { block }) => sum + charsOf(block), 0);
      if (chars >= batchChars && !(await flush())) return "full";
    }
  } finally {
    await walk.selection.return(undefined);
  }
  if (!(await flush())) return "full";
  if (settings.isRest) return "range";
  const { last } = walk.seen;
  const isOpenEnded = settings.untilTurn === undefined || settings.untilTurn === Number.MAX_SAFE_INTEGER;
  if (last !== undefined && isOpenEnded)
    page.next = cursorAt(last, undefined, { ...settings, untilTurn: undefined, offset: 0 });
  return isOpenEnded ? "session" : "range";
}

function charsOf({ content_text, result_text, thinking_text }: Entry["block"]): number {
  return 100 + (content_text?.length ?? 0) + (result_text?.length ?? 0) + (thinking_text?.length ?? 0);
}

/** The last entries make room where the frame takes more than was set aside for it. */
function withinBudget(page: Page, maxTokens: number, showsData: boolean, make: () => ToolAnswer): ToolAnswer {
  for (;;) {
    const answer = make();
    const tokens = Math.max(countTokens(answer.text), showsData ? countTokens(JSON.stringify(answer.data)) : 0);
    if (tokens <= maxTokens || page.rows.length === 0) return answer;
    page.dropLast();
  }
}

function answerOf({ argument, text, fields }: SessionHeading, page: Page, end: End, { seen }: Walk): ToolAnswer {
  const notes = seen.torn === undefined ? [] : [`Line ${seen.torn.line} is being written and is left out.`];
  const isEnd = end === "session" && page.next !== undefined;
  const more = JSON.stringify({ session: argument, cursor: page.next });
  if (page.rows.length === 0) notes.push("There is nothing to show here.");
  if (page.next !== undefined)
    notes.push(isEnd ? `This is the end so far. What comes later: read_session ${more}` : `More: read_session ${more}`);
  return {
    text: [text, "", ...page.texts, ...notes].join("\n"),
    data: {
      version: TOOL_DATA_VERSION,
      ...fields,
      entries: page.rows,
      has_more: page.next !== undefined && !isEnd,
      next_cursor: page.next ?? null,
      ...(seen.torn === undefined ? {} : { being_written_line: seen.torn.line }),
    },
  };
}
