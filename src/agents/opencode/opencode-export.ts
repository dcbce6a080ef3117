/** Reads the output of `opencode export`: `{ "info": {…}, "messages": [ { "info": {…}, "parts": […] } ] }`. */
import { isUtf8 } from "node:buffer";
import { FILE_START } from "../../transcript/format/lines.ts";
import { endOfJson, fieldsOf, isFields, listOf, recordIn, type Fields } from "../../parse/json-fields.ts";
import { problemAt, type InputUnit } from "../../parse/message-draft.ts";
import type { ParseError, ParseErrorCode } from "../../parse/model.ts";
import type { Format } from "../agent.ts";
import { opencodeTools } from "./opencode-tools.ts";
import { messageUnit, sessionUnit } from "./opencode-units.ts";

/** Node limits strings to 512 MiB. */
const MAX_EXPORT_MIB = 500;
/** Number of messages in a batch. */
const BATCH = 64;

const SPACE = String.raw`[ \t\r\n]*`;
const SCALAR_MEMBERS = `(?:"[^"]*"${SPACE}:${SPACE}(?:"(?:[^"\\\\]|\\\\.)*"|[^"{[,\\]}]+),${SPACE})*`;
/** Some save the note that opencode prints to standard error before the export. 2.x has the export in `data`. */
const BEFORE_INFO = new RegExp(
  String.raw`^(\ufeff?${SPACE}(?:Exporting session[^{]*)?)\{${SPACE}(?:"data"${SPACE}:${SPACE}\{${SPACE})?${SCALAR_MEMBERS}"info"${SPACE}:${SPACE}(?=\{)`,
);
const LIST = new RegExp(String.raw`^${SPACE},${SPACE}"messages"${SPACE}:${SPACE}\[`);
const BETWEEN = /[ \t\r\n,]*/y;

/** Exports of opencode sessions. They are a single JSON value, so they are read as a whole. */
export const opencodeExport: Format = {
  name: "opencode-export",
  lines: "none",
  tools: opencodeTools,
  hasStableIds: true,
  isExport: true,
  detect: beginsExport,
  read: readExport,
};

/** Returns true if a text begins like an export: an object with a session's `info`, or with a list of messages like opencode's. */
function beginsExport(head: string): boolean {
  const start = BEFORE_INFO.exec(head)?.[0].length;
  if (start === undefined) return false;
  const end = endOfJson(head, start);
  if (/"id"\s*:\s*"ses_/.test(head.slice(start, end === -1 ? head.length : end))) return true;
  if (end === -1) return false;
  const rest = head.slice(end);
  return /^\s*(?:\]|\{\s*"(?:info|parts)")/.test(rest.slice(LIST.exec(rest)?.[0].length ?? rest.length));
}

async function* readExport(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<InputUnit[]> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size <= MAX_EXPORT_MIB * 1024 * 1024) held.push(chunk);
    else held = [];
  }
  if (size > MAX_EXPORT_MIB * 1024 * 1024) {
    const reason = `This export has ${size} bytes, and up to ${MAX_EXPORT_MIB} MiB are read. Export a fork of the session with fewer messages.`;
    yield [failedUnit(0, "line_too_long", reason)];
    return;
  }
  const bytes = Buffer.concat(held);
  held = [];
  const text = bytes.toString("utf8");
  if (text.trim() === "") return;
  const { info, messages, isWhole } = exportIn(text);
  const problems: ParseError[] = [];
  if (text.includes("\ufffd") && !isUtf8(bytes))
    problems.push(problemAt(FILE_START, "invalid_utf8", "Bytes that are not UTF-8 were replaced by U+FFFD.", true));
  if (info !== undefined) yield [{ ...sessionUnit(info), problems }];
  for (let at = 0; at < messages.length; at += BATCH) {
    yield messages.slice(at, at + BATCH).map((message, index) => {
      const number = at + index + 1;
      if (isFields(message)) return messageUnit(message, number, info);
      return failedUnit(number, "not_a_record", "This is not a message of opencode: it is no JSON object.");
    });
  }
  if (isWhole) return;
  const count = messages.length === 1 ? "1 message was read" : `${messages.length} messages were read`;
  const reason = `The export is damaged, cut off, or followed by other text: ${count}, the rest is lost. Export the session again.`;
  yield [failedUnit(messages.length + 1, "torn_line", reason)];
}

interface ReadExport {
  info: Fields | undefined;
  messages: readonly unknown[];
  isWhole: boolean;
}

function exportIn(text: string): ReadExport {
  const begin = BEFORE_INFO.exec(text);
  const value = recordIn(text.slice(begin?.[1]?.length ?? 0));
  if (value === undefined) return { ...beginningOf(text, begin?.[0].length), isWhole: false };
  const session = fieldsOf(value, "info") === undefined ? fieldsOf(value, "data") : value;
  return {
    info: fieldsOf(session, "info"),
    messages: listOf(session, "messages"),
    isWhole: Array.isArray(session?.["messages"]),
  };
}

/** Reads the beginning of an export that is not JSON as a whole, up to the first message that is damaged. */
function beginningOf(text: string, start: number | undefined): Omit<ReadExport, "isWhole"> {
  const end = start === undefined ? -1 : endOfJson(text, start);
  if (end === -1) return { info: undefined, messages: [] };
  const messages: Fields[] = [];
  const list = LIST.exec(text.slice(end))?.[0].length;
  for (let at = list === undefined ? text.length : end + list; ;) {
    BETWEEN.lastIndex = at;
    const from = at + (BETWEEN.exec(text)?.[0].length ?? 0);
    at = text[from] === "{" ? endOfJson(text, from) : -1;
    const message = at === -1 ? undefined : recordIn(text.slice(from, at));
    if (message === undefined) return { info: recordIn(text.slice(start, end)), messages };
    messages.push(message);
  }
}

function failedUnit(number: number, code: ParseErrorCode, reason: string): InputUnit {
  const place = { line: Math.max(number, 1), offset: number };
  return { ...place, lines: 1, outcome: { as: "failed" }, messages: [], problems: [problemAt(place, code, reason)] };
}
