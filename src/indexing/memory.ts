/**
 * What the indexer must know of the lines before, as bytes: so that it goes on without reading them again. Holds hashes
 * in place of ids and texts, and names that were redacted.
 */
import { isFields } from "../parse/json-fields.ts";
import type { OpenText } from "./open-texts.ts";
import { noProgress, type OpenResult, type Progress } from "./session-events.ts";
import type { Clean } from "./redact-events.ts";
import { SessionFacts } from "./session-facts.ts";

/** Another number is of another program version: then the lines are read again. */
const VERSION = 2;
const CALL_NUMBERS = 4;
const NAME_NUMBERS = 3;
/** The version, and the sizes of the parts. */
const SIZES = 6;
const OWN = 1;

/** Where the memory holds: after these bytes and lines. */
export interface Mark {
  bytes: number;
  lines: number;
}

/** All texts that `packMemory` asks to be redacted. */
export function* textsInMemory({ calls, open, facts }: Progress): Generator<string | null> {
  for (const [, { tool }] of calls.entries()) yield tool;
  for (const { tool } of open) yield tool;
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
  const { facts, events } = progress;
  const open = progress.open.map((result) => ({ ...result, tool: clean(result.tool) }));
  const texts = [...progress.texts];
  const head = { bytes, lines, events, open, texts, facts: facts.cleaned(clean), tools: [...tools.keys()] };
  const names = [...progress.names].flatMap(([key, times]) => [...numbersOf(key), times]);
  const { records, said } = progress;
  const parts = [records.pairs(), said.pairs(), Int32Array.from(calls), Int32Array.from(names)].map(
    (numbers) => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
  );
  const text = Buffer.from(JSON.stringify(head));
  const sizes = Buffer.from(new Uint32Array([VERSION, text.length, ...parts.map(({ length }) => length)]).buffer);
  return Buffer.concat([sizes, text, ...parts]);
}

/** Undefined if the bytes are not what this version writes for this place. */
export function unpackMemory(memory: Uint8Array, { bytes, lines }: Mark): Progress | undefined {
  const [text, ...numbers] = partsOf(Buffer.from(memory));
  const head = text && parsed(text.toString("utf8"));
  if (!isFields(head) || head["bytes"] !== bytes || head["lines"] !== lines) return undefined;
  const [records, said, calls, names] = numbers.map(numbersIn);
  const progress = noProgress();
  if (!records || !said || !calls || !names || !restoreCalls(progress, calls, head["tools"])) return undefined;
  progress.records.restore(records);
  progress.said.restore(said);
  for (let at = 0; at + NAME_NUMBERS <= names.length; at += NAME_NUMBERS)
    progress.names.set(keyOf(names[at] ?? 0, names[at + 1] ?? 0), names[at + 2] ?? 0);
  const open = listOf(head["open"], openResult);
  const texts = listOf(head["texts"], openText);
  const { events, facts } = head;
  if (open === undefined || texts === undefined || typeof events !== "number" || !isFields(facts)) return undefined;
  return { ...progress, open, texts: new Map(texts), events, facts: SessionFacts.from(facts) };
}

/** None if the sizes do not fit the bytes, or another version wrote them. */
function partsOf(all: Buffer): Buffer[] {
  const begin = SIZES * Uint32Array.BYTES_PER_ELEMENT;
  if (all.length < begin || all.readUInt32LE(0) !== VERSION) return [];
  const parts: Buffer[] = [];
  let at = begin;
  for (let part = 1; part < SIZES; part += 1) {
    const size = all.readUInt32LE(part * Uint32Array.BYTES_PER_ELEMENT);
    parts.push(all.subarray(at, at + size));
    at += size;
  }
  return at === all.length ? parts : [];
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

/** Undefined if it is no list, or has an item that is none. */
function listOf<T>(value: unknown, itemOf: (item: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map(itemOf);
  const known = items.filter((item) => item !== undefined);
  return known.length === items.length ? known : undefined;
}

function openResult(item: unknown): OpenResult | undefined {
  if (!isFields(item)) return undefined;
  const { event_id, key, line, tool } = item;
  const isWhole = typeof event_id === "string" && typeof key === "string" && typeof line === "number";
  return isWhole && (typeof tool === "string" || tool === null) ? { event_id, key, line, tool } : undefined;
}

function openText(item: unknown): [string, OpenText] | undefined {
  const [key, fields]: unknown[] = Array.isArray(item) ? item : [];
  if (typeof key !== "string" || !isFields(fields)) return undefined;
  const [line, offset, ordinal] = [fields["line"], fields["offset"], fields["ordinal"]];
  const pieces = listOf(fields["pieces"], (place) => (typeof place === "number" ? place : undefined));
  const isWhole = typeof line === "number" && typeof offset === "number" && typeof ordinal === "number";
  return isWhole && pieces ? [key, { line, offset, ordinal, pieces }] : undefined;
}

/** 16 hexadecimal digits as two numbers, and back. */
function numbersOf(key: string): [number, number] {
  return [Number.parseInt(key.slice(0, 8), 16) | 0, Number.parseInt(key.slice(8), 16) | 0];
}

function keyOf(first: number, second: number): string {
  return [first, second].map((number) => (number >>> 0).toString(16).padStart(8, "0")).join("");
}

/** A copy: the bytes may begin at a place that numbers cannot. */
function numbersIn(bytes: Buffer): Int32Array {
  return new Int32Array(Uint8Array.from(bytes).buffer);
}
