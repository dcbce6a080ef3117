/** Which snippets a question is about, as far as lists by term tell. */
import { PositionSet } from "../position-set.ts";
import { bytesIn, numberIn } from "../row.ts";
import { askedLists, isAsked, MOST_WORDS, withoutWords, type AskedLists } from "../snippet-terms.ts";
import type { SnippetConditions } from "../snippet-values.ts";
import { LISTABLE_COLUMNS, listableIn } from "../term-lists.ts";
import type { SqliteDriver } from "./driver.ts";
import { termId } from "./sqlite-snippet-lists.ts";

const TRIGRAM = 3;

export interface Listed {
  positions: PositionSet;
  /** Not each of them has this folded keyword, but whatever has it is among them. */
  phrase: string | undefined;
}

/** Snippets with the type, the tags and the keyword that are asked for. */
export function listedSnippets(database: SqliteDriver, asked: SnippetConditions): Listed {
  const { positions, phrase } = fromLists(database, askedLists(asked));
  for (const row of database.prepare("SELECT position FROM snippet_gone").all()) {
    positions.delete(numberIn(row, "position"));
  }
  const pending = `SELECT ${LISTABLE_COLUMNS} FROM snippet_pending JOIN conversation_snippets USING (position)`;
  for (const row of database.prepare(pending).iterate()) {
    if (isAsked(listableIn(row), asked)) positions.add(numberIn(row, "position"));
  }
  return { positions, phrase };
}

function fromLists(database: SqliteDriver, lists: AskedLists): Listed {
  const words = lists.within === undefined ? undefined : wordsWith(database, lists.within);
  if (lists.within !== undefined && words === undefined) return fromLists(database, withoutWords(lists));
  const ids = lists.terms.map((term) => termId(database, term));
  const sets = ids.map((id) => union(database, id === undefined ? [] : [id]));
  if (words !== undefined) sets.push(union(database, words));
  const [positions = new PositionSet(), ...others] = sets;
  for (const other of others) positions.intersect(other);
  return { positions, phrase: lists.phrase };
}

function union(database: SqliteDriver, termIds: readonly number[]): PositionSet {
  const positions = new PositionSet();
  const lists = database.prepare("SELECT block, members FROM snippet_lists WHERE term_id = ?");
  for (const id of termIds) {
    for (const row of lists.all(id)) positions.addMembers(numberIn(row, "block"), bytesIn(row, "members"));
  }
  return positions;
}

/** Undefined if there are too many. */
function wordsWith(database: SqliteDriver, term: string): number[] | undefined {
  const rows = database
    .prepare(
      `SELECT term_id FROM snippet_term_search JOIN snippet_terms ON term_id = snippet_term_search.rowid
       WHERE snippet_term_search MATCH ? AND instr(snippet_terms.term, ?) LIMIT ?`,
    )
    .all(trigramsOf(term), term, MOST_WORDS + 1);
  return rows.length > MOST_WORDS ? undefined : rows.map((row) => numberIn(row, "term_id"));
}

/** Words have no quotation marks. */
function trigramsOf(term: string): string {
  const characters = [...term];
  const trigrams = characters.slice(TRIGRAM - 1).map((_, at) => characters.slice(at, at + TRIGRAM).join(""));
  return trigrams.map((trigram) => `"${trigram}"`).join(" AND ");
}
