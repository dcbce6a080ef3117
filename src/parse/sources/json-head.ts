import { recordIn, type Fields } from "../json-fields.ts";

/** Maximum number of lines tried to detect a format. */
const MAX_LINES = 50;

/** One line of a head. `record` is undefined unless the whole line is a JSON object. */
export interface HeadLine {
  text: string;
  record: Fields | undefined;
}

/** Lines of the most recent head, because each source in turn inspects the same one. */
let last = { head: "", texts: [""], lines: [] as HeadLine[] };

/** Yields the first lines of JSON lines. Each is parsed on demand, and only once. */
export function* headLines(head: string): Generator<HeadLine> {
  if (last.head !== head) last = { head, texts: head.replace(/^\ufeff/, "").split("\n", MAX_LINES), lines: [] };
  const { texts, lines } = last;
  for (const [at, text] of texts.entries()) yield (lines[at] ??= { text, record: recordIn(text) });
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

/** Returns the fields before the first nested value. */
function flatFields(line: string): Fields {
  const flat = /^\s*\{(?:\s*"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,)*/.exec(line)?.[0] ?? "";
  return recordIn(flat.endsWith(",") ? `${flat.slice(0, -1)}}` : `${flat}}`) ?? {};
}
