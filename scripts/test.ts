/**
 * Runs every check of the package, two stages at a time, and sums them up in one line, `N passed, N failed, N skipped`.
 *
 *     node scripts/test.ts [--only STAGE[,STAGE…]] [--long]
 *
 * Without `--long` everything that must hold runs, in some ten minutes on two cores: unit and property tests under Bun, those
 * where the runtime matters under Node too, a part of the host's scenarios, and few rounds of fuzzing and kills. `--long`
 * runs everything under both, all scenarios, and a thousand kills, and draws other values for properties each time.
 *
 * A stage that runs tests counts its tests, any other counts as one. Exits with 1 if anything failed. A test is skipped
 * where the machine lacks what it needs, such as Chromium; `TEST_SHARED=none` hides the data in `../shared`.
 */
import { availableParallelism } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type FailedTest, failedTestsIn, listOf } from "./failed-tests.ts";
import { type Counts, countsIn, runStage } from "./run-stage.ts";

interface Stage {
  name: string;
  command: readonly string[];
  /** The same stage of `--long`. Default: as without. */
  long?: readonly string[];
  /** Only without `--long`. */
  env?: Readonly<Record<string, string>>;
  /** Nothing runs beside it: it writes `dist/`, which the others use, or counts the milliseconds that a kill costs. */
  isAlone?: boolean;
}

/** Node cannot run `.tsx` from source by itself. */
const JSX = "--import=./scripts/jsx.ts";

/** Suites of `test/unit` about the published program: users run it with Node, and nothing in them differs under Bun. */
const NODE_ONLY = "claude-code-hooks cli-built cli-start mcp-server package".split(" ");
/** Suites that run under both: processes, files, threads, databases and regular expressions differ. */
const NODE_TOO = (
  "cli-pipes cli-process cli-process-output cli-runtime files-append files-faults files-lock files-new-file " +
  "indexing-files indexing-many indexing-threads parse-contract parse-corpus parse-hostile plugin-entry recorder-files " +
  "recorder-resume redact-linear search-cli sessions-find sessions-opencode-2 sessions-store store-faults " +
  "store-postgres-faults store-sqlite tools-runner"
).split(" ");
const fileOf = (suite: string): string => `test/unit/${suite}.test.ts`;

/** Each of another kind: what is said, calls and their failures, subagents, aborts, resuming, permissions, faults. */
const SCENARIOS =
  "text-only reasoning nasty-content parallel-tools same-call-id failing-tool hidden-failures unknown-tool bad-arguments " +
  "mcp subagent nested-subagent abort-text abort-tool resumed revert compaction permission-rejected question secrets " +
  "unwritable wrong-options";
const HOST_SUITES = "scenarios save-conversation recall-tools compaction-hint package oracle";

/**
 * The whole recorder, and the plugin for opencode 2.x, in the runtime that opencode embeds; `crash` is the append writer alone, in the other one. One
 * process at a time, since two of them and what judges them would compete for two cores.
 */
const kills = (subject: string, runs: number): string[] =>
  `bun test/crash/run.ts --runs ${runs} --parallel 1 --subject test/crash/subject-${subject}.ts`.split(" ");
const indexKills = (runs: number): string[] => `node test/crash/index-run.ts --runs ${runs} --parallel 2`.split(" ");

/** Stages that run at the same time. Most use one core. */
const AT_ONCE = Math.min(2, availableParallelism());
/** A stage that takes longer hangs, and is ended: five times what the longest takes on a machine that does other work too. */
const MAX_STAGE_MS = 40 * 60_000;
const MAX_LONG_STAGE_MS = 180 * 60_000;

