import { readFileSync } from "node:fs";
import { jsonOf, SessionRows } from "../../../src/indexing/session-rows.ts";
import { contentOf, detectFormat } from "../../../src/agents/detect.ts";
import type { ReadOptions } from "../../../src/parse/content.ts";
import { outputReader } from "../../../src/agents/transcripts/read-kept-files.ts";
import { sessionRef } from "../../../src/places/session-ref.ts";
import { storableJson, storableKey, storableText } from "../../../src/store/storable.ts";
import type { StoredBlock, StoredMessage } from "../../../src/store/stored-model.ts";

export interface WholeRows {
  messages: StoredMessage[];
  blocks: StoredBlock[];
}

/** The rows of a session that is read as a whole, with nothing redacted. */
export async function rowsOfBytes(sessionId: string, bytes: Uint8Array, options: ReadOptions = {}): Promise<WholeRows> {
  const { format, units } = await contentOf(bytes).open(options);
  const rows = new SessionRows({ sessionId, format, seal: () => 0 });
  for await (const batch of units) for (const unit of batch) rows.add(unit);
  const blocks = rows.takeBlocks().blocks.map(({ row, value: { text, input } }) => ({
    ...row,
    content: row.kept === "none" ? "" : row.block_type === "tool_use" ? jsonOf(input) : (text ?? ""),
  }));
  rows.finish();
  return { messages: rows.messages(), blocks: blocks.toSorted((a, b) => a.ordinal - b.ordinal) };
}

/** As a database gives rows back: texts without NUL and half surrogate pairs, overlong ids shortened. */
function storable(value: unknown): unknown {
  const keys = new Set(["source_id", "source_uuid", "tool_use_id", "answers_uuid", "uuid"]);
  return JSON.parse(storableJson(value), (name, inner: unknown) => {
    if (typeof inner !== "string") return inner;
    return keys.has(name) ? storableKey(inner) : storableText(inner);
  });
}

/**
 * The rows of a transcript as the parser gives them, which reads it as a whole and holds texts back until they are
 * whole: what an index of it must hold, however it came about. Undefined if it is no transcript yet.
 */
export async function parsedRows(path: string, sessionId: string): Promise<unknown> {
  const bytes = readFileSync(path);
  const name = detectFormat(bytes.toString("utf8", 0, 64 * 1024))?.name;
  if (name !== "markdown" && name !== "jsonl") return undefined;
  const readOutput = outputReader(sessionRef({ id: sessionId, place: "transcript", agent: "opencode", path }));
  return storable(await rowsOfBytes(sessionId, bytes, readOutput === undefined ? {} : { readOutput }));
}
