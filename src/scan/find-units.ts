/** What a source makes of an input, line by line: messages as their lines tell them, without the other lines of them. */
import type { MessageDraft, SourceOptions, SourceUnit } from "../parse/draft.ts";
import type { SeenSet } from "../parse/fingerprint.ts";
import { MessageBuilder, type BuiltMessage } from "../parse/message-builder.ts";
import { flatPricing } from "../parse/pricing.ts";
import { ClaudeLineReader } from "../parse/sources/claude-lines.ts";
import { isFields } from "../parse/json-fields.ts";
import { recordsOfLine } from "../parse/json-records.ts";
import { isSessionRecord, readRecord } from "../parse/sources/claude-record.ts";
import { agentOfRecord } from "../parse/sources/foreign.ts";
import { claudeCode } from "../parse/sources/claude-code.ts";
import { claudeStream } from "../parse/sources/claude-stream.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import type { ParseOptions } from "../parse/options.ts";
import { pickLines } from "./find-lines.ts";
import type { ByteSearch } from "./find-search.ts";
import type { Chunks } from "./find-input.ts";

/** A signal stops the reading; what was read until then counts. */
export type ScanOptions = Pick<ParseOptions, "maxLineBytes" | "agentProgress" | "readOutput" | "signal">;

/** One line's part of a message, with the blocks that the input did not have before. */
export interface LineMessage {
  message: TranscriptMessage;
  blocks: readonly ParsedContentBlock[];
}

const MAX_LINE_BYTES = 5 * 1024 * 1024;

export function sourceOptions({
  maxLineBytes = MAX_LINE_BYTES,
  agentProgress = false,
  readOutput,
}: ScanOptions): SourceOptions {
  return { maxLineBytes, agentProgress, ...(readOutput === undefined ? {} : { readOutput }) };
}

/** Whether each line of an input with this beginning stands for itself, so that some can be read without the others. */
export async function standsLineByLine(head: string): Promise<boolean> {
  if (head === "" || isSessionLine(head)) return true;
  // The other sources take longer to load than many a scan takes in all.
  const { detectSource } = await import("../parse/sources/index.ts");
  const source = detectSource(head);
  return source === claudeCode || source === claudeStream;
}

/** Whether the first line is a record of Claude Code, which spares trying the first fifty for each of the sources. */
function isSessionLine(head: string): boolean {
  const end = head.indexOf("\n");
  if (end === -1 || !head.startsWith("{")) return false;
  try {
    const record: unknown = JSON.parse(head.slice(0, end));
    if (!isFields(record) || typeof record["type"] !== "string") return false;
    return isSessionRecord(record) && agentOfRecord(record) === undefined;
  } catch {
    return false;
  }
}

/** The lines of a Claude Code input in which the search finds something; those that `isWanted`, if it is given. */
export async function* pickedUnits(
  chunks: Chunks,
  search: ByteSearch,
  options: ScanOptions,
  isWanted: (line: Buffer) => boolean = () => true,
): AsyncGenerator<SourceUnit[]> {
  const { maxLineBytes, agentProgress } = sourceOptions(options);
  const reader = new ClaudeLineReader({ maxLineBytes, agentProgress });
  for await (const lines of pickLines(chunks, search, maxLineBytes)) {
    if (options.signal?.aborted === true) return;
    yield lines.filter(({ bytes }) => isWanted(bytes)).flatMap((line) => reader.read(line));
  }
}

/** The messages of such lines, repeats too: telling those costs as much as all else. */
export async function* pickedDrafts(
  chunks: Chunks,
  search: ByteSearch,
  options: ScanOptions,
  isWanted: (line: Buffer) => boolean = () => true,
): AsyncGenerator<(MessageDraft & { line: number })[]> {
  const { maxLineBytes, agentProgress } = sourceOptions(options);
  for await (const lines of pickLines(chunks, search, maxLineBytes)) {
    if (options.signal?.aborted === true) return;
    yield lines
      .filter(({ bytes }) => isWanted(bytes))
      .flatMap((line) =>
        recordsOfLine(line, maxLineBytes).records.flatMap(({ fields }) =>
          (readRecord(fields, agentProgress)?.messages ?? []).map((draft) => ({ ...draft, line: line.line })),
        ),
      );
  }
}

/**
 * Makes messages of units, and leaves out what an input repeats: as the parser does, but for putting lines together.
 * By default no text is cut.
 */
export class LineMessages {
  readonly #builder: MessageBuilder;
  #ids = 0;

  /** `seen`: what was said before the first unit; see `BuilderOptions`. */
  constructor(repeats: boolean, maxInlineContentBytes = Number.POSITIVE_INFINITY, seen?: SeenSet) {
    this.#builder = new MessageBuilder({
      sessionId: "",
      maxInlineContentBytes,
      generateId: () => String((this.#ids += 1)),
      pricing: flatPricing,
      repeats,
      windowUnits: Number.POSITIVE_INFINITY,
      ...(seen === undefined ? {} : { seen }),
    });
  }

  of(unit: SourceUnit): LineMessage[] {
    const place = { line: unit.line, offset: unit.offset };
    return unit.messages
      .map((draft): BuiltMessage | undefined => this.#builder.begin(draft, place))
      .filter((built) => built !== undefined);
  }
}
