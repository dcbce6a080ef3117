/** Pieces of a section: messages, calls and results. Long texts are cut as they are read. */
import { jsonText } from "../parse/json-fields.ts";
import { errorText } from "../calls/result-texts.ts";
import type { ParsedContentBlock, ToolStatus, TranscriptMessage } from "../parse/model.ts";
import { isReminderText } from "../parse/prompts.ts";
import type { RedactionInput, Redactor } from "../redact/redactor.ts";

export type PieceKind = "user" | "assistant" | "thinking" | "call" | "result" | "program";

/** A text of which only the beginning and the end are kept. */
export interface KeptText {
  head: string;
  /** Empty if the head is the whole text. */
  tail: string;
  /** Number of characters between the two. */
  missing: number;
}

export interface Piece {
  kind: PieceKind;
  line: number;
  timestamp: string | null;
  isSubagent: boolean;
  tool: string | null;
  status: ToolStatus | null;
  /** One text, or for a call one per field of its input. */
  texts: { key: string | null; text: KeptText }[];
  entry: string | null;
}

/** Characters kept of the beginning and of the end of a text: more than is ever shown. */
const HEAD_CHARS = 8_192;
const TAIL_CHARS = 4_096;
/** Characters kept after a head and before a tail, so that a secret across the cut is seen whole. */
const BESIDE_CHARS = 4_096;
const MAX_FIELDS = 24;

interface Raw extends KeptText {
  before: string;
}

/** A piece before redaction. */
export interface RawPiece extends Omit<Piece, "texts"> {
  texts: { key: string | null; text: Raw }[];
}

/** Returns the pieces of one message. `toolNames` maps the calls so far by id, because results have no tool name. */
export function piecesOf(
  message: TranscriptMessage,
  blocks: readonly ParsedContentBlock[],
  toolNames: Map<string, string>,
): RawPiece[] {
  return blocks.flatMap((block) => {
    if (block.block_type === "tool_use" && block.tool_use_id !== null && block.tool_name !== null)
      toolNames.set(block.tool_use_id, block.tool_name);
    const content = contentOf(message, block, toolNames);
    if (content === undefined) return [];
    return [
      {
        line: block.line_number,
        timestamp: message.timestamp,
        isSubagent: message.is_sidechain,
        entry: block.source_uuid ?? message.uuid ?? message.source_id,
        ...content,
      },
    ];
  });
}

type Content = Pick<RawPiece, "kind" | "tool" | "status" | "texts">;

function contentOf(
  message: TranscriptMessage,
  block: ParsedContentBlock,
  toolNames: ReadonlyMap<string, string>,
): Content | undefined {
  switch (block.block_type) {
    case "text":
      return textContent(message, block.content_text ?? "");
    case "thinking":
      return spoken("thinking", block.thinking_text ?? "");
    case "tool_use":
      return { kind: "call", tool: block.tool_name, status: null, texts: fieldsOf(block.tool_input) };
    case "tool_result": {
      const tool = toolNames.get(block.tool_result_id ?? "") ?? block.tool_name;
      const text = errorText(block.result_text ?? "");
      const status = block.status ?? (block.is_error === true ? "error" : "completed");
      return { kind: "result", tool, status, texts: [{ key: null, text: keptText(text) }] };
    }
    default:
      return undefined;
  }
}

function textContent(
  { message_type: type, user_kind, metadata }: TranscriptMessage,
  text: string,
): Content | undefined {
  if (type === "assistant") return spoken("assistant", text);
  if (metadata.command !== undefined) return spoken("user", metadata.command);
  const byProgram = type !== "user" || (metadata.origin !== undefined && metadata.origin !== "queued");
  if (byProgram) return spoken("program", text);
  // Notes from the program to the model.
  return user_kind === "meta" || isReminderText(text) ? undefined : spoken("user", text);
}

function spoken(kind: PieceKind, text: string): Content | undefined {
  if (text.trim() === "") return undefined;
  return { kind, tool: null, status: null, texts: [{ key: null, text: keptText(text.trim()) }] };
}

function fieldsOf(input: unknown): RawPiece["texts"] {
  if (typeof input !== "object" || input === null) {
    return input === null || input === undefined ? [] : [{ key: null, text: keptText(valueText(input)) }];
  }
  const fields = Object.entries(input).slice(0, MAX_FIELDS);
  return fields.map(([key, value]) => ({ key, text: keptText(valueText(value)) }));
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** Returns copies of the beginning and the end of a text: slices would keep the whole text in memory. */
export function keptText(text: string): Raw {
  if (text.length <= HEAD_CHARS + BESIDE_CHARS + TAIL_CHARS) return { head: text, tail: "", missing: 0, before: "" };
  const tailAt = text.length - TAIL_CHARS;
  return {
    head: copyOf(text.slice(0, HEAD_CHARS + BESIDE_CHARS)),
    tail: copyOf(text.slice(tailAt)),
    before: copyOf(text.slice(tailAt - BESIDE_CHARS, tailAt)),
    missing: tailAt - HEAD_CHARS,
  };
}

function copyOf(text: string): string {
  return Buffer.from(text).toString("utf8");
}

/** Returns redacted pieces. Cuts heads only now, after redaction has seen more of them. */
export async function redactPieces(redactor: Redactor, pieces: readonly RawPiece[]): Promise<Piece[]> {
  const inputs: RedactionInput[] = [];
  const add = (input: RedactionInput): number => inputs.push(input) - 1;
  const planned = pieces.map(({ texts, ...piece }) => ({
    piece,
    texts: texts.map(({ key, text }) => ({
      key,
      missing: text.missing,
      head: add({ text: text.head, cut: text.missing > 0, ...(key === null ? {} : { key }) }),
      tail: text.tail === "" ? undefined : add({ text: text.tail, before: text.before }),
    })),
  }));
  const results = await redactor.redact(inputs);
  const textAt = (index: number | undefined): string => (index === undefined ? "" : (results[index]?.text ?? ""));
  return planned.map(({ piece, texts }) => ({
    ...piece,
    texts: texts.map(({ key, missing, head, tail }) => ({
      key,
      text: { head: missing === 0 ? textAt(head) : textAt(head).slice(0, HEAD_CHARS), tail: textAt(tail), missing },
    })),
  }));
}
