/** The two forms of Gemini CLI's files: a journal since April 2026, before that one JSON document that was written again. */
import { textOf } from "../../parse/json-fields.ts";
import type { InputUnit } from "../../parse/message-draft.ts";
import { readRecords, RecordUnits } from "../../parse/record-units.ts";
import type { Format } from "../agent.ts";
import { placeOf, readDocument } from "../json-document.ts";
import { headLines } from "../json-head.ts";
import { GeminiReader } from "./gemini-messages.ts";
import { geminiTools } from "./gemini-tools.ts";

const DOCUMENT = /^\ufeff?\s*\{(?=[^]{0,2000}"sessionId"\s*:)(?=[^]{0,2000}"projectHash"\s*:)/;

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
  read: readGeminiDocument,
};

function isJournal(head: string): boolean {
  for (const { record } of headLines(head)) {
    if (record === undefined || "uuid" in record) continue;
    if ("$set" in record || "$rewindTo" in record) return true;
    if ("projectHash" in record && "sessionId" in record) return !("messages" in record);
  }
  return false;
}

/** See `Format.read`. */
function readGeminiDocument(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<InputUnit[]> {
  const units = new RecordUnits(new GeminiReader());
  return readDocument(chunks, {
    session: ({ messages: _messages, ...fields }) => units.unit(placeOf(0), fields, []),
    message: (message, number) =>
      textOf(message, "type") === undefined
        ? undefined
        : { ...units.unit(placeOf(number), message, []), record: message },
  });
}
