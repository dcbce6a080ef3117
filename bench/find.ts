/**
 * `transcripts find` over 300 MB of sessions, without an index, against grep over the same files, and ripgrep where it
 * is installed: whole processes, in turn. grep counts lines of JSON with the term; ours also reads those lines, leaves
 * out what is no conversation, and prints passages. Needs `dist/`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { REPOSITORY } from "../test/support/repository.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { generateSessions } from "./generate-sessions.ts";
import { median, table } from "./statistics.ts";

const BYTES = Number(process.env["BENCH_BYTES"] ?? 300_000_000);
const PAIRS = Number(process.env["BENCH_PAIRS"] ?? 5);
const DIST = process.env["BENCH_DIST"] ?? join(REPOSITORY, "dist");
/** In no session, in some, in many. */
const TERMS = ["zebra crossing", "permission", "error"];

/** The search alone: no options to read, no sessions to look for, nothing to print. */
const SEARCH = `
  import { readdirSync, statSync } from "node:fs";
  const [dist, folder, term] = process.argv.slice(1);
  const { findInSessions } = await import(dist + "/scan/find-sessions.js");
  const sessions = readdirSync(folder, { recursive: true })
    .map((name) => folder + "/" + name)
    .filter((path) => path.endsWith(".jsonl"))
    .map((path) => ({ path, bytes: statSync(path).size }));
  let count = 0;
  for await (const { hits } of findInSessions(sessions, { term })) count += hits.length;
  console.log(count);
`;

interface Program {
  name: string;
  command: string;
  args: (term: string) => readonly string[];
  env?: Record<string, string>;
}

await inTemporaryFolder(async (folder) => {
  const { files } = generateSessions(folder, { seed: 1, bytes: BYTES });
  const projects = join(folder, "projects");
  const env = { CLAUDE_CONFIG_DIR: folder, HOME: join(folder, "home"), XDG_DATA_HOME: join(folder, "data") };
  const all: Program[] = [
    { name: "grep -rc", command: "grep", args: (term) => ["-rc", term, projects] },
    { name: "grep -ric", command: "grep", args: (term) => ["-ric", term, projects] },
    { name: "rg -ic", command: "rg", args: (term) => ["-ic", "--no-ignore", "--hidden", term, projects] },
    {
      name: "transcripts find --json",
      command: process.execPath,
      args: (term) => [join(DIST, "cli/main.js"), "find", term, "--json"],
      env,
    },
    {
      name: "the search alone",
      command: process.execPath,
      args: (term) => ["--input-type=module", "-e", SEARCH, "--", DIST, projects, term],
    },
  ];
  const programs = all.filter(({ command }) => spawnSync(command, ["--version"]).error === undefined);
  console.log(
    `Search over ${(BYTES / 1e6).toFixed(0)} MB in ${files.length} files, ${PAIRS} rounds of processes (Node ${process.versions.node})`,
  );
  for (const term of TERMS) print(term, measured(programs, term));
});

function measured(programs: readonly Program[], term: string): { name: string; ms: number[] }[] {
  const times = programs.map(({ name }) => ({ name, ms: new Array<number>() }));
  for (let round = -1; round < PAIRS; round += 1) {
    for (const [at, program] of programs.entries()) {
      const ms = run(program, term);
      if (round >= 0) times[at]?.ms.push(ms);
    }
  }
  return times;
}

function run({ command, args, env = {} }: Program, term: string): number {
  const start = performance.now();
  const { error, status } = spawnSync(command, args(term), {
    // grep stops at the first match if its output leads nowhere.
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 1 << 30,
    env: { ...process.env, ...env },
  });
  if (error) throw error;
  if (status !== 0 && status !== 1) throw new Error(`${command} ended with ${status}`);
  return performance.now() - start;
}

function print(term: string, times: readonly { name: string; ms: readonly number[] }[]): void {
  const base = (name: string): readonly number[] => times.find((each) => each.name === name)?.ms ?? [];
  const ratio = (ms: readonly number[], name: string): string =>
    median(ms.map((each, at) => each / (base(name)[at] ?? Number.NaN))).toFixed(2);
  const rows = times.map(({ name, ms }) => [
    name,
    median(ms).toFixed(0),
    ratio(ms, "grep -rc"),
    ratio(ms, "grep -ric"),
  ]);
  console.log(`\\n"${term}"`.replace(String.raw`\n`, "\n"));
  console.log(table([["program", "median ms", "/ grep -rc", "/ grep -ric"], ...rows]));
}
