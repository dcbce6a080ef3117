import { correlateToolCalls } from "../../parse/tool-calls.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../../parse/model.ts";
import { isPrompt } from "../../parse/prompts.ts";
import { readTranscript, type ReadMessage } from "../../parse/read-transcript.ts";
import { openReadable, type OpenOptions } from "../../sessions/open-session.ts";
import { outputReader } from "../../sessions/output-reader.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { SuggestionList, type SnippetSuggestion, type SuggestOptions } from "./suggest-snippets.ts";

/** Longer texts are cut: what is said in so many characters is no passage. */
const MAX_TEXT_BYTES = 32_768;
/** So many characters are looked at together; then the next prompt begins a new part. */
const PART_CHARS = 8 * 1024 * 1024;
/** A part without a prompt ends at so many times of it. */
const LONGEST_PART = 2;
/** What a block takes beside its text. */
const BLOCK_CHARS = 600;

/**
 * The suggestions of a session on this machine, in memory that does not grow with it: a large session is looked at in
 * parts, each with the last turn of the one before. Rejects with a `SessionError` if it cannot be read.
 */
export async function suggestForSession(
  ref: SessionRef,
  options: Omit<SuggestOptions, "file"> &
    Pick<OpenOptions, "stdin"> & { signal?: AbortSignal | undefined; partChars?: number } = {},
): Promise<SnippetSuggestion[]> {
  const { stdin, signal, partChars = PART_CHARS, ...rest } = options;
  const readOutput = outputReader(ref);
  const reader = readTranscript(ref.id, openReadable(ref, stdin === undefined ? {} : { stdin }), {
    pricing: "flat",
    maxInlineContentBytes: MAX_TEXT_BYTES,
    ...(signal === undefined ? {} : { signal }),
    ...(readOutput === undefined ? {} : { readOutput }),
  });
  const suggestions = new SuggestionList(ref.id, { ...rest, file: ref.path ?? ref.database });
  const part = new Part(partChars);
  for await (const read of reader) {
    if (part.isFull(read)) await suggestions.add(part.take());
    part.add(read);
  }
  signal?.throwIfAborted();
  await suggestions.add(part.take());
  return suggestions.best();
}

/** Messages that are looked at together. */
class Part {
  readonly #maxChars: number;
  #read: ReadMessage[] = [];
  #chars = 0;
  /** Where the last turn begins among them. */
  #turn = 0;
  /** The size up to there. */
  #turnChars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Whether it ends before this message. */
  isFull({ message }: ReadMessage): boolean {
    const isTurn = isPrompt(message) && !message.is_sidechain;
    return this.#chars >= this.#maxChars * (isTurn ? 1 : LONGEST_PART);
  }

  add(read: ReadMessage): void {
    if (isPrompt(read.message) && !read.message.is_sidechain) {
      this.#turn = this.#read.length;
      this.#turnChars = this.#chars;
    }
    this.#read.push(read);
    this.#chars += read.blocks.reduce((sum, block) => sum + sizeOf(block), 0);
  }

  /** Its rows. The last turn stays as the beginning of the next part, if it is no larger than half of one. */
  take(): {
    messages: TranscriptMessage[];
    content_blocks: ParsedContentBlock[];
    tool_calls: ReturnType<typeof correlateToolCalls>;
  } {
    // What amends a message gives it whole once more.
    const messages = [...new Map(this.#read.map(({ message }) => [message.id, message])).values()];
    const blocks = this.#read.flatMap((read) => read.blocks);
    const left = this.#chars - this.#turnChars;
    this.#read = left * 2 > this.#maxChars ? [] : this.#read.slice(this.#turn);
    this.#chars = this.#read.length === 0 ? 0 : left;
    this.#turn = 0;
    this.#turnChars = 0;
    return { messages, content_blocks: blocks, tool_calls: correlateToolCalls(messages, blocks) };
  }
}

function sizeOf({ content_text, thinking_text, result_text, tool_input }: ParsedContentBlock): number {
  const texts = [content_text, thinking_text, result_text, ...Object.values(Object(tool_input))];
  return texts.reduce((sum: number, text) => sum + (typeof text === "string" ? text.length : 0), BLOCK_CHARS);
}
