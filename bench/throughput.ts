/**
 * A steady load over many sessions: 10,000 entries of 2 KB a second over 50 sessions, which is far more than any
 * host makes. Counts the entries in the files afterwards. Prints the rate, the losses, the memory, and the same for
 * the plainest design.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FakeSession, hooksIn, inTemporaryFolder, tellerOf, textOf, type FakeCall } from "./fake-host.ts";
import { seedHooks } from "./seed-design.ts";
import { reportAtLeast, reportAtMost } from "./figures.ts";
import { table } from "./statistics.ts";

const SESSIONS = 50;
const ENTRIES_PER_SECOND = 10_000;
const SECONDS = Number(process.env["BENCH_S"] ?? 20);
const ENTRY_BYTES = 2_048;
/** Interval at which load is added, in milliseconds. */
const TICK_MS = 10;
const MIB = 1024 * 1024;

interface Load {
  accepted: number;
  seconds: number;
  settledSeconds: number;
  processorSeconds: number;
  peakMiB: number;
  /** Longest time that the event loop was blocked, in milliseconds. */
  worstLagMs: number;
}

const rows = [
  ["design", "entries/s", "accepted", "in the files", "lost", "processor s per s", "memory added MiB", "worst lag ms"],
];
await inTemporaryFolder(async (folder) => {
  const hooks = await hooksIn(folder);
  const tell = tellerOf(hooks);
  const sessions = Array.from({ length: SESSIONS }, (_, at) => new FakeSession(at));
  for (const session of sessions) await tell(session.created());
  const load = await drive(
    sessions,
    async (call) => {
      await hooks["tool.execute.before"]?.(call.about, { args: call.args });
      await tell(call.running);
      await hooks["tool.execute.after"]?.(
        { ...call.about, args: call.args },
        { title: "", output: call.output, metadata: {} },
      );
      await tell(call.completed);
    },
    async () => {
      // Each call waits at most 3 s.
      for (let left = 10; left > 0; left--) await hooks.dispose?.();
    },
  );
  const found = await count(folder);
  rows.push(row("ours", load, found));
  const on = `${SESSIONS} sessions, ${SECONDS} s`;
  reportAtLeast("recorded entries a second", on, load.accepted / load.seconds, 9_900);
  reportAtMost("lost entries", on, load.accepted - found, 0);
});
await inTemporaryFolder(async (folder) => {
  const hooks = seedHooks(folder);
  const sessions = Array.from({ length: SESSIONS }, (_, at) => new FakeSession(at));
  const pending: Promise<unknown>[] = [];
  const load = await drive(
    sessions,
    async (call) => {
      const after = { title: "", output: call.output, metadata: {} };
      pending.push(
        hooks["tool.execute.before"](call.about, { args: call.args }).then(() =>
          hooks["tool.execute.after"]({ ...call.about, args: call.args }, after),
        ),
      );
    },
    () => Promise.all(pending),
  );
  rows.push(row("plainest", load, await count(folder)));
});
console.log(`${SESSIONS} sessions, ${ENTRIES_PER_SECOND} entries of ${ENTRY_BYTES} bytes a second for ${SECONDS} s`);
console.log(table(rows));

async function drive(
  sessions: readonly FakeSession[],
  tell: (call: FakeCall) => Promise<void>,
  settle: () => Promise<unknown> | undefined,
): Promise<Load> {
  const texts = Array.from({ length: 256 }, (_, at) => textOf(ENTRY_BYTES, at + 1));
  const before = process.memoryUsage.rss();
  const processor = process.cpuUsage();
  const start = performance.now();
  let accepted = 0;
  let peak = before;
  let worstLagMs = 0;
  let tick = start;
  for (let number = 0; performance.now() - start < SECONDS * 1_000;) {
    const due = ((performance.now() - start) / 1_000) * ENTRIES_PER_SECOND;
    while (accepted < due) {
      const session = sessions[number % sessions.length];
      const input = { command: texts[number % texts.length] };
      if (session) await tell(session.call(input, texts[(number * 7) % texts.length] ?? ""));
      number += 1;
      accepted += 2;
    }
    peak = Math.max(peak, process.memoryUsage.rss());
    tick = performance.now();
    await sleep(TICK_MS);
    worstLagMs = Math.max(worstLagMs, performance.now() - tick - TICK_MS);
  }
  const seconds = (performance.now() - start) / 1_000;
  await settle();
  const settledSeconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(processor);
  const processorSeconds = (user + system) / 1_000_000;
  return { accepted, seconds, settledSeconds, processorSeconds, peakMiB: (peak - before) / MIB, worstLagMs };
}

async function count(folder: string): Promise<number> {
  const transcripts = join(folder, ".openfleet", "transcripts");
  let entries = 0;
  for (const name of await readdir(transcripts)) {
    if (!name.startsWith("ses_") || !name.endsWith(".md")) continue;
    const text = await readFile(join(transcripts, name), "utf8");
    entries += text.match(/^## \[.*\] Tool (Use|Result): /gm)?.length ?? 0;
  }
  return entries;
}

function row(name: string, load: Load, found: number): string[] {
  return [
    name,
    (load.accepted / load.settledSeconds).toFixed(0),
    String(load.accepted),
    String(found),
    String(load.accepted - found),
    (load.processorSeconds / load.settledSeconds).toFixed(2),
    load.peakMiB.toFixed(0),
    load.worstLagMs.toFixed(0),
  ];
}