const STAGES: readonly Stage[] = [
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "lint", command: ["oxlint"] },
  { name: "types", command: ["tsc", "-p", "tsconfig.json"] },
  { name: "unused", command: ["knip"] },
  { name: "build", command: ["node", "scripts/build.ts"], isAlone: true },
  { name: "attw", command: ["attw", "--pack", ".", "--profile", "esm-only"], isAlone: true },
  { name: "publint", command: ["publint", "--strict"], isAlone: true },
  // The longest first, so that the last one to end is a short one.
  {
    name: "unit",
    command: ["bun", "test", "test/unit", ...NODE_ONLY.map((suite) => `--path-ignore-patterns=${fileOf(suite)}`)],
    long: ["bun", "test", "test/unit"],
  },
  {
    name: "node",
    command: ["node", JSX, "--test", ...[...NODE_ONLY, ...NODE_TOO].map(fileOf), "test/web/*.test.ts"],
    long: ["node", JSX, "--test", "test/{unit,property,crash,compare,web}/*.test.ts"],
  },
  {
    name: "host",
    command: ["bun", "test", ...HOST_SUITES.split(" ").map((name) => `test/host/${name}.test.ts`)],
    env: { SCENARIOS: SCENARIOS.replaceAll(" ", ",") },
    long: ["bun", "test", "test/host"],
  },
  { name: "laws", command: ["bun", "test", "test/property", "test/crash", "test/compare"] },
  { name: "page", command: ["bun", "test", "test/page", "test/web"] },
  {
    name: "fuzz",
    command: ["node", "test/fuzz/run.ts", "--seconds", "15", "--seed", "1"],
    long: ["node", "test/fuzz/run.ts", "--seconds", "300"],
  },
  {
    name: "crash",
    command: ["node", "test/crash/run.ts", "--runs", "50", "--parallel", "1"],
    long: ["node", "test/crash/run.ts", "--runs", "1000", "--parallel", "1"],
    isAlone: true,
  },
  { name: "indexing", command: indexKills(20), long: indexKills(200) },
  { name: "kills", command: kills("recorder", 50), long: kills("recorder", 1_000), isAlone: true },
  { name: "kills 2", command: kills("opencode-2", 20), long: kills("opencode-2", 500), isAlone: true },
  { name: "demo", command: ["node", "demo/run.ts", "--remove"], isAlone: true },
];

interface Outcome extends Counts {
  name: string;
  failedTests: readonly FailedTest[];
  seconds: number;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const env = {
  ...process.env,
  PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
  NO_COLOR: "1",
};

const { values } = parseArgs({ options: { only: { type: "string" }, long: { type: "boolean", default: false } } });
const chosen = values.only?.split(",");
const unknown = chosen?.filter((name) => !STAGES.some((stage) => stage.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`No such stage: ${unknown.join(", ")}. Stages are ${STAGES.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}

const outcomes: Outcome[] = [];
const rest = STAGES.filter(({ name }) => chosen?.includes(name) ?? true);
while (rest.length > 0) {
  const end = rest.findIndex(({ isAlone }) => isAlone === true);
  const together = rest.splice(0, end === -1 ? rest.length : Math.max(end, 1));
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let stage = together.shift(); stage; stage = together.shift()) outcomes.push(await run(stage));
  });
  await Promise.all(lanes);
}
report(outcomes);

async function run(stage: Stage): Promise<Outcome> {
  const { name } = stage;
  const start = performance.now();
  console.log(`== ${name} begins`);
  const more = values.long ? { TEST_LONG: "1" } : stage.env;
  const { output, code } = await runStage(commandOf(stage), {
    cwd: root,
    env: { ...env, ...more },
    limitMs: values.long ? MAX_LONG_STAGE_MS : MAX_STAGE_MS,
  });
  console.log(`\n== ${name}: ${commandOf(stage).join(" ")}\n${output}`);
  const counted = countsIn(output) ?? { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  // A runner that failed without a failing test (a file that does not load) still failed.
  const failed = code === 0 ? counted.failed : Math.max(1, counted.failed);
  return {
    ...counted,
    name,
    failed,
    failedTests: failed > 0 ? failedTestsIn(output, name) : [],
    seconds: (performance.now() - start) / 1_000,
  };
}

function commandOf({ command, long }: Stage): readonly string[] {
  return (values.long ? long : undefined) ?? command;
}

function report(all: readonly Outcome[]): void {
  const columns = ["passed", "failed", "skipped"] as const;
  console.log("\nstage      passed  failed  skipped  seconds");
  for (const outcome of all) {
    const cells = columns.map((column) => `${outcome[column]}`.padStart(column.length + 1));
    console.log([outcome.name.padEnd(9), ...cells, outcome.seconds.toFixed(1).padStart(8)].join(" "));
  }
  const [passed = 0, failed = 0, skipped = 0] = columns.map((column) =>
    all.reduce((sum, outcome) => sum + outcome[column], 0),
  );
  const failedTests = all.flatMap((outcome) =>
    outcome.failedTests.map((one) => ({ ...one, name: `${outcome.name}: ${one.name}` })),
  );
  // Last, since CI shows only the end of its log. `.ci/run` repeats what is between this heading and the sums.
  const heading = `\nFailed tests${process.env["TEST_SHARED"] === "none" ? " without ../shared" : ""}:`;
  if (failed > 0) console.log([heading, ...listOf(failedTests)].join("\n"));
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}
