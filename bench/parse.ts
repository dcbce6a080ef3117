/**
 * The full parse against a bare loop of `JSON.parse` over the same lines, each in a process of its own, in turn: of
 * many sessions and of large ones at once, and of 1 GB message by message. The target is for text in memory; the peak
 * memory is that of the reader. Runs in the runtime that runs this file. Needs `dist/`.
 *
 * The processes run `parse-process.mjs`, plain JavaScript like the package: loading TypeScript takes 60 MiB.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { REPOSITORY } from "../test/support/repository.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { reportAtMost } from "./figures.ts";
import { SESSION_SETS } from "./session-sets.ts";
import { median, table } from "./statistics.ts";

const PAIRS = Number(process.env["BENCH_PAIRS"] ?? 3);
const DIST = process.env["BENCH_DIST"] ?? join(REPOSITORY, "dist");
const MB = 1_000_000;
const MANY_BYTES = 150 * MB;
const SIZES = (process.env["BENCH_MB"] ?? "144,1000").split(",").map((size) => Number(size) * MB);
/** Larger files do not fit into one string. */
const LARGEST_WHOLE = 400 * MB;

/** Time and memory of a process, in milliseconds and bytes. */
interface Measured {
  reading: number;
  working: number;
  peak: number;
}

const NOTHING: Measured = { reading: Number.NaN, working: Number.NaN, peak: Number.NaN };

type Way = "parse" | "bare" | "read" | "bare read";

const RUNTIME = process.versions["bun"] ? `Bun ${process.versions["bun"]}` : `Node ${process.versions.node}`;

await compare();

async function compare(): Promise<void> {
  const rows = [
    ["", "MB", "way", "median ms", "bare loop ms", "ratio", "without reading", "peak MiB", "bare peak MiB"],
  ];
  for (const { name, fill, fillOne } of SESSION_SETS) {
    await inTemporaryFolder(async (folder) => {
      const { files } = fill(folder, MANY_BYTES);
      const pairs = pairsOf(files, "parse", "bare");
      rows.push([`${name}, ${files.length} files`, (MANY_BYTES / MB).toFixed(0), ...cells("parse", pairs)]);
      const ratio = median(pairs.map((pair) => pair.ours.working / pair.bare.working));
      reportAtMost("full parse / JSON.parse", `${name}, ${MANY_BYTES / MB} MB in memory, ${RUNTIME}`, ratio, 2);
    });
    for (const bytes of SIZES) {
      await inTemporaryFolder(async (folder) => {
        const file = join(folder, `${bytes}.jsonl`);
        fillOne(file, bytes);
        const what = [`${name}, one file`, (bytes / MB).toFixed(0)];
        if (bytes <= LARGEST_WHOLE) rows.push([...what, ...cells("parse", pairsOf([file], "parse", "bare"))]);
        const read = pairsOf([file], "read", "bare read");
        rows.push([...what, ...cells("read", read)]);
        const peak = Math.max(...read.map(({ ours }) => ours.peak)) / 2 ** 20;
        reportAtMost("reading: peak memory", `${name}, ${bytes / MB} MB in one, ${RUNTIME}`, peak, 200, " MiB");
      });
    }
  }
  console.log(`Parsing against JSON.parse alone, ${PAIRS} pairs of processes (${RUNTIME})`);
  console.log("parse: parseTranscript of a text; read: readTranscript of a stream, where reading is part of the work.");
  console.log(`${table(rows)}\n`);
}

interface Pair {
  ours: Measured;
  bare: Measured;
}

function pairsOf(files: readonly string[], ours: Way, bare: Way): Pair[] {
  return Array.from({ length: PAIRS }, (_, at) => {
    const [first, second] = at % 2 === 0 ? [ours, bare] : [bare, ours];
    const results = { [first]: child(first, files), [second]: child(second, files) };
    return { ours: results[ours] ?? NOTHING, bare: results[bare] ?? NOTHING };
  });
}

function cells(ours: Way, pairs: readonly Pair[]): string[] {
  const all = ({ reading, working }: Measured): number => reading + working;
  const mebibytes = (peaks: number[]): string => (Math.max(...peaks) / 2 ** 20).toFixed(0);
  return [
    ours,
    median(pairs.map((pair) => all(pair.ours))).toFixed(0),
    median(pairs.map((pair) => all(pair.bare))).toFixed(0),
    median(pairs.map((pair) => all(pair.ours) / all(pair.bare))).toFixed(2),
    ours === "read" ? "" : median(pairs.map((pair) => pair.ours.working / pair.bare.working)).toFixed(2),
    mebibytes(pairs.map((pair) => pair.ours.peak)),
    mebibytes(pairs.map((pair) => pair.bare.peak)),
  ];
}

function child(ways: Way, files: readonly string[]): Measured {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "parse-process.mjs"), DIST, ways],
    {
      encoding: "utf8",
      input: JSON.stringify(files),
    },
  );
  if (status !== 0) throw new Error(`${ways} of ${files[0]} failed: ${stderr}`);
  return { ...NOTHING, ...JSON.parse(stdout) };
}
