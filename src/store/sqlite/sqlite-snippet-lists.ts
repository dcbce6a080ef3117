/**
 * Lists of the snippets that have a term, as tables of SQLite. A snippet that is in no list waits in `snippet_pending`;
 * one that is still in lists, though it is not there or has another text by now, stands in `snippet_gone`.
 */
import { membersWith, membersWithout } from "../position-set.ts";
import { bytesIn, numberIn, type Row } from "../row.ts";
import { isWord, LISTED_AT_ONCE } from "../snippet-terms.ts";
import { byBlock, LIST_BATCH, LISTABLE_COLUMNS, positionsByTerm } from "../term-lists.ts";
import type { SqliteDriver, SqlValue } from "./driver.ts";

const NOTHING = new Uint8Array();

/** Lists what waits, if there is enough of it. Within the caller's transaction, as all here. */
export function listSoon(database: SqliteDriver, position: number): void {
  if (position % LISTED_AT_ONCE === 0) listAll(database);
}

export function listAll(database: SqliteDriver): void {
  while (listSome(database) === LIST_BATCH);
}

/** Returns how many snippets were listed. */
function listSome(database: SqliteDriver): number {
  const rows = database
    .prepare(
      `SELECT ${LISTABLE_COLUMNS} FROM snippet_pending JOIN conversation_snippets USING (position)
       WHERE position NOT IN (SELECT position FROM snippet_gone) ORDER BY position LIMIT ${LIST_BATCH}`,
    )
    .all();
  const words: { id: number; term: string }[] = [];
  for (const [term, positions] of positionsByTerm(rows)) {
    const known = termId(database, term);
    const id = known ?? addTerm(database, term);
    if (known === undefined && isWord(term)) words.push({ id, term });
    for (const [block, added] of byBlock(positions)) {
      putMembers(database, id, block, membersWith(membersOf(database, id, block), added));
    }
  }
  // At the end, as FTS5 writes what it has gathered whenever a statement with `RETURNING` comes between.
  const search = database.prepare("INSERT INTO snippet_term_search (rowid, term) VALUES (?, ?)");
  for (const { id, term } of words) search.run(id, term);
  const done = database.prepare("DELETE FROM snippet_pending WHERE position = ?");
  for (const row of rows) done.run(numberIn(row, "position"));
  return rows.length;
}

/**
 * Takes snippets out of the lists that are about to be deleted, and words with them that no other snippet has: what a
 * user has us forget must not stand there. `which`: a condition on the table of snippets.
 */
export function unlist(database: SqliteDriver, which: string, ...values: SqlValue[]): void {
  const page = database.prepare(
    `SELECT ${LISTABLE_COLUMNS} FROM conversation_snippets
     WHERE ${which} AND position NOT IN (SELECT position FROM snippet_pending) LIMIT ${LIST_BATCH}`,
  );
  const pending = database.prepare("INSERT INTO snippet_pending (position) VALUES (?)");
  for (let rows: Row[] = page.all(...values); rows.length > 0; rows = page.all(...values)) {
    for (const [term, positions] of positionsByTerm(rows)) takeOut(database, term, positions);
    for (const row of rows) pending.run(numberIn(row, "position"));
  }
}

function takeOut(database: SqliteDriver, term: string, positions: readonly number[]): void {
  const id = termId(database, term);
  if (id === undefined) return;
  for (const [block, removed] of byBlock(positions)) {
    putMembers(database, id, block, membersWithout(membersOf(database, id, block), removed));
  }
  if (database.prepare("SELECT 1 FROM snippet_lists WHERE term_id = ? LIMIT 1").get(id) !== undefined) return;
  database.prepare("DELETE FROM snippet_terms WHERE term_id = ?").run(id);
  if (isWord(term)) database.prepare("DELETE FROM snippet_term_search WHERE rowid = ?").run(id);
}

export function termId(database: SqliteDriver, term: string): number | undefined {
  const row = database.prepare("SELECT term_id FROM snippet_terms WHERE term = ?").get(term);
  return row === undefined ? undefined : numberIn(row, "term_id");
}

function addTerm(database: SqliteDriver, term: string): number {
  const [row = {}] = database.prepare("INSERT INTO snippet_terms (term) VALUES (?) RETURNING term_id").all(term);
  return numberIn(row, "term_id");
}

function membersOf(database: SqliteDriver, termId: number, block: number): Uint8Array {
  const row = database.prepare("SELECT members FROM snippet_lists WHERE term_id = ? AND block = ?").get(termId, block);
  return row === undefined ? NOTHING : bytesIn(row, "members");
}

function putMembers(database: SqliteDriver, termId: number, block: number, members: Uint8Array): void {
  if (members.length === 0) {
    database.prepare("DELETE FROM snippet_lists WHERE term_id = ? AND block = ?").run(termId, block);
    return;
  }
  const put = "INSERT OR REPLACE INTO snippet_lists (term_id, block, members) VALUES (?, ?, ?)";
  database.prepare(put).run(termId, block, members);
}
