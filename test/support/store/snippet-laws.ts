/** Laws of arbitrary snippets and queries, on every backend. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { SNIPPET_TYPES, type StoredSnippet } from "../../../src/store/stored-model.ts";
import { openStore, type StoreWhere } from "../../../src/store/open-store.ts";
import type { NewSnippet, SnippetQuery, Store } from "../../../src/store/store.ts";
import { test } from "../runner.ts";
import type { TestBackend } from "./backends.ts";
import { madeSession, madeSnippet } from "./made-rows.ts";
import { matching } from "./snippet-model.ts";

/** Sets of snippets, and questions to each. */
const SETS = 12;
const QUESTIONS = 40;

const PROJECTS = ["/work/app", "/work/App", "C:\\code\\app", "/%", "/it's", "é/É", null] as const;
const SESSIONS = PROJECTS.map((project, at) => madeSession(["a", "A", "a%", "a'b", "é", "🎈", "\\"][at], { project }));
const PROJECT_OF = new Map(SESSIONS.map(({ session_id: id, project }) => [id, project]));

/** Characters that databases, patterns and folding treat in ways of their own. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(..."aAbBkKsS \u212a\u017fßẞσςΣİıéÉǆǅﬀ漢🎈\"'\\%_*?$:.-+()[]{}^|&;,/\n\t") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("ab", "ss", "''", '""', "\\\\", "%%", "NOT ", "OR ", "NULL", "e\u0301", "--", "$1"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\0", "\ud800", "\udc00", "\ufffd", "\uffff", "\ufdd0", "\u001e", "\u{10ffff}"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 3 }) },
);
const text = (max: number): fc.Arbitrary<string> => fc.array(piece, { maxLength: max }).map((parts) => parts.join(""));
const tag = fc.oneof(fc.constantFrom("a", "A", "%", "_", '"', "\\", "ab", "", "[]", "a\0"), text(3));
/** Few of them, so that many are equal. */
const time = fc.integer({ min: 0, max: 6 }).map((hours) => new Date(Date.UTC(2026, 0, 1, hours)));

const snippet: fc.Arbitrary<NewSnippet> = fc
  .record({
    session_id: fc.constantFrom(...SESSIONS.map(({ session_id: id }) => id)),
    snippet_type: fc.constantFrom(...SNIPPET_TYPES),
    title: text(8),
    content: text(30).map((start) => start.padEnd(110, ".")),
    // A snippet may have one twice.
    tags: fc
      .tuple(fc.array(tag, { maxLength: 3 }), fc.boolean())
      .map(([tags, twice]) => (twice ? [...tags, ...tags] : tags)),
    created_at: time.map((date) => date.toISOString()),
  })
  .map((fields) => madeSnippet(fields));

/** Pieces of what is there are found more often than anything else. */
const questionAbout = (snippets: readonly NewSnippet[]): fc.Arbitrary<SnippetQuery> => {
  const inTexts = fc
    .record({
      at: fc.nat(),
      start: fc.nat(),
      length: fc.integer({ min: 1, max: 12 }),
      changed: fc.constantFrom("no", "upper", "%", "_", "*", "\\"),
    })
    .map(({ at, start, length, changed }) => {
      const { title, content } = snippets[at % snippets.length] ?? madeSnippet();
      const words = at % 2 === 0 ? content : title;
      const part = words.slice(start % (words.length + 1)).slice(0, length);
      if (changed === "no") return part;
      // A wildcard in place of a letter must not find what the letter would.
      return changed === "upper" ? part.toUpperCase() : changed + part.slice(1);
    });
  const projects = PROJECTS.flatMap((project) => (project === null ? [] : [project]));
  return fc.record(
    {
      session_id: fc.constantFrom(...SESSIONS.map(({ session_id: id }) => id), "%"),
      snippet_type: fc.constantFrom(...SNIPPET_TYPES),
      project: fc.constantFrom(...projects, "app", "APP", "%", "it's", "É", "work", ""),
      tags: fc.array(fc.oneof(tag, fc.constantFrom(...snippets.flatMap(({ tags }) => tags), "a")), { maxLength: 2 }),
      keyword: fc.oneof({ weight: 3, arbitrary: inTexts }, { weight: 1, arbitrary: text(3) }),
      start: time,
      end: time,
      limit: fc.integer({ min: 0, max: 12 }),
      offset: fc.integer({ min: 0, max: 12 }),
    },
    { requiredKeys: ["limit", "offset"] },
  );
};

