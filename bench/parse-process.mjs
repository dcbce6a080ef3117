/**
 * One way of parsing, for `parse.ts`: reads the list of files from standard input, and prints the times in milliseconds
 * and the peak memory in bytes.
 *
 *     node bench/parse-process.mjs DIST parse|bare|read|'bare read' < FILES.json
 */
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 10;

const [, , dist, way] = process.argv;
console.log(JSON.stringify(await measure(JSON.parse(readFileSync(0, "utf8")))));

async function measure(files) {
  const work = await workOf();
  const start = performance.now();
  const isWhole = way === "parse" || way === "bare";
  const texts = files.map((file) => (isWhole ? readFileSync(file, "utf8") : file));
  const read = performance.now();
  for (const text of texts) await work(text);
  const end = performance.now();
  return { reading: read - start, working: end - read, peak: peakMemory() };
}

/** The peak of `resourceUsage` may be that of the process that started this one. */
function peakMemory() {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) * 1024;
}

/** Returns the work to measure, for a text or the path of a file; everything it needs is loaded beforehand. */
async function workOf() {
  if (way === "bare") return async (text) => bareLoop(text.split("\n"));
  if (way === "bare read") return bareRead;
  if (way === "parse") {
    const { parseTranscript } = await import(built("parse/parse-transcript.js"));
    return async (text) => void (await parseTranscript("bench", text));
  }
  const { readTranscript } = await import(built("parse/read-transcript.js"));
  return async (file) => {
    const reader = readTranscript("bench", createReadStream(file, { highWaterMark: CHUNK_BYTES }));
    let messages = 0;
    // A message comes once for each of its pieces.
    for await (const { message } of reader) messages = Math.max(messages, message.ordinal + 1);
    if (messages !== reader.summary().stats.total_messages) throw new Error("messages were lost");
  };
}

function built(name) {
  return pathToFileURL(join(dist, name)).href;
}

function bareLoop(lines) {
  for (const line of lines) {
    if (line === "") continue;
    bareParse(line);
  }
}

async function bareRead(file) {
  const chunks = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  let held = Buffer.alloc(0);
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

function bareParse(line) {
  try {
    JSON.parse(line);
  } catch {
    // Real files have damaged lines.
  }
}
