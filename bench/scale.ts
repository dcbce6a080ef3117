/**
 * What many people's sessions mean for a PostgreSQL: bytes and rows of a session, and the same events a year long in
 * one table and in a table divided by months. The figures of docs/scale.md come from here.
 *
 *     node bench/scale.ts [--projects FOLDER] [--months 12]
 *
 * Without a folder (a `projects` folder of Claude Code) it makes 100 MB of sessions. The server waits for the disk as a
 * real one does.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { push } from "../src/indexing/push-sessions.ts";
import { updateIndex } from "../src/indexing/update-index.ts";
import { openStore } from "../src/store/open-store.ts";
import { startPostgres } from "../test/support/store/postgres-server.ts";
import { generateSessions } from "./generate-sessions.ts";
import { median, table } from "./statistics.ts";

const MADE_BYTES = 100_000_000;
const QUERIES = 9;
/** The store's own expression: see `src/store/postgres/postgres-database.ts`. */
const FOLDED = `(coalesce(folded, lower(content COLLATE "C")))`;
const COLUMNS =
  "event_id, session_id, ordinal, line_number, byte_offset, message_type, role, block_type, tool_name, tool_use_id, status, is_sidechain, is_own, content, folded";

const { values } = parseArgs({ options: { projects: { type: "string" }, months: { type: "string", default: "12" } } });
const months = Number(values.months);
const folder = mkdtempSync(join(tmpdir(), "bench-scale-"));
const server = await startPostgres({ durable: true });
const client = new pg.Client({ connectionString: server.url });
try {
  if (values.projects === undefined) generateSessions(folder, { seed: 1, bytes: MADE_BYTES });
  await client.connect();
  await fill(values.projects ?? folder);
  await tellSizes();
  await compare();
} finally {
  await client.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function fill(projects: string): Promise<void> {
  const env = { TRANSCRIPTS_DATABASE_URL: server.url, XDG_DATA_HOME: folder };
  const store = await openStore({ env, home: folder });
  const team = await openStore({ env, home: folder, team: true });
  const where = { env: {}, home: folder, cwd: folder, roots: [{ agent: "claude-code", path: projects }] };
  await updateIndex(store, where);
  const start = performance.now();
  try {
    await push(store, team);
  } finally {
    await store.close();
    await team.close();
  }
  console.log(`pushed in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

async function tellSizes(): Promise<void> {
  const [sessions = {}] = await rows("SELECT count(*) AS sessions, sum(source_bytes) AS raw FROM sessions");
  const [events = {}] = await rows(
    `SELECT count(*) AS events, sum(octet_length(content)) AS content,
       count(*) FILTER (WHERE octet_length(content) > 4096) AS long,
       sum(octet_length(content)) FILTER (WHERE octet_length(content) > 4096) AS in_long,
       pg_total_relation_size('events') AS whole, pg_relation_size('idx_events_search') AS search,
       pg_indexes_size('events') AS indexes
     FROM events`,
  );
  const count = Number(sessions["sessions"]);
  const each = (value: unknown): string => Math.round(Number(value) / count).toLocaleString("en");
  const share = (part: unknown, of: unknown): string => `${((Number(part) / Number(of)) * 100).toFixed(0)} %`;
  console.log(
    table([
      ["a session", "mean"],
      ["raw file, bytes", each(sessions["raw"])],
      ["events", each(events["events"])],
      ["content, bytes", each(events["content"])],
      ["table with indexes, bytes", each(events["whole"])],
      ["  of which search index", each(events["search"])],
      ["  of which all indexes", each(events["indexes"])],
      ["events over 4 KB", share(events["long"], events["events"])],
      ["  their share of the content", share(events["in_long"], events["content"])],
    ]),
  );
}

/** Compares the events of each month in one table and in a table partitioned by month. */
async function compare(): Promise<void> {
  await sql(`CREATE TABLE whole (LIKE events INCLUDING DEFAULTS)`);
  await sql(`CREATE TABLE parted (LIKE events INCLUDING DEFAULTS) PARTITION BY RANGE (occurred_at)`);
  for (let month = 0; month < months; month++) {
    await sql(
      `CREATE TABLE parted_${month} PARTITION OF parted FOR VALUES FROM ('${monthStart(month)}') TO ('${monthStart(month + 1)}')`,
    );
  }
  const result = [["", "one table", "months"]];
  for (const name of ["whole", "parted"]) {
    await sql(`CREATE INDEX ON ${name} USING gin (${FOLDED} gin_trgm_ops) WHERE NOT is_own`);
    await sql(`CREATE INDEX ON ${name} (session_id, ordinal)`);
    await sql(`CREATE INDEX ON ${name} (position)`);
  }
  const written: string[][] = [[], []];
  for (let month = 0; month < months; month++) {
    for (const [at, name] of ["whole", "parted"].entries()) {
      const { rows: count, seconds } = await timed(
        `INSERT INTO ${name} (position, occurred_at, ${COLUMNS})
         SELECT position + ${month} * 10000000, '${monthStart(month)}'::timestamptz + (position % 2400000) * interval '1 s', ${COLUMNS} FROM events`,
      );
      written[at]?.push((count / seconds).toFixed(0));
    }
  }
  result.push(["events/s written, first month", written[0]?.[0] ?? "", written[1]?.[0] ?? ""]);
  result.push(["events/s written, last month", written[0]?.at(-1) ?? "", written[1]?.at(-1) ?? ""]);
  for (const name of ["whole", "parted"]) await sql(`VACUUM ANALYZE ${name}`);
  result.push(["bytes", await sizeOf("whole"), await sizeOf("parted")]);
  const last = `occurred_at >= '${monthStart(months - 1)}'`;
  for (const term of ["zzqxv", "enoent", "error"]) {
    for (const [where, label] of [
      [last, "last month"],
      ["true", "all"],
    ] as const) {
      result.push([
        `"${term}", ${label}, ms`,
        await latency("whole", term, where),
        await latency("parted", term, where),
      ]);
    }
  }
  const removed = await timed(`DELETE FROM whole WHERE occurred_at < '${monthStart(1)}'`);
  const dropped = await timed("ALTER TABLE parted DETACH PARTITION parted_0");
  result.push(["oldest month away, s", removed.seconds.toFixed(2), dropped.seconds.toFixed(2)]);
  console.log(table(result));
}

async function latency(name: string, term: string, where: string): Promise<string> {
  const times: number[] = [];
  for (let run = 0; run < QUERIES; run++) {
    const { seconds } = await timed(
      `SELECT position FROM ${name} WHERE NOT is_own AND ${where} AND ${FOLDED} LIKE '%${term}%' ORDER BY position DESC LIMIT 600`,
    );
    times.push(seconds * 1000);
  }
  return median(times).toFixed(1);
}

async function sizeOf(name: string): Promise<string> {
  const [row = {}] = await rows(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND (relname = '${name}' OR relname LIKE '${name}\\_%')`,
  );
  return Number(row["bytes"]).toLocaleString("en");
}

function monthStart(month: number): string {
  return new Date(Date.UTC(2025, month, 1)).toISOString();
}

async function timed(text: string): Promise<{ rows: number; seconds: number }> {
  const start = performance.now();
  const { rowCount } = await client.query(text);
  return { rows: rowCount ?? 0, seconds: (performance.now() - start) / 1000 };
}

async function sql(text: string): Promise<void> {
  await client.query(text);
}

async function rows(text: string): Promise<Record<string, unknown>[]> {
  const result: pg.QueryResult<Record<string, unknown>> = await client.query(text);
  return result.rows;
}
