/**
 * What the indexer must know of the lines before, as bytes: so that it goes on without reading them again. Holds hashes
 * in place of ids and texts, and names that were redacted.
 */
import { isFields } from "../parse/json-fields.ts";
import { noProgress, type OpenResult, type Progress } from "./session-events.ts";
import type { Clean } from "./redact-events.ts";
import { SessionFacts } from "./session-facts.ts";

/** Another number is of another program version: then the lines are read again. */
const VERSION = 1;
const CALL_NUMBERS = 4;
const OWN = 1;

/** Where the memory holds: after these bytes and lines. */
export interface Mark {
  bytes: number;
  lines: number;
}

/** All texts that `packMemory` asks to be redacted. */
export function* textsInMemory({ calls, facts }: Progress): Generator<string | null> {
  for (const [, { tool }] of calls.entries()) yield tool;
  yield* Object.values(facts.toJSON());
}

export function packMemory(progress: Progress, { bytes, lines }: Mark, clean: Clean): Uint8Array {
  const tools = new Map<string | null, number>();
  const calls: number[] = [];
  for (const [key, { line, tool, isOwn }] of progress.calls.entries()) {
    const name = clean(tool);
    const place = tools.get(name) ?? tools.set(name, tools.size).size - 1;
    calls.push(...numbersOf(key), line, place * 2 + (isOwn ? OWN : 0));
  }
  const { facts, open, events } = progress;
  const head = { bytes, lines, events, open, facts: facts.cleaned(clean), tools: [...tools.keys()] };
  const parts = [progress.records.pairs(), progress.said.pairs(), Int32Array.from(calls)].map(
    (numbers) => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
  );
  const text = Buffer.from(JSON.stringify(head));
  const sizes = Buffer.from(new Uint32Array([VERSION, text.length, ...parts.map(({ length }) => length)]).buffer);
  return Buffer.concat([sizes, text, ...parts]);
}

/** Undefined if the bytes are not what this version writes for this place. */
export function unpackMemory(memory: Uint8Array, { bytes, lines }: Mark): Progress | undefined {
  const all = Buffer.from(memory);
  if (all.length < 20 || all.readUInt32LE(0) !== VERSION) return undefined;
  const sizes = [4, 8, 12, 16].map((at) => all.readUInt32LE(at));
  if (sizes.reduce((sum, size) => sum + size, 20) !== all.length) return undefined;
  const [headSize = 0, recordsSize = 0, saidSize = 0] = sizes;
  const head = parsed(all.toString("utf8", 20, 20 + headSize));
  if (!isFields(head) || head["bytes"] !== bytes || head["lines"] !== lines) return undefined;
  const records = 20 + headSize;
  const said = records + recordsSize;
  const progress = noProgress();
  progress.records.restore(numbersAt(all, records, said));
  progress.said.restore(numbersAt(all, said, said + saidSize));
  if (!restoreCalls(progress, numbersAt(all, said + saidSize, all.length), head["tools"])) return undefined;
  const open = openResults(head["open"]);
  if (open === undefined || typeof head["events"] !== "number" || !isFields(head["facts"])) return undefined;
  return { ...progress, open, events: head["events"], facts: SessionFacts.from(head["facts"]) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function restoreCalls({ calls }: Progress, numbers: Int32Array, tools: unknown): boolean {
  if (!Array.isArray(tools)) return false;
  const names: unknown[] = tools;
  for (let at = 0; at + CALL_NUMBERS <= numbers.length; at += CALL_NUMBERS) {
    const [first = 0, second = 0, line = 0, flags = 0] = numbers.subarray(at, at + CALL_NUMBERS);
    const tool = names[flags >> 1];
    calls.put(keyOf(first, second), {
      line,
      tool: typeof tool === "string" ? tool : null,
      isOwn: (flags & OWN) === OWN,
    });
  }
  return true;
}

function openResults(value: unknown): OpenResult[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: unknown[] = value;
  const open: OpenResult[] = [];
  for (const item of items) {
    if (!isFields(item)) return undefined;
    const { event_id, key, line } = item;
    if (typeof event_id !== "string" || typeof key !== "string" || typeof line !== "number") return undefined;
    open.push({ event_id, key, line });
  }
  return open;
}

/** 16 hexadecimal digits as two numbers, and back. */
function numbersOf(key: string): [number, number] {
  return [Number.parseInt(key.slice(0, 8), 16) | 0, Number.parseInt(key.slice(8), 16) | 0];
}

function keyOf(first: number, second: number): string {
  return [first, second].map((number) => (number >>> 0).toString(16).padStart(8, "0")).join("");
}

/** A copy: the bytes may begin at a place that numbers cannot. */
function numbersAt(bytes: Buffer, from: number, to: number): Int32Array {
  return new Int32Array(Uint8Array.from(bytes.subarray(from, to)).buffer);
}
