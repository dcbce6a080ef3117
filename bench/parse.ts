/**
 * The full parse against a bare loop of `JSON.parse` over the same lines, each in a process of its own, in turn: of
 * 5 MB and 144 MB at once, and of 1 GB message by message. Prints the ratios with and without the reading of the file,
 * and the peak memory of the reader. Needs `dist/`.
 */
import { spawnSync } from "node:child_process";
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { parseTranscript as Parse } from "../src/parse/parse-transcript.ts";
import type { readTranscript as Read } from "../src/parse/read-transcript.ts";
import { REPOSITORY } from "../test/support/repository.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { generateLines, writeLines } from "./generate-sessions.ts";
import { median, table } from "./statistics.ts";

const PAIRS = Number(process.env["BENCH_PAIRS"] ?? 3);
const DIST = process.env["BENCH_DIST"] ?? join(REPOSITORY, "dist");
const MB = 1_000_000;
const SIZES = (process.env["BENCH_MB"] ?? "5,144,1000").split(",").map((size) => Number(size) * MB);
/** Larger files do not fit into one string. */
const LARGEST_WHOLE = 400 * MB;
const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 10;

/** What a process did, in milliseconds and bytes. */
interface Measured {
  reading: number;
  working: number;
  peak: number;
}

const NOTHING: Measured = { reading: Number.NaN, working: Number.NaN, peak: Number.NaN };

type Way = "parse" | "parse bytes" | "bare" | "read" | "bare read";

const [, , way, path = ""] = process.argv;
if (way === undefined) await compare();
else console.log(JSON.stringify(await measure(way, path)));

async function compare(): Promise<void> {
  const rows = [
    ["MB", "way", "median ms", "bare loop ms", "ratio", "ratio without reading", "peak MiB", "bare loop's peak MiB"],
  ];
  await inTemporaryFolder(async (folder) => {
    for (const bytes of SIZES) {
      const file = join(folder, `${bytes}.jsonl`);
      writeLines(file, generateLines(1, bytes));
      if (bytes <= LARGEST_WHOLE) {
        rows.push(row(bytes, file, "parse", "bare"));
        rows.push(row(bytes, file, "parse bytes", "bare"));
      }
      rows.push(row(bytes, file, "read", "bare read"));
    }
  });
  console.log(`Parsing against JSON.parse alone, ${PAIRS} pairs of processes (Node ${process.versions.node})`);
  console.log("parse: parseTranscript of a text; parse bytes: of the same file as bytes, against the same loop;");
  console.log("read: readTranscript of a stream, where reading is part of the work.");
  console.log(table(rows));
  console.log("Targets: ratio <= 1.5; peak of the reader <= 100 MiB at 144 MB and at 1 GB.\n");
}

function row(bytes: number, file: string, ours: Way, bare: Way): string[] {
  const pairs = Array.from({ length: PAIRS }, (_, at) => {
    const [first, second] = at % 2 === 0 ? [ours, bare] : [bare, ours];
    const results = { [first]: child(first, file), [second]: child(second, file) };
    return { ours: results[ours] ?? NOTHING, bare: results[bare] ?? NOTHING };
  });
  const all = ({ reading, working }: Measured): number => reading + working;
  const mebibytes = (peaks: number[]): string => (Math.max(...peaks) / 2 ** 20).toFixed(0);
  return [
    (bytes / MB).toFixed(0),
    ours,
    median(pairs.map((pair) => all(pair.ours))).toFixed(0),
    median(pairs.map((pair) => all(pair.bare))).toFixed(0),
    median(pairs.map((pair) => all(pair.ours) / all(pair.bare))).toFixed(2),
    ours !== "parse" ? "" : median(pairs.map((pair) => pair.ours.working / pair.bare.working)).toFixed(2),
    mebibytes(pairs.map((pair) => pair.ours.peak)),
    mebibytes(pairs.map((pair) => pair.bare.peak)),
  ];
}

function child(ways: Way, file: string): Measured {
  const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, ways, file], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${ways} of ${file} failed: ${stderr}`);
  return { ...NOTHING, ...JSON.parse(stdout) };
}

async function measure(name: string, file: string): Promise<Measured> {
  const work = await workOf(name);
  const start = performance.now();
  const content = contentOf(name, file);
  const read = performance.now();
  await work(content, file);
  const end = performance.now();
  return { reading: read - start, working: end - read, peak: process.resourceUsage().maxRSS * 1024 };
}

function contentOf(name: string, file: string): string | Buffer {
  if (name === "parse bytes") return readFileSync(file);
  return name === "parse" || name === "bare" ? readFileSync(file, "utf8") : "";
}

/** What is measured; what it needs is loaded beforehand. */
async function workOf(name: string): Promise<(content: string | Buffer, file: string) => Promise<void>> {
  if (name === "bare") return async (content) => bareLoop(content.toString().split("\n"));
  if (name === "bare read") return (_, file) => bareRead(file);
  if (name === "parse" || name === "parse bytes") {
    const { parseTranscript }: { parseTranscript: typeof Parse } = await import(built("parse/parse-transcript.js"));
    return async (content) => void (await parseTranscript("bench", content));
  }
  const { readTranscript }: { readTranscript: typeof Read } = await import(built("parse/read-transcript.js"));
  return async (_, file) => {
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
  for (const line of lines) if (line !== "") JSON.parse(line);
}

async function bareRead(file: string): Promise<void> {
  const chunks: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      JSON.parse(bytes.toString("utf8", start, end));
      start = end + 1;
    }
    held = bytes.subarray(start);
  }
}
