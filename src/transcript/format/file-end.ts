/** The end of a file: where it may be appended to, which entries it has, and entries for what is torn. Pure. */
import type { SessionEventEntry } from "./entry-types.ts";
import type { ItemReader } from "./items.ts";
import { JsonlReader, lineContents } from "./jsonl.ts";
import { keysOf } from "./keys.ts";
import { decodeUtf8 } from "./lines.ts";
import { MarkdownReader } from "./markdown-read.ts";
import { FIRST_CONTEXT, type SectionContext } from "./section-context.ts";
import { COMMENT_END, isFiller, SECTION_END } from "./sections.ts";

type TranscriptFormat = "markdown" | "jsonl";

const LINE_FEED = 0x0a;
/** More between two sections is not ours. */
const MAX_FILLER_BYTES = 1024;

/** Reads which entries a file has, and where it may be appended to. */
export class TranscriptScanner {
  readonly #reader: ItemReader;

  /**
   * @param start position of the first byte: the start of the file, or the end of an entry
   * @param context what sections after `start` need not repeat
   */
  constructor(format: TranscriptFormat, start = 0, context: SectionContext = FIRST_CONTEXT) {
    this.#reader = format === "jsonl" ? new JsonlReader(start) : new MarkdownReader({}, start, context);
  }

  /** Yields the keys of the entries that the next bytes complete. */
  async *keysIn(chunk: Uint8Array): AsyncGenerator<string> {
    for await (const item of this.#reader.push(chunk)) {
      if (item.kind === "entry") yield* keysOf(item.entry, item.chars);
    }
  }

  /** Bytes after the last complete header or entry, and their offset. */
  get rest(): { start: number; body: Buffer } {
    return this.#reader.rest;
  }

  /** What sections after the last complete one need not repeat. */
  get context(): SectionContext {
    return this.#reader.context;
  }
}

/**
 * Returns the text that completes the rest of a file, if only its end is missing, as editors trim the end of a file.
 * Undefined for anything else.
 */
export async function closingOf(format: TranscriptFormat, rest: Buffer): Promise<string | undefined> {
  if (format === "jsonl") {
    const contents = lineContents(decodeUtf8(rest) ?? "");
    return contents.some(({ kind }) => kind !== "entry" && kind !== "header") ? undefined : "\n";
  }
  if (isFillerOnly(rest)) return rest.at(-1) === LINE_FEED ? "" : "\n";
  const end = rest.subarray(-MAX_FILLER_BYTES).toString("latin1");
  let length = SECTION_END.length;
  while (!end.endsWith(SECTION_END.slice(0, length))) length -= 1;
  if (!end.slice(0, end.length - length).endsWith(COMMENT_END)) return undefined;
  const closing = SECTION_END.slice(length);
  const scanner = new TranscriptScanner(format);
  await Array.fromAsync(scanner.keysIn(Buffer.concat([rest, Buffer.from(closing, "utf8")])));
  return scanner.rest.body.length === 0 ? closing : undefined;
}

/** Returns whether only the rule and blank lines follow the last comment: an editor changed the line ends, or the rule. */
function isFillerOnly(tail: Uint8Array): boolean {
  return tail.length <= MAX_FILLER_BYTES && (decodeUtf8(tail) ?? "x").split("\n").every(isFiller);
}

/** Maximum number of UTF-16 units kept of a fragment. */
const MAX_FRAGMENT_CHARS = 20_000;

/**
 * Returns a session event with the text found after the last complete entry, before that is cut off.
 * @param fragmentText the bytes found, decoded as UTF-8 with replacement characters
 */
export function encodeTornEntry(
  format: TranscriptFormat,
  fragmentText: string,
  timestamp: string,
): SessionEventEntry & { data: { format: string; chars: number; fragment: string } } {
  return {
    type: "session_event",
    timestamp,
    name: "torn entry",
    text: "An incomplete entry, or text added by a person, was found at the end of the file. It is kept below.",
    data: {
      format,
      chars: fragmentText.length,
      fragment: fragmentText.slice(0, MAX_FRAGMENT_CHARS),
    },
  };
}
