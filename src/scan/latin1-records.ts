/**
 * Records of Claude Code for figures, read as Latin-1: each byte a character. JSON is all ASCII but for what stands in
 * texts, so the same lines can be read, in two thirds of the time, and what is not ASCII in their texts comes out
 * wrong. That does no harm where nothing looks at those texts.
 */
import { isAscii } from "node:buffer";
import { isFields, type Fields } from "../parse/json-fields.ts";

/** Undefined if the line is no JSON object. The bytes must be UTF-8. */
export function recordOf(bytes: Buffer, start: number, end: number): Fields | undefined {
  const record = objectIn(bytes.toString("latin1", start, end));
  if (record === undefined || isAscii(bytes.subarray(start, end)) || isUnharmed(record)) return record;
  return objectIn(bytes.toString("utf8", start, end));
}

function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the figures of a record are the same though its texts are wrong. */
function isUnharmed(record: Fields): boolean {
  if (!haveAsciiTexts(record)) return false;
  const { type, message } = record;
  if (type === "progress") return true;
  if (!isFields(message) || !haveAsciiTexts(message) || !Array.isArray(message["content"])) return false;
  if (type === "assistant") return message["content"].every(isUnharmedAnswer);
  return type === "user" && message["content"].length > 0 && message["content"].every(isUnharmedResult);
}

const NOT_ASCII = /[\u0080-\u00ff]/;

/** Ids, times, names and the like; not what is nested in them. */
function haveAsciiTexts(fields: Fields): boolean {
  for (const key in fields) {
    const value = fields[key];
    if (typeof value === "string" && NOT_ASCII.test(value)) return false;
  }
  return true;
}

/** Of these blocks figures count only how many there are, and of which tool. */
function isUnharmedAnswer(block: unknown): boolean {
  if (!isFields(block)) return false;
  const { type } = block;
  return type === "text" || type === "thinking" || (type === "tool_use" && haveAsciiTexts(block));
}

/** How a call ended is told by ASCII texts at the start of a result, after white space, which need not be ASCII. */
const PLAIN_START = /^[ \t\r\n]*[!-;=-~]/;

function isUnharmedResult(block: unknown): boolean {
  if (!isFields(block) || block["type"] !== "tool_result") return false;
  const { is_error: isError, content, tool_use_id: id } = block;
  if (typeof id === "string" && NOT_ASCII.test(id)) return false;
  return isError === false || (isError === undefined && typeof content === "string" && PLAIN_START.test(content));
}
