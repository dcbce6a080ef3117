/**
 * The full parse against a bare loop of `JSON.parse` over the same lines, each in a process of its own, in turn: of
 * many sessions and of large ones at once, and of 1 GB message by message. The target is for text in memory; the peak
 * memory is that of the reader. Runs in the runtime that runs this file. Needs `dist/`.
 */
import { spawnSync } from "node:child_process";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { parseTranscript as Parse } from "../src/parse/parse-transcript.ts";
import type { readTranscript as Read } from "../src/parse/read-transcript.ts";
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
const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 10;

/** Time and memory of a process, in milliseconds and bytes. */
interface Measured {
  reading: number;
  working: number;
  peak: number;
}

const NOTHING: Measured = { reading: Number.NaN, working: Number.NaN, peak: Number.NaN };

type Way = "parse" | "bare" | "read" | "bare read";

const RUNTIME = process.versions["bun"] ? `Bun ${process.versions["bun"]}` : `Node ${process.versions.node}`;

const [, , way] = process.argv;
if (way === undefined) await compare();
else console.log(JSON.stringify(await measure(way, JSON.parse(readFileSync(0, "utf8")))));

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
  const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, ways], {
    encoding: "utf8",
    input: JSON.stringify(files),
  });
  if (status !== 0) throw new Error(`${ways} of ${files[0]} failed: ${stderr}`);
  return { ...NOTHING, ...JSON.parse(stdout) };
}

async function measure(name: string, files: readonly string[]): Promise<Measured> {
  const work = await workOf(name);
  const start = performance.now();
  const isWhole = name === "parse" || name === "bare";
  const texts = files.map((file) => (isWhole ? readFileSync(file, "utf8") : file));
  const read = performance.now();
  for (const text of texts) await work(text);
  const end = performance.now();
  return { reading: read - start, working: end - read, peak: peakMemory() };
}

/** The peak of `resourceUsage` may be that of the process that started this one. */
function peakMemory(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) * 1024;
}

/** Returns the work to measure, for a text or the path of a file; everything it needs is loaded beforehand. */
async function workOf(name: string): Promise<(content: string) => Promise<void>> {
  if (name === "bare") return async (text) => bareLoop(text.split("\n"));
  if (name === "bare read") return bareRead;
  if (name === "parse") {
    const { parseTranscript }: { parseTranscript: typeof Parse } = await import(built("parse/parse-transcript.js"));
    return async (text) => void (await parseTranscript("bench", text));
  }
  const { readTranscript }: { readTranscript: typeof Read } = await import(built("parse/read-transcript.js"));
  return async (file) => {
    const reader = readTranscript("bench", createReadStream(file, { highWaterMark: CHUNK_BYTES }));
    let messages = 0;
    for await (const { amends } of reader) if (!amends) messages += 1;
    if (messages !== reader.summary().stats.total_messages) throw new Error("messages were lost");
  };
}

function built(name: string): string {
  return pathToFileURL(join(DIST, name)).href;
}

function bareLoop(lines: readonly string[]): void {
  for (const line of lines) {
    if (line === "") continue;
    bareParse(line);
  }
}

async function bareRead(file: string): Promise<void> {
  const chunks: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      bareParse(bytes.toString("utf8", start, end));
      start = end + 1;
    }
    held = bytes.subarray(start);
  }
}

function bareParse(line: string): void {
  try {
    JSON.parse(line);
  } catch {
    // Real files have damaged lines.
  }
}
