/**
 * Snippets: inserts, and questions with 10,000 of them, on SQLite and on a PostgreSQL of its own that waits for its
 * disk. One process, one question at a time. Targets: insert p95 <= 5 ms, query p95 <= 30 ms.
 */
import { join } from "node:path";
import { NOT_INDEXED, SNIPPET_TYPES, type StoredSession } from "../src/store/stored-model.ts";
import { openStore } from "../src/store/open-store.ts";
import { openPostgres } from "../src/store/postgres/postgres-database.ts";
import type { NewSnippet, SnippetQuery, Store } from "../src/store/store.ts";
import { startPostgres } from "../test/support/store/postgres-server.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { Random } from "./made-texts.ts";
import { reportAtMost } from "./figures.ts";
import { percentile, table } from "./statistics.ts";

const SNIPPETS = Number(process.env["BENCH_SNIPPETS"] ?? 10_000);
const BACKENDS = (process.env["BENCH_BACKENDS"] ?? "sqlite,postgres").split(",");
const SESSIONS = 2_000;
const PROJECTS = 40;
const ROUNDS = 25;
const PAGE = 50;
/** Number of concurrent writers while the store is filled; the last inserts are measured one by one. */
const WRITERS = 4;
const MEASURED = 2_000;
const INSERT_TARGET_MS = 5;
const QUERY_TARGET_MS = 30;
const YEAR_MS = 365 * 86_400_000;
const FIRST_DAY = Date.UTC(2025, 0, 1);

const random = new Random(1);
const vocabulary = Array.from({ length: 5_000 }, () => madeWord());

/** `settle`: maintenance that a server soon does by itself. */
async function measure(store: Store, settle?: () => Promise<void>): Promise<void> {
  try {
    for (let n = 0; n < SESSIONS; n++)
      await store.writeSession({ session: session(n), expected: 0, messages: [], blocks: [] });
    const inserts = await fill(store);
    await settle?.();
    const rows = [["what", "matches", "p50 ms", "p95 ms", "most ms"]];
    rows.push(row("insert", SNIPPETS, inserts));
    const all: number[] = [];
    for (const [name, ask] of Object.entries(QUESTIONS)) {
      const { times, matches } = await questions(store, ask);
      all.push(...times);
      rows.push(row(name, matches, times));
    }
    rows.push(row("all questions", 0, all));
    console.log(`${store.backend}: ${SNIPPETS} snippets (Node ${process.versions.node})\n${table(rows)}\n`);
    const on = `${store.backend}, ${SNIPPETS} snippets`;
    reportAtMost("snippets: insert, p95", on, percentile(inserts, 0.95), INSERT_TARGET_MS, " ms");
    reportAtMost("snippets: query, p95", on, percentile(all, 0.95), QUERY_TARGET_MS, " ms");
  } finally {
    await store.close();
  }
}

async function fill(store: Store): Promise<number[]> {
  const writer = async (share: number): Promise<void> => {
    for (let n = share; n < SNIPPETS - MEASURED; n += WRITERS) await store.insertSnippet(snippet(n));
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, share) => writer(share)));
  const times: number[] = [];
  for (let n = SNIPPETS - MEASURED; n < SNIPPETS; n++) {
    const made = snippet(n);
    const start = performance.now();
    await store.insertSnippet(made);
    times.push(performance.now() - start);
  }
  return times;
}

/** Filters by name, for the n-th query. */
const QUESTIONS: Record<string, (n: number) => Partial<SnippetQuery>> = {
  newest: () => ({}),
  "page 1,000": () => ({ offset: SNIPPETS / 2 }),
  session: (n) => ({ session_id: `session-${(n * 37) % SESSIONS}` }),
  type: (n) => ({ snippet_type: SNIPPET_TYPES[n % 3] ?? "error_reasoning" }),
  project: (n) => ({ project: `project-${n % PROJECTS}` }),
  "tag of 1 in 1,000": (n) => ({ tags: [`topic-${n}`] }),
  "tag of 1 in 3": (n) => ({ tags: [`area-${n % 3}`] }),
  "a month": (n) => ({ start: new Date(FIRST_DAY + n * 86_400_000), end: new Date(FIRST_DAY + (n + 30) * 86_400_000) }),
  "keyword of 1 in 10,000": (n) => ({ keyword: `Needle${n}x` }),
  "keyword of 1 in 100": (n) => ({ keyword: `haystack${n}x` }),
  "keyword of 1 in 4": () => ({ keyword: "QUARTERLY" }),
  "keyword of all": () => ({ keyword: "because" }),
  "keyword of none": (n) => ({ keyword: `nothing like it ${n}` }),
  "keyword of 2 letters": () => ({ keyword: "q4" }),
  "keyword within words": (n) => ({ keyword: ["kin", "rato", "dume", "bosi"][n % 4] ?? "kin" }),
  "phrase of 1 in 10,000": (n) => ({ keyword: `because needle${n}x` }),
  "phrase of 1 in 16": () => ({ keyword: "x Quarterly" }),
  "keyword, page 1,000": () => ({ keyword: "because", offset: SNIPPETS / 2 }),
  "keyword and type": (n) => ({ keyword: "because", snippet_type: SNIPPET_TYPES[n % 3] ?? "error_reasoning" }),
  "keyword and session": (n) => ({ keyword: "because", session_id: `session-${(n * 41) % SESSIONS}` }),
  "keyword, type, project": (n) => ({
    keyword: `haystack${n}x`,
    snippet_type: SNIPPET_TYPES[n % 3] ?? "error_reasoning",
    project: `project-${n % PROJECTS}`,
  }),
  "tag, type, a month": (n) => ({
    tags: [`area-${n % 3}`],
    snippet_type: SNIPPET_TYPES[n % 3] ?? "error_reasoning",
    start: new Date(FIRST_DAY + n * 86_400_000),
    end: new Date(FIRST_DAY + (n + 30) * 86_400_000),
  }),
};

