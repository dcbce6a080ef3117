/** Formats passages as an answer: as many as fit the budget, at least one. */
import { passageText, sessionLine } from "../../texts/passage-text.ts";
import { PLAIN } from "../../texts/text-style.ts";
import { given } from "../../given.ts";
import { DATA_NOTICE, endOf, READ_ON } from "../session-heading.ts";
import { shortened } from "../../neutral-text.ts";
import { passageAround } from "../../matching/passage.ts";
import { answerTokens, countTokens, fittingCount, TokenBudget } from "../tokens.ts";
import type { ToolAnswer } from "../tool.ts";
import type { Found, PassageRow } from "./passages.ts";

/** Tokens reserved for the lines around the passages, including a cursor. */
const FRAME_TOKENS = 350;
/** Characters that are kept of a passage and of each other text, if not even one passage fits whole. */
const CUT_CHARS = 30;
const NOTHING = 'Nothing found. Try other words, match: "words", or fewer filters.';

export interface Budget {
  maxTokens: number;
  /** The data must fit the budget too. */
  showsData: boolean;
}

/**
 * Returns an answer within the budget. Passages that do not fit are on the next page; one that does not fit alone is
 * cut.
 */
export function answerOf(found: Found, budget: Budget): ToolAnswer {
  let answer = answerWith(found, 0);
  for (answer of answers(found, fittingRows(found.rows, budget)))
    if (answerTokens(answer, budget.showsData) <= budget.maxTokens) break;
  return answer;
}

/** Yields answers with fewer and fewer passages, then with a single one that is cut. */
function* answers(found: Found, most: number): Generator<ToolAnswer> {
  for (let count = most; count > 1; count -= 1) yield answerWith(found, count);
  const count = Math.min(1, found.rows.length);
  yield answerWith(found, count);
  yield answerWith(cutShort(found), count);
}

function cutShort({ rows, notes, ...found }: Found): Found {
  return { ...found, rows: rows.slice(0, 1).map(cutRow), notes: notes.map((note) => shortened(note, CUT_CHARS)) };
}

/** Keeps what identifies the session in a further call. */
function cutRow({ missing, ...row }: PassageRow): PassageRow {
  const short = (text: string | null): string | null => text && shortened(text, CUT_CHARS);
  const { text, matches } = passageAround(row.passage, row.matches, CUT_CHARS);
  return {
    ...row,
    path: row.path && endOf(row.path, CUT_CHARS),
    project: short(row.project),
    title: short(row.title),
    host: short(row.host),
    tool_name: short(row.tool_name),
    passage: text,
    matches: row.matches.length === 0 ? [] : matches,
    ...given({ missing: missing?.map((word) => shortened(word, CUT_CHARS)) }),
  };
}

function fittingRows(rows: readonly PassageRow[], { maxTokens, showsData }: Budget): number {
  return fittingCount(rows, new TokenBudget(maxTokens - FRAME_TOKENS, showsData), (row, at) => {
    const session = isSameSession(row, rows[at - 1]) ? 0 : countTokens(sessionText(row)) + 2;
    return countTokens(rowText(row)) + 1 + session;
  });
}

function answerWith({ rows, passed, total, notes, cursorAfter }: Found, count: number): ToolAnswer {
  const shown = rows.slice(0, count);
  const next = cursorAfter(count);
  const lines = shown.flatMap((row, at) =>
    isSameSession(row, shown[at - 1]) ? [rowText(row)] : [`\n${sessionText(row)}`, rowText(row)],
  );
  const head = headText(shown, passed, total);
  const more = next === null ? [] : [`\nMore: the same arguments with cursor ${JSON.stringify(next)}`];
  return {
    text: [head, ...notes, ...lines, ...more].join("\n"),
    data: {
      passages: shown,
      total,
      has_more: next !== null,
      next_cursor: next,
      notes,
    },
  };
}

function headText(shown: readonly PassageRow[], passed: number, total: string): string {
  if (shown.length === 0) return passed === 0 ? NOTHING : `No more passages: there are ${total}.`;
  const which = passed === 0 ? String(shown.length) : `${passed + 1} to ${passed + shown.length}`;
  const isReadable = shown.some(({ read_session }) => read_session !== null);
  return `${which} of ${total} passages, [N] is the line. ${DATA_NOTICE}${isReadable ? ` ${READ_ON}` : ""}`;
}

function isSameSession(row: PassageRow, before: PassageRow | undefined): boolean {
  return row.session_id === before?.session_id && row.path === before.path && row.host === before.host;
}

function sessionText(row: PassageRow): string {
  const { session_id, read_session, unavailable, path, title, project, host } = row;
  const id = read_session?.session ?? session_id;
  const place = path === null || path === id ? "" : `\nfile ${path}`;
  const why = unavailable === undefined ? "" : `\nread_session cannot show it: ${unavailable}`;
  return sessionLine({ id, title, project, host }, PLAIN) + place + why;
}

function rowText(row: PassageRow): string {
  const { timestamp } = row;
  return passageText(row, timestamp === null ? [] : [timestamp.slice(0, 19).replace("T", " ")], PLAIN);
}
