/**
 * Indexing: speed against a bare loop of `JSON.parse` over the same lines and against `cat`, size of the index against
 * the raw files, memory with many files and with one large one, the same of opencode's database, a run over 5,000 files
 * of which none changed, and one entry more in a large transcript of our own.
 *
 *     node bench/index.ts        BENCH_BYTES=300000000 BENCH_LARGE_BYTES=144000000 BENCH_FILES=5000
 *                                BENCH_TRANSCRIPT_BYTES=20000000 BENCH_EXPORTS=FOLDER with exports of opencode
 *
 * Each figure comes from processes of their own, in the runtime that runs this file.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { staleSessions } from "../src/indexing/stale-sessions.ts";
import { updateIndex } from "../src/indexing/update-index.ts";
import { parsedJson } from "../src/parse/json-fields.ts";
import { findSessions } from "../src/sessions/find-sessions.ts";
import { openStore } from "../src/store/open-store.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { reportAtLeast, reportAtMost } from "./figures.ts";
import { copyOpencodeStore, makeOpencodeStore } from "./made-opencode-store.ts";
import { encodedEntry, TRANSCRIPT_NAMES, writeTranscript, type TranscriptFormat } from "./made-transcript.ts";
import { SESSION_SETS } from "./session-sets.ts";
import { median, table } from "./statistics.ts";

const BYTES = Number(process.env["BENCH_BYTES"] ?? 300_000_000);
const LARGE_BYTES = Number(process.env["BENCH_LARGE_BYTES"] ?? 144_000_000);
const TRANSCRIPT_BYTES = Number(process.env["BENCH_TRANSCRIPT_BYTES"] ?? 20_000_000);
const FILES = Number(process.env["BENCH_FILES"] ?? 5_000);
/** Folder with exports of opencode's sessions at any depth. */
const EXPORTS = process.env["BENCH_EXPORTS"];
const STORED_SESSION_BYTES = 5_000_000;
const ROUNDS = 5;
const DATABASE = ".local/share/opencode-transcripts/transcripts.db";

interface Outcome {
  ms: number;
  /** Processor time of all threads. */
  processorMs: number;
  /** Peak resident memory in bytes. */
  peak: number;
  detail: string;
}

/** Work of a child process on the sessions of a home; it prints its outcome. */
const WORK: Record<string, (home: string) => Promise<string> | string> = {
  index: async (home) => {
    const store = await openStore({ env: {}, home });
    const { events, bytes } = await updateIndex(store, { env: {}, home, cwd: home });
    await store.close();
    if (events === 0) throw new Error(`No session was found in ${home}.`);
    return `${events} events from ${(bytes / 1e6).toFixed(0)} MB`;
  },
  stale: async (home) => {
    const store = await openStore({ env: {}, home });
    const { stale, sessions } = await staleSessions(store, { env: {}, home, cwd: home });
    await store.close();
    return `${stale.length} of ${sessions.length} changed`;
  },
  list: async (home) => `${(await findSessions({ env: {}, home, cwd: home })).sessions.length} sessions`,
  parse: (home) => {
    let lines = 0;
    for (const path of filesBelow(home)) {
      for (const line of readFileSync(path, "utf8").split("\n")) {
        if (line === "") continue;
        // Real files have damaged lines.
        parsedJson(line);
        lines += 1;
      }
    }
    return `${lines} lines`;
  },
};

const [mode, home = ""] = process.argv.slice(2);
const work = WORK[mode ?? ""];
if (work === undefined) await report();
else {
  const start = performance.now();
  const detail = await work(home);
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage();
  console.log(
    JSON.stringify({
      ms,
      processorMs: (user + system) / 1e3,
      peak: process.resourceUsage().maxRSS * 1024,
      detail,
    } satisfies Outcome),
  );
}

async function report(): Promise<void> {
  const runtime =
    process.versions["bun"] === undefined ? `Node ${process.versions.node}` : `Bun ${process.versions["bun"]}`;
  console.log(`Indexing with ${runtime}\n`);
  for (const { name, fill, fillOne } of SESSION_SETS) {
    await inTemporaryFolder(async (folder) => {
      const { files } = fill(join(folder, ".claude"), BYTES);
      print(`${name}, ${files.length} files`, folder);
    });
    await inTemporaryFolder(async (folder) => {
      fillOne(join(folder, ".claude/projects/p/large.jsonl"), LARGE_BYTES);
      print(`${name}, one file`, folder);
    });
  }
  const many = Math.ceil(BYTES / STORED_SESSION_BYTES);
  await inTemporaryFolder((folder) =>
    printStored(folder, "1 session", (path) => makeOpencodeStore(path, 1, LARGE_BYTES)),
  );
  await inTemporaryFolder((folder) =>
    printStored(folder, `${many} sessions`, (path) => makeOpencodeStore(path, many, STORED_SESSION_BYTES)),
  );
  if (EXPORTS !== undefined)
    await inTemporaryFolder((folder) =>
      printStored(folder, "real sessions", (path) => copyOpencodeStore(path, EXPORTS, BYTES)),
    );
  await inTemporaryFolder(unchanged);
  for (const format of ["markdown", "jsonl"] as const) await inTemporaryFolder((folder) => grown(folder, format));
}

