import { recordIn, type Fields } from "../parse/json-fields.ts";

/** Maximum number of lines tried to detect a format. */
const MAX_LINES = 50;

/** One line of a head. `record` is undefined unless the whole line is a JSON object. */
export interface HeadLine {
  text: string;
  record: Fields | undefined;
}

interface Head {
  text: string;
  /** Lines so far, and where the next one begins: after the end if there is none. */
  lines: HeadLine[];
  next: number;
}

/** The most recent head, because each format in turn inspects the same one. */
let last: Head = { text: "", lines: [], next: 0 };

/** Yields the first lines of JSON lines. Each is parsed on demand, and only once. */
export function* headLines(text: string): Generator<HeadLine> {
  if (last.text !== text) last = { text, lines: [], next: text.startsWith("\ufeff") ? 1 : 0 };
  const head = last;
  for (let at = 0; at < MAX_LINES; at += 1) {
    const line = head.lines[at] ?? nextLine(head);
    if (line === undefined) return;
    yield line;
  }
}

function nextLine(head: Head): HeadLine | undefined {
  if (head.next > head.text.length) return undefined;
  const feed = head.text.indexOf("\n", head.next);
  const end = feed === -1 ? head.text.length : feed;
  const text = head.text.slice(head.next, end);
  const line = { text, record: recordIn(text) };
  head.next = end + 1;
  head.lines.push(line);
  return line;
}

/** Yields the records of the first lines. A long first line that the head cuts off yields its first flat fields. */
export function* headRecords(head: string): Generator<Fields> {
  let isEmpty = true;
  for (const { record } of headLines(head)) {
    if (record === undefined) continue;
    isEmpty = false;
    yield record;
  }
  if (isEmpty) yield flatFields(head.replace(/^\ufeff/, "").split("\n", 1)[0] ?? "");
}

/** Returns whether one of the first lines is an agent's. */
export function hasRecord(head: string, isOwn: (record: Fields) => boolean): boolean {
  for (const record of headRecords(head)) if (isOwn(record)) return true;
  return false;
}

/** Returns the fields before the first nested value. */
function flatFields(line: string): Fields {
  const flat = /^\s*\{(?:\s*"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,)*/.exec(line)?.[0] ?? "";
  return recordIn(flat.endsWith(",") ? `${flat.slice(0, -1)}}` : `${flat}}`) ?? {};
}
