/**
 * Lists of the snippets that have a term, as tables of PostgreSQL. A snippet that is in no list waits in
 * `snippet_pending`; one that is still in lists, though it is not there or has another text by now, stands in
 * `snippet_gone`. One program at a time writes lists.
 */
import { blockOf, membersWith, membersWithout } from "../position-set.ts";
import { bytesIn, numberIn, textIn, type Row } from "../row.ts";
import { isWord, LISTED_AT_ONCE } from "../snippet-terms.ts";
import { byBlock, LIST_BATCH, LISTABLE_COLUMNS, positionsByTerm } from "../term-lists.ts";
import type { PostgresPool, PostgresSession } from "./pool.ts";

/** The number is ours alone: `LISTTRNS`. */
const LOCK = "5497853135747405395";
const NOTHING = new Uint8Array();

/** Lists what waits, if there is enough of it and nobody else does. */
export async function listSoon(pool: PostgresPool, position: number): Promise<void> {
  if (position % LISTED_AT_ONCE !== 0) return;
  await pool.transaction(async (session) => {
    const [row] = await session.rows(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS is_ours`);
    if (row?.["is_ours"] === true) await listAll(session);
  });
}

/** Within a transaction, as all below. */
export async function listAll(session: PostgresSession): Promise<void> {
  while ((await listSome(session)) === LIST_BATCH);
}

/**
 * Returns how many snippets were listed. They cannot be deleted meanwhile: whoever does finds them in the lists. Those
 * that somebody deletes already are left out.
 */
async function listSome(session: PostgresSession): Promise<number> {
  const rows = await session.rows(
    `SELECT ${LISTABLE_COLUMNS} FROM snippet_pending JOIN conversation_snippets USING (position)
     WHERE NOT EXISTS (SELECT 1 FROM snippet_gone WHERE snippet_gone.position = snippet_pending.position)
     ORDER BY position LIMIT ${LIST_BATCH} FOR SHARE OF conversation_snippets SKIP LOCKED`,
  );
  if (rows.length === 0) return 0;
  const found = positionsByTerm(rows);
  await addTerms(session, [...found.keys()]);
  await change(session, found, membersWith);
  await session.rows("DELETE FROM snippet_pending WHERE position = ANY ($1::bigint[])", [positionsOf(rows)]);
  return rows.length;
}

/**
 * Takes snippets out of the lists that are about to be deleted, and words with them that no other snippet has: what a
 * user has us forget must not stand there. `which`: a condition on the table of snippets, with `$1`.
 */
export async function unlist(session: PostgresSession, which: string, value: string): Promise<void> {
  const page = (): Promise<Row[]> =>
    session.rows(
      `SELECT ${LISTABLE_COLUMNS} FROM conversation_snippets
       WHERE ${which} AND position NOT IN (SELECT position FROM snippet_pending) LIMIT ${LIST_BATCH}`,
      [value],
    );
  // Not to wait for somebody who lists, where there is nothing to take out.
  const some = await session.rows(`SELECT 1 FROM conversation_snippets WHERE ${which} LIMIT 1`, [value]);
  if (some.length === 0) return;
  await session.exec(`SELECT pg_advisory_xact_lock(${LOCK})`);
  for (let rows = await page(); rows.length > 0; rows = await page()) {
    const found = positionsByTerm(rows);
    await change(session, found, membersWithout);
    await session.rows(
      `DELETE FROM snippet_terms WHERE term = ANY ($1::text[])
       AND NOT EXISTS (SELECT 1 FROM snippet_lists WHERE snippet_lists.term_id = snippet_terms.term_id)`,
      [[...found.keys()]],
    );
    await session.rows("INSERT INTO snippet_pending SELECT unnest($1::bigint[])", [positionsOf(rows)]);
  }
}

async function addTerms(session: PostgresSession, terms: readonly string[]): Promise<void> {
  await session.rows(
    `INSERT INTO snippet_terms (term, is_word) SELECT term, is_word FROM unnest($1::text[], $2::boolean[]) AS new (term, is_word)
     WHERE NOT EXISTS (SELECT 1 FROM snippet_terms AS known WHERE known.term = new.term)`,
    [terms, terms.map(isWord)],
  );
}

type Merge = (members: Uint8Array, positions: readonly number[]) => Uint8Array;

/** Makes the lists of terms what `merge` makes of them. */
async function change(
  session: PostgresSession,
  positions: ReadonlyMap<string, readonly number[]>,
  merge: Merge,
): Promise<void> {
  const blocks = [...new Set([...positions.values()].flatMap((of) => of.map(blockOf)))];
  const lists = await session.rows(
    `SELECT term, snippet_terms.term_id, block, members FROM snippet_terms
     LEFT JOIN snippet_lists ON snippet_lists.term_id = snippet_terms.term_id AND block = ANY ($2::integer[])
     WHERE term = ANY ($1::text[])`,
    [[...positions.keys()], blocks],
  );
  const ids = new Map(lists.map((row) => [textIn(row, "term"), numberIn(row, "term_id")]));
  const known = new Map(lists.flatMap((row) => (row["block"] === null ? [] : [[keyOf(row), bytesIn(row, "members")]])));
  const made = [...positions].flatMap(([term, of]) => {
    const id = ids.get(term);
    return id === undefined ? [] : [...byBlock(of)].map(([block, some]) => ({ id, block, some }));
  });
  await put(
    session,
    made.map(({ id, block, some }) => ({ id, block, members: merge(known.get(`${id} ${block}`) ?? NOTHING, some) })),
  );
}

async function put(
  session: PostgresSession,
  lists: readonly { id: number; block: number; members: Uint8Array }[],
): Promise<void> {
  const columns = (some: typeof lists): unknown[] => [some.map(({ id }) => id), some.map(({ block }) => block)];
  const [empty, full] = [
    lists.filter(({ members }) => members.length === 0),
    lists.filter(({ members }) => members.length > 0),
  ];
  if (empty.length > 0) {
    await session.rows(
      `DELETE FROM snippet_lists USING unnest($1::bigint[], $2::integer[]) AS old (term_id, block)
       WHERE snippet_lists.term_id = old.term_id AND snippet_lists.block = old.block`,
      columns(empty),
    );
  }
  await session.rows(
    `INSERT INTO snippet_lists (term_id, block, members) SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bytea[])
     ON CONFLICT (term_id, block) DO UPDATE SET members = excluded.members`,
    [...columns(full), full.map(({ members }) => Buffer.from(members))],
  );
}

function keyOf(row: Row): string {
  return `${numberIn(row, "term_id")} ${numberIn(row, "block")}`;
}

function positionsOf(rows: readonly Row[]): number[] {
  return rows.map((row) => numberIn(row, "position"));
}