const sets = fc.array(snippet, { minLength: 1, maxLength: 25 }).chain((snippets) =>
  fc.record({
    snippets: fc.constant(snippets),
    questions: fc.array(questionAbout(snippets), { minLength: QUESTIONS, maxLength: QUESTIONS }),
  }),
);

/** Registers the test. */
export function snippetLaws(backend: TestBackend): void {
  const name = `${backend.name}: every filter, alone and with others, gives what a look at all snippets gives`;
  test(name, () => checkLaws(backend), 120_000);
}

async function checkLaws(backend: TestBackend): Promise<void> {
  const where = await backend.newPlace();
  const store = await openStore(where);
  try {
    for (const session of SESSIONS) await store.writeSession({ session, expected: 0, messages: [], blocks: [] });
    const write = (snippets: readonly NewSnippet[]): Promise<StoredSnippet[]> =>
      written(store, backend, where, snippets);
    await fc.assert(
      fc.asyncProperty(sets, (made) => compare(store, made, write)),
      { numRuns: SETS },
    );
  } finally {
    await store.close();
  }
}

async function insertAll(store: Store, snippets: readonly NewSnippet[]): Promise<StoredSnippet[]> {
  const stored: StoredSnippet[] = [];
  for (const each of snippets) stored.push(await store.insertSnippet(each));
  return stored;
}

/** The snippets that are there after some were changed or deleted, by the store and past it. */
async function written(
  store: Store,
  backend: TestBackend,
  where: StoreWhere,
  snippets: readonly NewSnippet[],
): Promise<StoredSnippet[]> {
  const stored = await insertAll(store, snippets);
  await store.deleteSnippetsBefore(new Date(Date.UTC(2026, 0, 1, snippets.length % 3)));
  for (const [at, { snippet_id: id }] of stored.entries()) {
    const one = `conversation_snippets WHERE snippet_id = '${id}'`;
    if (at % 5 === 1) await backend.sql(where, `DELETE FROM ${one}`);
    const tags = `'["a", "%", 1]'`;
    const changed = `tags = ${tags}, snippet_type = 'learning_pattern'`;
    if (at % 5 === 2) await backend.sql(where, `UPDATE ${one.replace(" WHERE", ` SET ${changed} WHERE`)}`);
  }
  const left = await Promise.all(stored.map(({ snippet_id: id }) => store.snippet(id)));
  return left.filter((snippet) => snippet !== undefined);
}

async function compare(
  store: Store,
  { snippets, questions }: { snippets: readonly NewSnippet[]; questions: readonly SnippetQuery[] },
  write: (snippets: readonly NewSnippet[]) => Promise<StoredSnippet[]>,
): Promise<void> {
  await store.deleteSnippetsBefore(new Date("9999-01-01"));
  const stored = await write(snippets);
  for (const question of [...questions, ...questions.flatMap(alone)]) {
    const all = matching(stored, question, PROJECT_OF);
    const { snippets: page, total_count: count } = await store.querySnippets(question);
    assert.equal(count, all.length);
    assert.deepEqual(page, all.slice(question.offset, question.offset + question.limit));
  }
}

/** Each filter of a question by itself. */
function alone({ limit, offset, ...filters }: SnippetQuery): SnippetQuery[] {
  return Object.entries(filters).map(([name, value]) => ({ limit, offset, [name]: value }));
}
