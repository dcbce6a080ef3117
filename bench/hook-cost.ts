/**
 * What the hooks add to the host: the time from a hook's call to its promise, for entries of 2 KB, in turn with hooks
 * that do nothing and with the plainest design. Prints microseconds and the ratios; a turn of the event loop passes between the calls, as in
 * the host, so that writing and redaction go on meanwhile and their cost shows in the processor's time.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Hooks } from "@opencode-ai/plugin";
import { FakeSession, hooksIn, inTemporaryFolder, tellerOf, textOf } from "./fake-host.ts";
import { seedHooks } from "./seed-design.ts";
import { reportAtMost } from "./figures.ts";
import { percentile, table } from "./statistics.ts";

const ENTRY_BYTES = 2_048;
const CALLS = 5_000;
const WARM_UP = 500;

interface Measured {
  name: string;
  microseconds: number[];
  processorMs: number;
}

/** A plugin that does nothing. */
const NOTHING: Hooks = {
  event: async () => undefined,
  "tool.execute.before": async () => undefined,
  "tool.execute.after": async () => undefined,
};

await inTemporaryFolder(async (folder) => {
  const ours = await hooksIn(folder);
  const seed = seedHooks(folder);
  await run("ours", ours, WARM_UP, 1);
  await run("nothing", NOTHING, WARM_UP, 1);
  await runSeed(seed, WARM_UP, 2);
  // Interleaved, so that a change in the machine's speed affects both.
  const rounds = [0, 1, 2];
  const results: Measured[][] = [];
  for (const round of rounds) {
    results.push([
      ...(await run("ours", ours, CALLS, 10 + round)),
      ...(await run("nothing", NOTHING, CALLS, 10 + round)),
      ...(await runSeed(seed, CALLS, 20 + round)),
    ]);
  }
  await ours.dispose?.();
  print(results);
});

async function run(name: string, hooks: Hooks, calls: number, seed: number): Promise<Measured[]> {
  const session = new FakeSession(seed);
  const tell = tellerOf(hooks);
  await tell(session.created());
  await tell(session.message());
  const before: number[] = [];
  const after: number[] = [];
  const event: number[] = [];
  const processor = process.cpuUsage();
  for (let at = 0; at < calls; at++) {
    const call = session.call({ command: textOf(ENTRY_BYTES, at + seed) }, textOf(ENTRY_BYTES, at * seed));
    before.push(await timed(() => hooks["tool.execute.before"]?.(call.about, { args: call.args })));
    event.push(await timed(() => tell(call.running)));
    await turn();
    after.push(
      await timed(() =>
        hooks["tool.execute.after"]?.(
          { ...call.about, args: call.args },
          { title: "", output: call.output, metadata: {} },
        ),
      ),
    );
    event.push(await timed(() => tell(call.completed)));
    await turn();
  }
  await hooks.dispose?.();
  const { user, system } = process.cpuUsage(processor);
  const processorMs = (user + system) / 1_000;
  return [
    { name: `${name}: tool.execute.before`, microseconds: before, processorMs },
    { name: `${name}: tool.execute.after`, microseconds: after, processorMs },
    { name: `${name}: event`, microseconds: event, processorMs },
  ];
}

async function runSeed(hooks: ReturnType<typeof seedHooks>, calls: number, seed: number): Promise<Measured[]> {
  const session = new FakeSession(seed);
  const before: number[] = [];
  const after: number[] = [];
  const processor = process.cpuUsage();
  for (let at = 0; at < calls; at++) {
    const call = session.call({ command: textOf(ENTRY_BYTES, at + seed) }, textOf(ENTRY_BYTES, at * seed));
    before.push(await timed(() => hooks["tool.execute.before"](call.about, { args: call.args })));
    await turn();
    after.push(
      await timed(() =>
        hooks["tool.execute.after"](
          { ...call.about, args: call.args },
          { title: "", output: call.output, metadata: {} },
        ),
      ),
    );
    await turn();
  }
  const { user, system } = process.cpuUsage(processor);
  const processorMs = (user + system) / 1_000;
  return [
    { name: "plainest: tool.execute.before", microseconds: before, processorMs },
    { name: "plainest: tool.execute.after", microseconds: after, processorMs },
  ];
}

async function timed(work: () => Promise<void> | undefined): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1_000;
}

function print(results: readonly (readonly Measured[])[]): void {
  const names = (results[0] ?? []).map(({ name }) => name);
  const rows = names.map((name, at) => {
    const all = results.flatMap((round) => round[at]?.microseconds ?? []);
    const processor = results.reduce((sum, round) => sum + (round[at]?.processorMs ?? 0), 0);
    const perEntry = (processor * 1_000) / (results.length * CALLS * 2);
    return [
      name,
      percentile(all, 0.5).toFixed(1),
      percentile(all, 0.99).toFixed(1),
      Math.max(...all).toFixed(0),
      perEntry.toFixed(0),
    ];
  });
  console.log(
    `Hook cost for entries of ${ENTRY_BYTES} bytes, ${CALLS * results.length} calls of each hook (${runtime()})`,
  );
  console.log(table([["hook", "p50 us", "p99 us", "max us", "processor us per entry, all included"], ...rows]));
  const share = (prefix: string, part: number): number =>
    percentile(
      results
        .flat()
        .filter(({ name }) => name.startsWith(prefix))
        .flatMap(({ microseconds }) => microseconds),
      part,
    );
  console.log(`Ratio of the p50, ours / nothing: ${(share("ours", 0.5) / share("nothing", 0.5)).toFixed(1)}`);
  console.log(`Ratio of the p50, ours / plainest: ${(share("ours", 0.5) / share("plainest", 0.5)).toFixed(3)}`);
  const on = `entries of ${ENTRY_BYTES} bytes, ${runtime()}`;
  reportAtMost("hook, p50", on, share("ours", 0.5), 10, " us");
  reportAtMost("hook, p99", on, share("ours", 0.99), 100, " us");
}

function runtime(): string {
  return process.versions["bun"] ? `Bun ${process.versions["bun"]}` : `Node ${process.versions.node}`;
}
