import { isFields, type Fields } from "../json-fields.ts";

/** Objects that are tried to tell what a file is. */
const MAX_RECORDS = 50;

/** The records of the first lines of JSON lines. A long first line that the head cuts off gives its first flat fields. */
export function headRecords(head: string): Fields[] {
  const lines = head.replace(/^\ufeff/, "").split("\n", MAX_RECORDS);
  const records = lines.map(objectIn).filter((record) => record !== undefined);
  return records.length > 0 ? records : [flatFields(lines[0] ?? "")];
}

function objectIn(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The fields before the first nested value. */
function flatFields(line: string): Fields {
  const flat = /^\s*\{(?:\s*"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,)*/.exec(line)?.[0] ?? "";
  return objectIn(flat.endsWith(",") ? `${flat.slice(0, -1)}}` : `${flat}}`) ?? {};
}
