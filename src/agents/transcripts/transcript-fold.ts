/** Joins texts, calls and results that were written in pieces, while streaming. */
import type { MessageDraft, InputUnit } from "../../parse/message-draft.ts";

/** Maximum number of input bytes held back. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;
/** Number of lines within which a text may continue. */
export const HELD_LINES = 1_000;

/** A text, reasoning, call or result, alone in its draft. `key` (see `continuableKey`) identifies its part. */
export interface TextPiece {
  key: string;
  draft: MessageDraft;
}

type Beginning = Pick<InputUnit, "line" | "offset">;

/** Returns true if a text at `first` is too far back to be continued by anything after `last`. */
function isOutOfReach(first: Beginning, last: Beginning, windowLines: number): boolean {
  return last.line - first.line >= windowLines || last.offset - first.offset > MAX_HELD_BYTES;
}

interface Held {
  unit: InputUnit;
  text: TextPiece | undefined;
}

/**
 * Holds back a text and everything after it until no continuation can come within the window. A later continuation
 * stays a separate block, which says so.
 */
export class TextFold {
  readonly #windowLines: number;
  readonly #texts = new Map<string, MessageDraft>();
  #held: Held[] = [];

  constructor(windowLines: number) {
    this.#windowLines = windowLines;
  }

  /** Adds a continuation to the text that it continues. Returns false if that is too far back or missing. */
  fold({ key, draft }: TextPiece, how: "append" | "replace"): boolean {
    const first = this.#texts.get(key);
    const block = first?.blocks[0];
    const more = draft.blocks[0];
    if (!first || !block || !more) return false;
    if (more.type === "tool_use" || more.type === "tool_result") {
      replaceCall(first, draft);
      return true;
    }
    block.text = (how === "append" ? (block.text ?? "") : "") + (more.text ?? "");
    // The later piece's interruption takes precedence.
    const { interrupted: _, ...metadata } = first.metadata ?? {};
    first.metadata = { ...metadata, ...draft.metadata };
    for (const field of ["model", "provider"] as const) {
      const value = draft[field];
      if (value !== undefined) first[field] = value;
    }
    return true;
  }

  /** Adds the next unit; returns the completed units. */
  push(unit: InputUnit, text?: TextPiece): InputUnit[] {
    const isFirst = text !== undefined && !this.#texts.has(text.key);
    if (isFirst) this.#texts.set(text.key, text.draft);
    this.#held.push({ unit, text: isFirst ? text : undefined });
    return this.#release((first) => this.#isSettled(first, unit));
  }

  /** Returns everything held back, at the end of the input. */
  end(): InputUnit[] {
    return this.#release(() => true);
  }

  #isSettled({ unit, text }: Held, last: InputUnit): boolean {
    return text === undefined || isOutOfReach(unit, last, this.#windowLines);
  }

  #release(isSettled: (held: Held) => boolean): InputUnit[] {
    const end = this.#held.findIndex((held) => !isSettled(held));
    const released = this.#held.splice(0, end === -1 ? this.#held.length : end);
    for (const { text } of released) if (text) this.#texts.delete(text.key);
    return released.map(({ unit }) => unit);
  }
}

/** A replaced result has its own time; a replaced call keeps that of the first. */
function replaceCall(first: MessageDraft, later: MessageDraft): void {
  if (later.blocks[0]?.type === "tool_result") first.timestamp = later.timestamp ?? first.timestamp;
  first.blocks = later.blocks;
  first.metadata = later.metadata;
}
