/** The two forms of Gemini CLI's files: a journal since April 2026, before that one JSON document that was written again. */
import type { ReadOptions } from "../../parse/content.ts";
import { endOfJson, type Fields, isFields, listOf, recordIn, textOf } from "../../parse/json-fields.ts";
import { type InputUnit, problemAt } from "../../parse/message-draft.ts";
import { emptyUnit, readRecords } from "../../parse/record-units.ts";
import { msOf } from "../../parse/times.ts";
import type { Format } from "../agent.ts";
import { headLines } from "../json-head.ts";
import { GeminiReader } from "./gemini-messages.ts";
import { geminiTools } from "./gemini-tools.ts";

/** Node limits strings to 512 MiB. */
const MAX_DOCUMENT_MIB = 500;
/** Number of messages in a batch. */
const BATCH = 64;
const DOCUMENT = /^\ufeff?\s*\{(?=[^]{0,2000}"sessionId"\s*:)(?=[^]{0,2000}"projectHash"\s*:)/;
const LIST = /"messages"\s*:\s*\[/;
const BETWEEN = /[\s,]*/y;
const FAILED = { as: "failed" } as const;

export const geminiJournal: Format = {
  name: "gemini-cli",
  lines: "json",
  tools: geminiTools,
  detect: isJournal,
  read: (chunks, options) => readRecords(chunks, options, new GeminiReader()),
};

export const geminiDocument: Format = {
  name: "gemini-cli-document",
  lines: "none",
  tools: geminiTools,
  detect: (head) => DOCUMENT.test(head) && !isJournal(head),
  read: readDocument,
  head: async (start) => {
    const text = Buffer.from(start).toString("utf8");
    const fieldOfHead = (name: string): string | null =>
      new RegExp(`"${name}"\\s*:\\s*"([^"]+)"`).exec(text)?.[1] ?? null;
    const startedMs = msOf(fieldOfHead("startTime") ?? undefined);
    return { sessionId: fieldOfHead("sessionId"), parentId: null, cwd: null, title: null, startedMs, isWhole: true };
  },
};

function isJournal(head: string): boolean {
  for (const { record } of headLines(head)) {
    if (record === undefined || "uuid" in record) continue;
    if ("$set" in record || "$rewindTo" in record) return true;
    if ("projectHash" in record && "sessionId" in record) return !("messages" in record);
  }
  return false;
}

async function* readDocument(chunks: AsyncIterable<Uint8Array>, _options: ReadOptions): AsyncGenerator<InputUnit[]> {
  const held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size <= MAX_DOCUMENT_MIB * 1024 * 1024) held.push(chunk);
  }
  if (size > MAX_DOCUMENT_MIB * 1024 * 1024) {
    const reason = `This session has ${size} bytes in one JSON document, and up to ${MAX_DOCUMENT_MIB} MiB are read.`;
    yield [failedUnit(0, "line_too_long", reason)];
    return;
  }
  const { session, messages, isWhole } = documentIn(
    Buffer.concat(held)
      .toString("utf8")
      .replace(/^\ufeff/, ""),
  );
  const reader = new GeminiReader();
  const { messages: _messages, ...fields } = session;
  yield [reader.unit(placeOf(0), fields, [])];
  for (let at = 0; at < messages.length; at += BATCH) {
    yield messages.slice(at, at + BATCH).map((message, index) => {
      const number = at + index + 1;
      if (!isFields(message) || textOf(message, "type") === undefined)
        return failedUnit(number, "not_a_record", "This is not a message of Gemini CLI.");
      return { ...reader.unit(placeOf(number), message, []), record: message };
    });
  }
  if (isWhole) return;
  const reason = `The document is damaged or cut off: ${messages.length} of its messages were read, the rest is lost.`;
  yield [failedUnit(messages.length + 1, "torn_line", reason)];
}

/** Reads a document; of one that is damaged, what comes before. */
function documentIn(text: string): { session: Fields; messages: readonly unknown[]; isWhole: boolean } {
  const session = recordIn(text);
  if (session !== undefined) return { session, messages: listOf(session, "messages"), isWhole: true };
  const list = LIST.exec(text);
  const start = list === null ? text.length : list.index + list[0].length;
  const fields = recordIn(`${text.slice(0, list?.index).replace(/[\s,]*$/, "")}}`) ?? {};
  const messages: Fields[] = [];
  for (let at = start; ;) {
    BETWEEN.lastIndex = at;
    const from = at + (BETWEEN.exec(text)?.[0].length ?? 0);
    at = text[from] === "{" ? endOfJson(text, from) : -1;
    const message = at === -1 ? undefined : recordIn(text.slice(from, at));
    if (message === undefined) return { session: fields, messages, isWhole: false };
    messages.push(message);
  }
}

function placeOf(number: number): { line: number; offset: number } {
  return { line: Math.max(number, 1), offset: number };
}

function failedUnit(number: number, code: "line_too_long" | "not_a_record" | "torn_line", reason: string): InputUnit {
  const place = placeOf(number);
  return emptyUnit(place, FAILED, [problemAt(place, code, reason)]);
}