async function questions(
  store: Store,
  ask: (n: number) => Partial<SnippetQuery>,
): Promise<{ times: number[]; matches: number }> {
  const times: number[] = [];
  let matches = 0;
  for (let n = 0; n < ROUNDS; n++) {
    const query = { limit: PAGE, offset: 0, ...ask(n) };
    const start = performance.now();
    const { total_count: count } = await store.querySnippets(query);
    times.push(performance.now() - start);
    matches = count;
  }
  return { times, matches };
}

function row(name: string, matches: number, times: readonly number[]): string[] {
  const p95 = percentile(times, 0.95);
  return [name, `${matches}`, percentile(times, 0.5).toFixed(2), p95.toFixed(2), Math.max(...times).toFixed(1)];
}

function session(n: number): StoredSession {
  return {
    state: { ...NOT_INDEXED, revision: 1 },
    figures: null,
    session_id: `session-${n}`,
    place: "claude-code",
    host: "bench",
    path: `/bench/${n}.jsonl`,
    project: `/work/project-${n % PROJECTS}`,
    parent_id: null,
    agent_id: null,
    title: null,
    started_at: null,
    label_title: null,
    given_title: null,
    title_is_message: false,
    title_line: 0,
    title_offset: 0,
    cwd: null,
    git_branch: null,
    agent_version: null,
    agent: "claude-code",
    machine_id: null,
    first_prompt: null,
    active_ms: 0,
    ended_at: null,
    modified_at: null,
    counts: { damaged: 0, unknown_lines: 0, redactions: {} },
  };
}

/** Returns a snippet of about 2 KB, as the seed expects; a quarter of them contain `quarterly`, all contain `because`. */
function snippet(n: number): NewSnippet {
  const marks = [
    `because`,
    `needle${n % 10_000}x`,
    `haystack${n % 100}x`,
    n % 4 === 0 ? "Quarterly" : "",
    n % 50 === 0 ? "q4" : "",
  ];
  const content = `${prose(random.size(2_000, 3, 9_000))}\n${marks.join(" ")}`;
  return {
    session_id: `session-${random.below(SESSIONS)}`,
    event_id: null,
    snippet_type: SNIPPET_TYPES[random.below(3)] ?? "error_reasoning",
    title: `Snippet ${n}: ${prose(40)}`,
    content: content.padEnd(100, "."),
    source_file: `/bench/${n}.jsonl`,
    source_line_start: n + 1,
    source_line_end: n + 20,
    tags: [`topic-${n % 1_000}`, `area-${n % 3}`],
    metadata: { word_count: 300 },
    created_at: new Date(FIRST_DAY + Math.floor((n / SNIPPETS) * YEAR_MS)).toISOString(),
  };
}

/** Returns words with a realistic distribution: a few are everywhere, most are rare. */
function prose(length: number): string {
  let text = "";
  while (text.length < length) text += `${vocabulary[Math.floor(random.next() ** 3 * vocabulary.length)]} `;
  return text.slice(0, length);
}

function madeWord(): string {
  const syllable = (): string => random.characters(1, "bcdfghklmnprstvwz") + random.characters(1, "aeiou");
  return Array.from({ length: 1 + random.below(4) }, syllable).join("") + (random.chance(0.4) ? "n" : "");
}

if (BACKENDS.includes("sqlite")) {
  await inTemporaryFolder(async (folder) => {
    const store = await openStore({ env: { TRANSCRIPTS_DATABASE: join(folder, "store.db") }, home: folder });
    await measure(store);
  });
}
if (BACKENDS.includes("postgres")) {
  const server = await startPostgres({ durable: true });
  try {
    const url = await server.newDatabase();
    // Autovacuum runs within minutes.
    await measure(await openStore({ env: { TRANSCRIPTS_DATABASE_URL: url }, home: "/", team: true }), () =>
      vacuum(url),
    );
  } finally {
    await server.stop();
  }
}

async function vacuum(url: string): Promise<void> {
  const pool = await openPostgres(url, { readOnly: false });
  await pool.exec("VACUUM ANALYZE");
  await pool.close();
}
