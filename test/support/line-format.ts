import type { AppendFormat, AppendRecord, TailScanner } from "../../src/transcript/files/append-format.ts";

/**
 * A format for tests of the append writer: one JSON object a line. It is strict, so that every half line and
 * every line too many shows. A record is `{key, pad}`; `pad` gives it its size.
 */
export const lineFormat: AppendFormat = {
  header: () => `{"header":1}\n`,
  scanner: (start) => new LineScanner(start),
  closing: async () => undefined,
  repair: ({ fragment, bytes }) => line({ torn: Buffer.from(fragment).toString("base64"), bytes }),
  gap: (gap) => line({ gap }),
};

/** A record of about `size` bytes. */
export function lineRecord(key: string, size = 0): AppendRecord {
  return { keys: [key], data: line({ key, pad: "x".repeat(Math.max(0, size - key.length - 20)) }) };
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

const NEWLINE = 10;

class LineScanner implements TailScanner {
  rest: { start: number; body: Buffer };

  constructor(start: number) {
    this.rest = { start, body: Buffer.alloc(0) };
  }

  async *keysIn(chunk: Uint8Array): AsyncGenerator<string> {
    const bytes = Buffer.concat([this.rest.body, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      // The beginning of a line tells enough; whether all of it is sound is for the test to say.
      const beginning = bytes.toString("utf8", start, Math.min(end, start + 200));
      const key = /^\{"key":("(?:[^"\\]|\\.)*")/.exec(beginning)?.[1];
      if (key !== undefined) yield String(JSON.parse(key));
      start = end + 1;
    }
    this.rest = { start: this.rest.start + start, body: bytes.subarray(start) };
  }
}

type Line =
  | { kind: "header" | "bad" }
  | { kind: "record"; key: string }
  | { kind: "gap"; missing: number; reasons: Record<string, number> }
  | { kind: "torn"; text: string; bytes: number };

function parseLine(text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "bad" };
  }
  if (!isObject(value)) return { kind: "bad" };
  if (value["header"] === 1) return { kind: "header" };
  if (typeof value["key"] === "string") return { kind: "record", key: value["key"] };
  if (typeof value["torn"] === "string" && typeof value["bytes"] === "number") {
    const text = Buffer.from(value["torn"], "base64").toString();
    return { kind: "torn", text, bytes: value["bytes"] };
  }
  const gap = value["gap"];
  if (!isObject(gap) || typeof gap["missing"] !== "number" || !isObject(gap["reasons"])) return { kind: "bad" };
  const reasons = Object.entries(gap["reasons"]).map(([code, count]) => [code, Number(count)] as const);
  return { kind: "gap", missing: gap["missing"], reasons: Object.fromEntries(reasons) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Content of a file in this format. */
export interface LineFile {
  /** Keys of the records, in order. */
  keys: string[];
  /** Records and gaps in order; a gap is its number of missing records. */
  order: (string | number)[];
  missing: number;
  reasons: Record<string, number>;
  /** Torn tails that were repaired. */
  torn: { text: string; bytes: number }[];
  /** Bytes behind the last newline. */
  tail: string;
  /** What must not be: bad lines, doubled keys, headers at the wrong place or too many of them. */
  problems: string[];
}

export function readLines(content: Uint8Array): LineFile {
  const text = Buffer.from(content).toString("utf8");
  const lines = text.split("\n");
  const file: LineFile = {
    keys: [],
    order: [],
    missing: 0,
    reasons: {},
    torn: [],
    tail: "",
    problems: [],
  };
  file.tail = lines.pop() ?? "";
  const seen = new Set<string>();
  for (const [index, raw] of lines.entries()) {
    const found = parseLine(raw);
    if ((found.kind === "header") !== (index === 0)) file.problems.push(`line ${index + 1}: ${found.kind}`);
    if (found.kind === "bad") file.problems.push(`line ${index + 1} is damaged: ${raw.slice(0, 80)}`);
    if (found.kind === "torn") file.torn.push(found);
    if (found.kind === "gap") {
      file.missing += found.missing;
      file.order.push(found.missing);
      for (const [code, count] of Object.entries(found.reasons)) {
        file.reasons[code] = (file.reasons[code] ?? 0) + count;
      }
    }
    if (found.kind !== "record") continue;
    if (seen.has(found.key)) file.problems.push(`line ${index + 1}: ${found.key} stands twice`);
    seen.add(found.key);
    file.keys.push(found.key);
    file.order.push(found.key);
  }
  return file;
}
