/**
 * Kills indexers at random moments and runs them again:
 *
 *     node test/crash/index-run.ts [--runs 200] [--seed 1] [--parallel 2] [--runtimes node,bun]
 *
 * Each machine has sessions of Claude Code, transcripts of ours and opencode's store. Ten indexers, of one runtime and
 * the other in turn, work on it and are killed with SIGKILL; every third of them has another one beside it, which is
 * left alone. Recorded transcripts grow all the while; between the indexers all files do, in the middle of lines too, and
 * are cut, replaced and deleted. After each kill
 * the store must open, its sessions be whole as far as they say they are, and snippets still have the entries that they
 * cite, however often their sessions were written since. In the end a run that is left alone must
 * come to the same as one over a new store. Exits with 1 if anything was violated; the machine is kept then.
 */
import { spawn, type ChildProcess } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { openStore } from "../../src/store/open-store.ts";
import { madeSnippet } from "../support/store/made-rows.ts";
import { checkRewritten, dump, inOneGo, NO_REDACTOR } from "../support/indexing/index-fixture.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { KILLED_LIMITS } from "./index-limits.ts";
import { IndexMachine } from "./index-machine.ts";
import { randomFrom } from "./random.ts";

const KILLS_PER_MACHINE = 10;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    parallel: { type: "string", default: "2" },
    runtimes: { type: "string", default: "node,bun" },
  },
});
const runtimes = values.runtimes.split(",");
const report = { kills: 0, late: 0, partial: 0, sessions: 0, cited: 0, machines: 0, violations: [] as string[] };

interface Child {
  process: ChildProcess;
  ready: Promise<unknown>;
  /** What it printed, once it is over. */
  ended: Promise<string>;
}

