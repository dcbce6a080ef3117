/**
 * `transcripts find` over 1 GB of sessions, against grep over the same files, and ripgrep where it is installed. First
 * without a store: the first question adds what is newest, and what may have the term. Whole processes, start included, in turn. grep counts lines of JSON with the term; ours leaves
 * out what is no conversation, ranks, and prints passages. `node -e 0` is what starting Node alone takes. Before some
 * searches twenty sessions get another line each, as where twenty agents are at work. Needs `dist/`.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../test/support/repository.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { reportAtMost } from "./figures.ts";
import { writeLines } from "./generate-sessions.ts";
import { SESSION_SETS } from "./session-sets.ts";
import { median, table } from "./statistics.ts";

const BYTES = Number(process.env["BENCH_BYTES"] ?? 1_000_000_000);
const ROUNDS = Number(process.env["BENCH_PAIRS"] ?? 3);
/** Commands of about 50 ms run more often per round than those that take seconds. */
const QUICK_RUNS = 5;
const DIST = process.env["BENCH_DIST"] ?? join(REPOSITORY, "dist");
const TARGET_MS = 100;
const TERMS = [
  ["in no session", "zebra crossing"],
  ["in one", "quokka"],
  ["in many", "permission"],
  ["in most", "error"],
  ["two letters, in one", "qz"],
  ["two letters, in most", "to"],
  ["CJK, in one", "漢字"],
] as const;

const FIRST = [
  ["rare", "quokka"],
  ["common", "permission"],
] as const;

/** The only session with the rare terms. */
const RARE = `${JSON.stringify({
  type: "user",
  sessionId: "11111111-2222-4333-8444-555555555555",
  cwd: "/home/dev/project-0",
  timestamp: "2026-01-05T10:00:00.000Z",
  message: { role: "user", content: "Where does the quokka live? qz 漢字" },
})}\n`;

interface Program {
  name: string;
  command: string;
  args: (term: string) => readonly string[];
  env?: Record<string, string>;
  isQuick?: true;
  /** Runs before each measured run; not measured. */
  before?: () => void;
}

/** Number of sessions that are written during the search. */
const WRITTEN = 20;

for (const set of SESSION_SETS)
  await inTemporaryFolder(async (folder) => {
    const { files } = set.fill(folder, BYTES);
    writeLines(join(folder, "projects/-home-dev-project-0/11111111-2222-4333-8444-555555555555.jsonl"), [RARE]);
    const env = {
      CLAUDE_CONFIG_DIR: folder,
      HOME: join(folder, "home"),
      XDG_DATA_HOME: join(folder, "data"),
      XDG_CACHE_HOME: join(folder, "cache"),
      TRANSCRIPTS_DATABASE: "",
      TRANSCRIPTS_DATABASE_URL: "",
    };
    for (const [where, term] of FIRST) {
      const begun = performance.now();
      const data = join(folder, `first-${where}`);
      const { stderr } = spawnSync(process.execPath, [join(DIST, "cli/main.js"), "find", term, "--limit", "20"], {
        encoding: "utf8",
        env: { ...process.env, ...env, XDG_DATA_HOME: data },
      });
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      console.log(`first question, ${where}: ${seconds} s; ${/^searched .*$/m.exec(stderr)?.[0] ?? stderr}`);
    }
    const start = performance.now();
    run({ name: "index", command: process.execPath, args: () => [join(DIST, "cli/main.js"), "index"], env }, "");
    const seconds = (performance.now() - start) / 1_000;
    const size = statSync(join(folder, "data/opencode-transcripts/transcripts.db")).size;
    const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
    console.log(
      `Search over ${megabytes(BYTES)} in ${files.length + 1} files, ${ROUNDS} rounds of processes (Node ${process.versions.node})`,
    );
    console.log(`Indexed in ${seconds.toFixed(0)} s; the index has ${megabytes(size)}`);
    const written = files.filter((file) => !file.includes("subagents")).slice(0, WRITTEN);
    const programs = programsIn(join(folder, "projects"), env, () => {
      for (const file of written) appendFileSync(file, nextLine());
    });
    for (const [where, term] of TERMS) {
      const times = measured(programs, term);
      print(`"${term}", ${where}`, times);
      const on = `${set.name}, ${megabytes(BYTES)}, ${where}`;
      if (where === "in one") reportAtMost("find, indexed", on, median(times[0]?.ms ?? []), TARGET_MS, " ms");
    }
  });

function nextLine(): string {
  const message = { role: "user", content: "Go on, please." };
  return `${JSON.stringify({ type: "user", timestamp: new Date().toISOString(), message })}\n`;
}

function programsIn(projects: string, env: Record<string, string>, write: () => void): Program[] {
  const transcripts = (name: string, args: readonly string[], isQuick: boolean): Program => ({
    name,
    command: process.execPath,
    args: (term) => [join(DIST, "cli/main.js"), "find", term, ...args],
    env,
    ...(isQuick ? { isQuick: true } : {}),
  });
  const all: Program[] = [
    transcripts("find --limit 20, indexed", ["--limit", "20"], true),
    { ...transcripts(`the same, ${WRITTEN} sessions written`, ["--limit", "20"], true), before: write },
    { name: "node -e 0", command: process.execPath, args: () => ["-e", "0"], isQuick: true },
    transcripts("find --json, indexed, all", ["--json"], false),
    { name: "grep -rc", command: "grep", args: (term) => ["-rc", term, projects] },
    { name: "grep -ric", command: "grep", args: (term) => ["-ric", term, projects] },
    { name: "rg -ic", command: "rg", args: (term) => ["-ic", "--no-ignore", "--hidden", term, projects] },
  ];
  return all.filter(({ command }) => spawnSync(command, ["--version"]).error === undefined);
}

function measured(programs: readonly Program[], term: string): { name: string; ms: number[] }[] {
  const times = programs.map(({ name }) => ({ name, ms: new Array<number>() }));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [at, program] of programs.entries()) {
      const runs = Array.from({ length: program.isQuick ? QUICK_RUNS : 1 }, () => run(program, term));
      if (round >= 0) times[at]?.ms.push(median(runs));
    }
  }
  return times;
}

function run({ command, args, env = {}, before }: Program, term: string): number {
  before?.();
  const start = performance.now();
  const { error, status } = spawnSync(command, args(term), {
    // grep stops at the first match if its output is discarded.
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 1 << 30,
    env: { ...process.env, ...env },
  });
  if (error) throw error;
  if (status !== 0 && status !== 1) throw new Error(`${command} ended with ${status}`);
  return performance.now() - start;
}

function print(title: string, times: readonly { name: string; ms: readonly number[] }[]): void {
  const [first] = times;
  const ratio = (ms: readonly number[]): string =>
    median(ms.map((each, at) => each / (first?.ms[at] ?? Number.NaN))).toFixed(2);
  const rows = times.map(({ name, ms }) => [name, median(ms).toFixed(0), ratio(ms)]);
  console.log(`\n${title}`);
  console.log(table([["program", "median ms", "/ indexed"], ...rows]));
}
