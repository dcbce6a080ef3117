/** Reads sessions that are one JSON document: fields of the session, and a list of messages. */
import { isUtf8 } from "node:buffer";
import { endOfJson, type Fields, isFields, listOf, recordIn } from "../parse/json-fields.ts";
import { type InputUnit, problemAt } from "../parse/message-draft.ts";
import type { ParseError, ParseErrorCode } from "../parse/model.ts";
import { emptyUnit } from "../parse/record-units.ts";
import { FILE_START } from "../transcript/format/lines.ts";

/** Node limits strings to 512 MiB. */
const MAX_MIB = 500;
/** Number of messages in a batch. */
const BATCH = 64;
const LIST = /"messages"\s*:\s*\[/;
const BETWEEN = /[\s,]*/y;

export interface DocumentReader {
  /** Matches text before the document. */
  before?: RegExp;
  /** Returns the object that has the messages. Default: the whole document. */
  within?(this: void, document: Fields): Fields;
  session(fields: Fields): InputUnit;
  /** `number`: from 1; stands for the line, since messages have none. */
  message(message: Fields, number: number): InputUnit | undefined;
  /** Next steps, if the document is too long or damaged. Default: none. */
  advice?: { long: string; damaged: string };
}

/** See `Format.read`. Of a damaged document, reads what comes before the damage. */
export async function* readDocument(
  chunks: AsyncIterable<Uint8Array>,
  reader: DocumentReader,
): AsyncGenerator<InputUnit[]> {
  const held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size <= MAX_MIB * 1024 * 1024) held.push(chunk);
    else held.splice(0);
  }
  const { long = "", damaged = "" } = reader.advice ?? {};
  if (size > MAX_MIB * 1024 * 1024) {
    const reason =
      `This file has ${size} bytes in one JSON document, and up to ${MAX_MIB} MiB are read. ${long}`.trimEnd();
    yield [failedUnit(0, "line_too_long", reason)];
    return;
  }
  const bytes = Buffer.concat(held.splice(0));
  const text = bytes.toString("utf8");
  if (text.trim() === "") return;
  const start = /^\ufeff?/.exec(text)?.[0].length ?? 0;
  const before = reader.before?.exec(text.slice(start))?.[0].length ?? 0;
  const { session, messages, isWhole } = documentIn(text.slice(start + before), reader);
  const problems: ParseError[] = [];
  if (text.includes("\ufffd") && !isUtf8(bytes))
    problems.push(problemAt(FILE_START, "invalid_utf8", "Bytes that are not UTF-8 were replaced by U+FFFD.", true));
  if (session !== undefined) yield [{ ...reader.session(session), problems }];
  for (let at = 0; at < messages.length; at += BATCH) {
    yield messages.slice(at, at + BATCH).map((message, index) => {
      const number = at + index + 1;
      const unit = isFields(message) ? reader.message(message, number) : undefined;
      return unit ?? failedUnit(number, "not_a_record", "This is not a message.");
    });
  }
  if (isWhole) return;
  const count = messages.length === 1 ? "1 message was read" : `${messages.length} messages were read`;
  const reason =
    `The document is damaged, cut off, or followed by other text: ${count}, the rest is lost. ${damaged}`.trimEnd();
  yield [failedUnit(messages.length + 1, "torn_line", reason)];
}

interface Document {
  session: Fields | undefined;
  messages: readonly unknown[];
  isWhole: boolean;
}

function documentIn(text: string, { within = (document) => document }: DocumentReader): Document {
  const document = recordIn(text);
  if (document !== undefined) {
    const session = within(document);
    return { session, messages: listOf(session, "messages"), isWhole: Array.isArray(session["messages"]) };
  }
  const list = LIST.exec(text);
  const head = text.slice(0, list?.index).trimEnd().replace(/,$/, "");
  // The list is in the document, or in an object there.
  const fields = recordIn(`${head}}`) ?? recordIn(`${head}}}`);
  const messages: Fields[] = [];
  for (let at = list === null ? text.length : list.index + list[0].length; ;) {
    BETWEEN.lastIndex = at;
    const from = at + (BETWEEN.exec(text)?.[0].length ?? 0);
    at = text[from] === "{" ? endOfJson(text, from) : -1;
    const message = at === -1 ? undefined : recordIn(text.slice(from, at));
    if (message === undefined) return { session: fields && within(fields), messages, isWhole: false };
    messages.push(message);
  }
}

function failedUnit(number: number, code: ParseErrorCode, reason: string): InputUnit {
  const place = placeOf(number);
  return emptyUnit(place, { as: "failed" }, [problemAt(place, code, reason)]);
}

/** Returns the place of a message; 0 for that of the whole document. */
export function placeOf(number: number): { line: number; offset: number } {
  return { line: Math.max(number, 1), offset: number };
}
