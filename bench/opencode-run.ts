/**
 * A whole `opencode run` with the plugin, without one, and with the plainest design, in turn: the same prompt, two
 * tool calls, a scripted model on loopback. Prints the median of the times pair by pair. Needs `dist/`.
 */
import { join } from "node:path";
import { call, text } from "../test/support/host/model-script.ts";
import { startModel } from "../test/support/host/model.ts";
import { runOpencode } from "../test/support/host/process.ts";
import { createSandbox, type PluginSpec } from "../test/support/host/sandbox.ts";
import { REPOSITORY } from "../test/support/repository.ts";
import { reportAtMost } from "./figures.ts";
import { median, percentile, table } from "./statistics.ts";

const PAIRS = Number(process.env["BENCH_PAIRS"] ?? 12);

const DESIGNS: readonly { name: string; plugins: readonly PluginSpec[] }[] = [
  { name: "without a plugin", plugins: [] },
  { name: "ours", plugins: [REPOSITORY] },
  { name: "plainest", plugins: [join(REPOSITORY, "bench", "seed-design.ts")] },
];

const model = await startModel({
  bench: [
    [text("I look."), call("bash", { command: "echo one", description: "one" })],
    [text("Again."), call("bash", { command: "seq 1 400", description: "two" })],
    [text("Done.")],
  ],
});
const sandbox = await createSandbox({ modelURL: model.url });
const seconds = DESIGNS.map((): number[] => []);
try {
  for (const { plugins } of DESIGNS) await timed(plugins);
  for (let pair = 0; pair < PAIRS; pair++) {
    // Rotates the order, so that none always runs on the warmer machine.
    for (const at of [0, 1, 2].map((place) => (place + pair) % DESIGNS.length)) {
      seconds[at]?.push(await timed(DESIGNS[at]?.plugins ?? []));
    }
  }
} finally {
  await sandbox.remove();
  await model.close();
}
print();

async function timed(plugins: readonly PluginSpec[]): Promise<number> {
  await sandbox.configure(plugins);
  const start = performance.now();
  const { code, stderr } = await runOpencode(sandbox, ["run", "scenario:bench please"]);
  if (code !== 0) throw new Error(`opencode run ended with ${code}: ${stderr}`);
  return (performance.now() - start) / 1_000;
}

function print(): void {
  const [base = []] = seconds;
  const rows = DESIGNS.map(({ name }, at) => {
    const own = seconds[at] ?? [];
    const ratios = own.map((value, pair) => value / (base[pair] ?? Number.NaN));
    const spread = `${percentile(ratios, 0.1).toFixed(3)} to ${percentile(ratios, 0.9).toFixed(3)}`;
    return [name, median(own).toFixed(2), Math.min(...own).toFixed(2), median(ratios).toFixed(3), spread];
  });
  console.log(`opencode run, ${PAIRS} rounds`);
  console.log(
    table([["design", "median s", "fastest s", "ratio to without, median", "10th to 90th percentile"], ...rows]),
  );
  const own = (seconds[1] ?? []).map((value, pair) => value / (base[pair] ?? Number.NaN));
  reportAtMost("opencode run with / without", `${PAIRS} rounds`, median(own), 1.02);
}
