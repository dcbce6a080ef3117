/** Reads a session page by page. */
import { readHead } from "../../sessions/file-ref.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { unitsOf, type Entry, type Unit } from "../../queries/session-units.ts";
import { shownContent, type ShownParts } from "../../texts/entry-content.ts";
import { shownEntries } from "./entry-text.ts";
import { execution } from "../execution.ts";
import { type SessionHeading, sessionAsked, sessionHeading } from "../session-heading.ts";
import { answerTokens } from "../tokens.ts";
import type { ToolAnswer, ToolContext } from "../tool.ts";
import { cursorAt, staleCursor } from "./entry-cursor.ts";
import { Page, type PageSettings } from "./page.ts";
import { type PageRange, type Place, rangeOf, selected } from "./selection.ts";
import { DEFAULT_PAGE_TOKENS, READ_SESSION } from "../tool-definitions.ts";
import { type ErrorCode, isSessionError } from "../../transcripts-error.ts";

/** Tokens reserved for the lines after the entries, and for the JSON around the data. */
const FOOTER_TOKENS = 160;
/** Number of characters redacted together: more than a page needs. */
const BATCH_CHARS = 64 * 1024;
/** A file written more recently than this may have an incomplete last entry. */
const BEING_WRITTEN_MS = 10_000;
/** Last turn of a range without an end. */
const OPEN_END = Number.MAX_SAFE_INTEGER;
const REFUSED_CONTENT: ReadonlySet<ErrorCode> = new Set(["empty", "not_a_session", "unsupported"]);

export const execute = execution(READ_SESSION, async (given, context) => {
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
  const page = new Page(maxTokens - heading.tokens - FOOTER_TOKENS, settings, context.showsData);
  const isAround = range.kind === "line" && range.withContext;
  const isGrowing = context.now().getTime() - ref.modifiedMs < BEING_WRITTEN_MS;
  const seen: Seen = {};
  const units = (): AsyncGenerator<Unit> =>
    wholeUnits(unitsOf(ref, { subagents: isAround, signal: context.signal }), isGrowing, seen);
  const isContext = (entry: Entry): boolean =>
    shownContent(entry, { withTools: false, withThinking: false }) !== undefined;
  const { withTools, withThinking } = settings;
  const places = selected(units, range, isContext);
  const isFull = !(await fill(page, places, { withTools, withThinking, withNotes: isAround }));
  const isEnd = !isFull && !settings.isRest && (settings.untilTurn ?? OPEN_END) === OPEN_END;
  if (isEnd && seen.last !== undefined)
    page.next = cursorAt(seen.last, undefined, { ...settings, untilTurn: undefined, offset: 0 });
  return withinBudget(page, maxTokens, context.showsData, () => answerOf(heading, page, isEnd, seen));
});

/**
 * Resolves the session. If the name came with a cursor, a page of it was read before, so content that is no longer a
 * session means a stale cursor.
 */
async function refOf(name: string | undefined, range: PageRange, context: ToolContext): Promise<SessionRef> {
  try {
    return await sessionAsked(name, context);
  } catch (error) {
    const isReplaced = isSessionError(error) && REFUSED_CONTENT.has(error.code);
    throw isReplaced && range.kind === "cursor" ? staleCursor() : error;
  }
}

/** Last units seen when reading ended. */
interface Seen {
  last?: Unit;
  /** Unit that is left out because it is still being written. */
  torn?: Unit;
}

/** Yields units, without an entry that is still being written. */
async function* wholeUnits(units: AsyncIterable<Unit>, isGrowing: boolean, seen: Seen): AsyncGenerator<Unit> {
  for await (const unit of units) {
    if (unit.isTorn && isGrowing) {
      seen.torn = unit;
      continue;
    }
    seen.last = unit;
    yield unit;
  }
}

/** Redacts and adds entries, in batches. Resolves to false if the page is full before the end. */
async function fill(page: Page, places: AsyncGenerator<Place>, parts: ShownParts): Promise<boolean> {
  // Anything beyond this would not fit and be redacted for nothing.
  const batchChars = Math.min(BATCH_CHARS, page.budget * 4);
  const batch = new Map<Entry, Place>();
  let chars = 0;
  const addBatch = async (): Promise<boolean> => {
    for (const shown of await shownEntries([...batch.keys()], parts)) {
      const { unit, offset } = batch.get(shown.entry) ?? {};
      if (unit && !page.add(unit, shown, offset ?? 0)) return false;
    }
    batch.clear();
    chars = 0;
    return true;
  };
  // Leaving the loop ends the reading of the session.
  for await (const place of places) {
    batch.set(place.entry, place);
    chars += charsOf(place.entry.block);
    if (chars >= batchChars && !(await addBatch())) return false;
  }
  return addBatch();
}

function charsOf({ content_text, result_text, thinking_text }: Entry["block"]): number {
  return 100 + (content_text?.length ?? 0) + (result_text?.length ?? 0) + (thinking_text?.length ?? 0);
}

/** Drops the last entries if the frame takes more tokens than reserved. */
function withinBudget(page: Page, maxTokens: number, showsData: boolean, make: () => ToolAnswer): ToolAnswer {
  for (;;) {
    const answer = make();
    if (answerTokens(answer, showsData) <= maxTokens || page.rows.length === 0) return answer;
    page.dropLast();
  }
}

function answerOf({ argument, text, fields }: SessionHeading, page: Page, isLast: boolean, seen: Seen): ToolAnswer {
  const notes = seen.torn === undefined ? [] : [`Line ${seen.torn.line} is being written and is left out.`];
  const isEnd = isLast && page.next !== undefined;
  const more = JSON.stringify({ session: argument, cursor: page.next });
  if (page.rows.length === 0) notes.push("There is nothing to show here.");
  if (page.next !== undefined)
    notes.push(isEnd ? `This is the end so far. What comes later: read_session ${more}` : `More: read_session ${more}`);
  return {
    text: [text, "", ...page.texts, ...notes].join("\n"),
    data: {
      ...fields,
      entries: page.rows,
      has_more: page.next !== undefined && !isEnd,
      next_cursor: page.next ?? null,
      ...(seen.torn === undefined ? {} : { being_written_line: seen.torn.line }),
    },
  };
}
