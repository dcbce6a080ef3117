/**
 * Reads a long session, made from a short one on standard input, and prints how much memory that took: `memory-child.ts MB`.
 * It repeats the short one with new ids and longer texts. Prints `{turns, messages, peak}`, with the peak in bytes.
 */
import { existsSync, readFileSync } from "node:fs";
import { readTranscript } from "../../../src/agents/parse-input.ts";
import { isFields } from "../../../src/parse/json-fields.ts";

const LIMIT = Number(process.argv[2]) * 1024 * 1024;
/** Texts that get longer. */
const SENTENCE = /^[A-Z][^<>{}\n]* [^<>{}\n]*\.$/;
const FILLER = ` ${"Lorem ipsum dolor sit amet. ".repeat(1_500)}`;
/** Names of ids; that of the session stays. */
const ID = /(?:^id|uuid|_id|I[dD])$/;
const SESSION = /^(?:session_?id|thread_?id|conversation_?id)$/i;

const records: unknown[] = readFileSync(0, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line));
let turns = 0;
let size = 0;

async function* turnsOfFile(): AsyncGenerator<Uint8Array> {
  while (size < LIMIT) {
    turns += 1;
    for (const record of records) {
      const chunk = Buffer.from(`${JSON.stringify(renewed(record, ""))}\n`);
      size += chunk.length;
      yield chunk;
    }
  }
}

function renewed(value: unknown, key: string): unknown {
  if (typeof value === "string") {
    if (SENTENCE.test(value)) return `${turns} ${value}${FILLER}`;
    return ID.test(key) && !SESSION.test(key) ? `${value}-${turns}` : value;
  }
  if (Array.isArray(value)) return value.map((each) => renewed(each, key));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, renewed(each, name)]));
}

const reader = readTranscript("S", () => turnsOfFile(), { pricing: "flat" });
let messages = 0;
for await (const { message } of reader) messages = Math.max(messages, message.ordinal + 1);
const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) * 1024;
console.log(JSON.stringify({ turns, messages, peak }));