function print(what: string, folder: string): void {
  const raw = bytesOf(filesBelow(folder));
  const parse = child("parse", folder);
  const cat = spawned("sh", ["-c", `find "$1" -name '*.jsonl' -exec cat {} + > /dev/null`, "sh", folder]);
  const index = child("index", folder);
  const speed = (ms: number): string => (raw / 1e3 / ms).toFixed(0);
  const rows = [
    { name: "cat > /dev/null", ms: cat },
    { name: "JSON.parse of each line", ms: parse.ms },
    { name: "index, from nothing", ms: index.ms },
    { name: "the same, processor time", ms: index.processorMs },
  ].map(({ name, ms }) => [name, ms.toFixed(0), speed(ms), (ms / parse.ms).toFixed(2), (ms / cat).toFixed(1)]);
  console.log(`${what}, ${(raw / 1e6).toFixed(0)} MB: ${index.detail}`);
  console.log(table([["", "ms", "MB/s", "/ JSON.parse", "/ cat"], ...rows]));
  console.log(`peak memory ${(index.peak / 1e6).toFixed(0)} MB, / raw: ${(index.peak / raw).toFixed(2)}`);
  const on = `${what}, ${(raw / 1e6).toFixed(0)} MB`;
  reportAtLeast("indexing, with redaction", on, raw / 1e3 / index.ms, 25, " MB/s");
  reportAtMost("store / raw bytes", on, indexBytes(folder) / raw, 0.6);
}

/** Measures sessions of opencode's database, whose raw bytes are the JSON of its rows. `make` returns how many they are. */
async function printStored(folder: string, sessions: string, make: (path: string) => number): Promise<void> {
  const raw = make(join(folder, ".local/share/opencode/opencode.db"));
  const { ms, processorMs, peak, detail } = child("index", folder);
  const on = `opencode's database, ${sessions}, ${(raw / 1e6).toFixed(0)} MB`;
  const seconds = `${(ms / 1e3).toFixed(1)} s, ${(processorMs / 1e3).toFixed(1)} s of processor time`;
  console.log(`${on}: ${detail}, ${seconds}, peak memory ${(peak / 1e6).toFixed(0)} MB`);
  reportAtLeast("indexing, with redaction", on, raw / 1e3 / ms, 25, " MB/s");
  reportAtMost("store / raw bytes", on, indexBytes(folder) / raw, 0.6);
}

function indexBytes(folder: string): number {
  return bytesOf(["", "-wal"].map((suffix) => join(folder, DATABASE + suffix)));
}

async function unchanged(folder: string): Promise<void> {
  for (let at = 0; at < FILES; at += 1) {
    const project = join(folder, ".claude/projects", `p${at % 50}`);
    if (at < 50) mkdirSync(project, { recursive: true });
    const message = { role: "user", content: `question ${at}` };
    const line = {
      type: "user",
      uuid: `u-${at}`,
      sessionId: "s",
      cwd: "/w",
      timestamp: "2026-01-05T10:30:00.000Z",
      message,
    };
    writeFileSync(
      join(project, `00000000-0000-4000-8000-${String(at).padStart(12, "0")}.jsonl`),
      `${JSON.stringify(line)}\n`,
    );
  }
  child("index", folder);
  const modes = ["list", "stale", "index"] as const;
  const times = modes.map((name) => ({ name, ms: new Array<number>(), detail: "" }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const each of times) {
      const { ms, detail } = child(each.name, folder);
      each.ms.push(ms);
      each.detail = detail;
    }
  }
  const [{ ms: list } = { ms: [] }] = times;
  const rows = times.map(({ name, ms, detail }) => [
    { list: "listing them (findSessions)", stale: "what changed (staleSessions)", index: "index" }[name],
    median(ms).toFixed(0),
    median(ms.map((each, at) => each / (list[at] ?? Number.NaN))).toFixed(2),
    detail,
  ]);
  console.log(`${FILES} files of which none changed, median of ${ROUNDS}, without the start of the process`);
  console.log(table([["", "ms", "/ listing", ""], ...rows]));
}

/** Measures one more entry in a recorded session, compared with indexing all of it. */
async function grown(folder: string, format: TranscriptFormat): Promise<void> {
  const transcripts = join(folder, ".openfleet/transcripts");
  mkdirSync(transcripts, { recursive: true });
  const path = join(transcripts, TRANSCRIPT_NAMES[format]);
  const entries = writeTranscript(path, format, TRANSCRIPT_BYTES);
  const all = child("index", folder);
  const none = new Array<number>();
  const more = new Array<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    none.push(child("index", folder).ms);
    appendFileSync(path, encodedEntry(format, entries + 1 + round));
    more.push(child("index", folder).ms);
  }
  const rows = [
    { name: "all of it", ms: all.ms },
    { name: "one entry more", ms: median(more) },
    { name: "nothing new", ms: median(none) },
  ].map(({ name, ms }) => [name, ms.toFixed(0), (ms / all.ms).toFixed(3)]);
  console.log(
    `a transcript in ${format}, ${(statSync(path).size / 1e6).toFixed(0)} MB: ${all.detail}; median of ${ROUNDS}, with opening the store and, where there is something new, loading what finds secrets`,
  );
  console.log(table([["", "ms", "/ all of it"], ...rows]));
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(join(folder, ".claude"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, ".claude", name));
}

function bytesOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function child(name: string, folder: string): Outcome {
  const { stdout, status, stderr } = spawnSync(process.execPath, [import.meta.filename, name, folder], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  const outcome: Outcome = JSON.parse(stdout);
  return outcome;
}

function spawned(command: string, args: readonly string[]): number {
  const start = performance.now();
  const { error } = spawnSync(command, args, { stdio: "ignore" });
  if (error) throw error;
  return performance.now() - start;
}