function start(home: string, turn: number): Child {
  const script = join(import.meta.dirname, "index-child.ts");
  const runtime = runtimes[turn % runtimes.length] ?? "node";
  const child = spawn(runtime, [script, home], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  return {
    process: child,
    ready: Promise.race([
      new Promise((resolve) => child.stdout.once("data", resolve)),
      new Promise((resolve) => child.once("close", resolve)),
    ]),
    ended: new Promise((resolve) => child.once("close", (code) => resolve(`${printed}${code ?? ""}`))),
  };
}

/** Measures how long an undisturbed indexer runs on a new machine, with the machine as busy as it is. */
async function lifeOf(runtime: number): Promise<number> {
  const home = fs.mkdtempSync(join(tmpdir(), "opencode-transcripts-index-"));
  await new IndexMachine(home, randomFrom(Number(values.seed))).begin();
  const child = start(home, runtime);
  await child.ready;
  const began = performance.now();
  await child.ended;
  const life = performance.now() - began;
  fs.rmSync(home, { recursive: true });
  return life;
}

async function killOne(machine: IndexMachine, random: (below: number) => number, turn: number): Promise<void> {
  const { home } = machine.where;
  const other = turn % 3 === 2 ? start(home, turn + 1) : undefined;
  const child = start(home, turn);
  const growing = machine.growDuring(Promise.all([child.ended, other?.ended]));
  await child.ready;
  const life = random(maxLifeMs);
  await new Promise((resolve) => setTimeout(resolve, life));
  child.process.kill("SIGKILL");
  const printed = await child.ended;
  report.kills += 1;
  if (printed.includes("done")) report.late += 1;
  if (!/^(?:ready\n)?(?:done\n0?)?$/.test(printed)) report.violations.push(`a child ended by itself: ${printed}`);
  const rest = await other?.ended;
  await growing;
  if (rest !== undefined && rest !== "ready\ndone\n0") report.violations.push(`a child beside it failed: ${rest}`);
}

/** Snippets by id, with the event that each cites. */
type Cited = Map<string, string>;

/** Checks that everything stored after a kill is correct, though it may be incomplete. Cites more of it each time. */
async function inspect(home: string, cited: Cited): Promise<void> {
  const store = await openStore({ env: {}, home });
  const { sessions, blocks } = await dump(store);
  report.sessions += sessions.length;
  for (const [id, eventId] of cited) {
    const snippet = await store.snippet(id);
    const isThere = snippet?.event_id === eventId && (await store.event(snippet.session_id, eventId)) !== undefined;
    if (!isThere)
      report.violations.push(`${home}: a snippet lost ${eventId}, which it cites: ${String(snippet?.event_id)}`);
  }
  for (const { session_id: id } of sessions) {
    const event = blocks[id]?.at(-1);
    if (event === undefined || [...cited.values()].includes(event.event_id)) continue;
    const snippet = await store.insertSnippet(madeSnippet({ session_id: id, event_id: event.event_id }));
    cited.set(snippet.snippet_id, event.event_id);
  }
  report.cited += cited.size;
  for (const { session_id: id, state } of sessions) {
    if (state.source_modified_ms !== 0) continue;
    report.partial += 1;
    // While a session is read again, rows that the reader has not reached are still those of the run before, and rows
    // that came back are still marked as dropped until the end.
    const all = await store.blocks(id);
    if (all.length < state.events) report.violations.push(`${id} has ${all.length} events, not ${state.events}`);
  }
  await store.close();
  for (const { session_id: id, state } of sessions) {
    if (state.source_modified_ms === 0) continue;
    const stored = (blocks[id] ?? []).toSorted((a, b) => a.ordinal - b.ordinal);
    if (stored.length !== state.events)
      report.violations.push(`${id} has ${stored.length} events, not ${state.events}`);
    if (stored.some(({ ordinal }, at) => ordinal !== at)) report.violations.push(`${id} has gaps`);
  }
}

async function judge(seed: number, kills: number): Promise<void> {
  const random = randomFrom(seed);
  const home = fs.mkdtempSync(join(tmpdir(), "opencode-transcripts-index-"));
  const before = report.violations.length;
  const machine = new IndexMachine(home, random);
  const cited: Cited = new Map();
  await machine.begin();
  for (let turn = 0; turn < kills; turn += 1) {
    await killOne(machine, random, seed + turn);
    await inspect(home, cited);
    await machine.change();
  }
  const options = { redactor: NO_REDACTOR, limits: KILLED_LIMITS };
  const store = await openStore(machine.where);
  await updateIndex(store, machine.where, options);
  await store.close();
  await inspect(home, cited);
  const last = await openStore(machine.where);
  await updateIndex(last, machine.where, options);
  const all = await dump(last);
  await last.close();
  const expected = await inOneGo(machine.where, options);
  for (const { session_id: id } of expected.sessions) {
    try {
      checkRewritten(all, expected, id);
    } catch (error) {
      report.violations.push(`${home}: ${id} is not what one go gives: ${String(error)}`);
    }
  }
  if (all.sessions.length < expected.sessions.length) report.violations.push(`${home}: other sessions`);
  report.machines += 1;
  if (report.violations.length === before) fs.rmSync(home, { recursive: true });
}

const lives = await Promise.all(runtimes.map((_, at) => lifeOf(at)));
/** Later runs find less to do. */
const maxLifeMs = Math.ceil(Math.min(...lives) * 0.6);
const runs = Number(values.runs);
const began = performance.now();
let done = 0;
const lane = async (): Promise<void> => {
  while (done < runs) {
    const first = done;
    done += KILLS_PER_MACHINE;
    await judge(Number(values.seed) * 1_000 + first, Math.min(KILLS_PER_MACHINE, runs - first));
  }
};
await Promise.all(Array.from({ length: Number(values.parallel) }, lane));
removeTempDirs();
const seconds = ((performance.now() - began) / 1000).toFixed(0);
console.log(
  `${report.kills} indexers killed on ${report.machines} machines (${runtimes.join(", ")}) in ${seconds} s, up to ${maxLifeMs} ms after they began: ` +
    `${report.late} had just finished; of ${report.sessions} stored sessions ${report.partial} were half read, and ${report.cited} citations looked up; ` +
    `${report.violations.length} violations`,
);
for (const violation of report.violations.slice(0, 20)) console.log(violation);
process.exitCode = report.violations.length > 0 ? 1 : 0;
