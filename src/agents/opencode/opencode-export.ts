/** Reads the output of `opencode export`: `{ "info": {…}, "messages": [ { "info": {…}, "parts": […] } ] }`. */
import { endOfJson, fieldsOf, type Fields } from "../../parse/json-fields.ts";
import type { InputUnit } from "../../parse/message-draft.ts";
import type { Format } from "../agent.ts";
import { readDocument } from "../json-document.ts";
import { opencodeTools } from "./opencode-tools.ts";
import { messageUnit, sessionUnit } from "./opencode-units.ts";

const SPACE = String.raw`[ \t\r\n]*`;
const SCALAR_MEMBERS = `(?:"[^"]*"${SPACE}:${SPACE}(?:"(?:[^"\\\\]|\\\\.)*"|[^"{[,\\]}]+),${SPACE})*`;
/** Some save the note that opencode prints to standard error before the export. */
const NOTE = /^\s*(?:Exporting session[^{]*)?/;
/** 2.x has the export in `data`. */
const BEFORE_INFO = new RegExp(
  String.raw`^\ufeff?${SPACE}(?:Exporting session[^{]*)?\{${SPACE}(?:"data"${SPACE}:${SPACE}\{${SPACE})?${SCALAR_MEMBERS}"info"${SPACE}:${SPACE}(?=\{)`,
);
const LIST = new RegExp(String.raw`^${SPACE},${SPACE}"messages"${SPACE}:${SPACE}\[`);

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

/** See `Format.read`. */
function readExport(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<InputUnit[]> {
  let info: Fields = {};
  return readDocument(chunks, {
    before: NOTE,
    within: (document) => fieldsOf(document, "data") ?? document,
    session: (session) => {
      info = fieldsOf(session, "info") ?? {};
      return sessionUnit(info);
    },
    message: (message, number) => messageUnit(message, number, info),
    advice: { long: "Export a fork of the session with fewer messages.", damaged: "Export the session again." },
  });
}
