/** Puts texts, calls and results together that were written in pieces, while they stream by. */
import type { MessageDraft, SourceUnit } from "../draft.ts";

/** Bytes of the input that are held back at most. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;
/** Lines that are held back at most, whatever the reader asks for. */
const MAX_HELD_LINES = 1_000;

/** A text, reasoning, call or result, alone in its draft. `key` (see `continuableKey`) names its part. */
export interface TextPiece {
  key: string;
  draft: MessageDraft;
}

/** Where the pieces of texts meet. */
export interface TextJoin {
  /** Puts a continuation into the text that it continues. False if that is too far back, or was never there. */
  fold(piece: TextPiece, how: "append" | "replace"): boolean;
  /** Takes the next unit; gives the units that are to go on. */
  push(unit: SourceUnit, text?: TextPiece): SourceUnit[];
  /** The end of the input: all that is held. */
  end(): SourceUnit[];
}

type Beginning = Pick<SourceUnit, "line" | "offset">;

/** Whether a text at `first` is too far back to be continued by anything after `last`. */
export function isOutOfReach(first: Beginning, last: Beginning, windowLines = MAX_HELD_LINES): boolean {
  return last.line - first.line >= windowLines || last.offset - first.offset > MAX_HELD_BYTES;
}

interface Held {
  unit: SourceUnit;
  text: TextPiece | undefined;
}

/**
 * Holds a text back, and with it all that follows, until no more of it can come within the window. A continuation that
 * comes later stays a block of its own, which says so.
 */
export class TextFold implements TextJoin {
  readonly #windowLines: number;
  readonly #texts = new Map<string, MessageDraft>();
  #held: Held[] = [];

  constructor(windowLines = MAX_HELD_LINES) {
    this.#windowLines = Math.min(windowLines, MAX_HELD_LINES);
  }

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
    // What the later piece says of usage and interruption holds.
    const { interrupted: _, ...metadata } = first.metadata ?? {};
    first.metadata = { ...metadata, ...draft.metadata };
    for (const field of ["model", "provider"] as const) {
      const value = draft[field];
      if (value !== undefined) first[field] = value;
    }
    if (draft.usage) first.usage = draft.usage;
    if (draft.costUsd !== undefined) first.costUsd = draft.costUsd;
    return true;
  }

  push(unit: SourceUnit, text?: TextPiece): SourceUnit[] {
    const isFirst = text !== undefined && !this.#texts.has(text.key);
    if (isFirst) this.#texts.set(text.key, text.draft);
    this.#held.push({ unit, text: isFirst ? text : undefined });
    return this.#release((first) => this.#isSettled(first, unit));
  }

  end(): SourceUnit[] {
    return this.#release(() => true);
  }

  #isSettled({ unit, text }: Held, last: SourceUnit): boolean {
    return text === undefined || isOutOfReach(unit, last, this.#windowLines);
  }

  #release(isSettled: (held: Held) => boolean): SourceUnit[] {
    const end = this.#held.findIndex((held) => !isSettled(held));
    const released = this.#held.splice(0, end === -1 ? this.#held.length : end);
    for (const { text } of released) if (text) this.#texts.delete(text.key);
    return released.map(({ unit }) => unit);
  }
}

/** As `mergeContinuations` does it. */
function replaceCall(first: MessageDraft, later: MessageDraft): void {
  if (later.blocks[0]?.type === "tool_result") first.timestamp = later.timestamp;
  first.blocks = later.blocks;
  first.metadata = later.metadata;
}
