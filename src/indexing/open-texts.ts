/**
 * Texts of a transcript that may still be continued: the recorder writes a text that takes long in pieces. Where a
 * parser holds entries back until a text is whole, the index stores what there is, and writes it again when more comes.
 */
import type { SourceUnit } from "../parse/draft.ts";
import { isOutOfReach, type TextJoin, type TextPiece } from "../parse/sources/transcript-fold.ts";
import { idKey } from "./event-id.ts";

export interface OpenText {
  /** Of its first piece. */
  line: number;
  offset: number;
  /** Its event. */
  ordinal: number;
  /** Where each piece begins and ends in the file, one after the other. */
  pieces: number[];
}

/** An entry that is being read. */
export interface EntryPlace {
  offset: number;
  endOffset: number;
  /** The next event that is made. */
  ordinal: number;
}

/** A call or result stands in place of an earlier one: events that were given away are others now. */
export class ReplacedCall extends Error {
  override readonly name = "ReplacedCall";
}

export class OpenTexts implements TextJoin {
  /** By `idKey` of their `textKey`, in the order of the file. */
  readonly #texts: Map<string, OpenText>;
  #continued = new Map<string, OpenText>();
  #place: EntryPlace = { offset: 0, endOffset: 0, ordinal: 0 };

  /** `texts` are those that are open where reading begins; they are kept up to date. */
  constructor(texts: Map<string, OpenText>) {
    this.#texts = texts;
  }

  /** Must be told before the entry comes. */
  reading(place: EntryPlace): void {
    this.#place = place;
  }

  /** Throws a `ReplacedCall` of anything but a text. */
  fold({ key, draft }: TextPiece): boolean {
    if (!isText(draft))
      throw new ReplacedCall("A call or result was replaced: the transcript is to be read as a whole.");
    const name = idKey(key);
    const text = this.#texts.get(name);
    if (text === undefined) return false;
    text.pieces.push(this.#place.offset, this.#place.endOffset);
    this.#continued.set(name, text);
    return true;
  }

  push(unit: SourceUnit, text?: TextPiece): SourceUnit[] {
    const name = text !== undefined && isText(text.draft) ? idKey(text.key) : undefined;
    if (name !== undefined && !this.#texts.has(name)) {
      const { offset, endOffset, ordinal } = this.#place;
      this.#texts.set(name, { line: unit.line, offset: unit.offset, ordinal, pieces: [offset, endOffset] });
    }
    for (const [each, first] of this.#texts) {
      if (!isOutOfReach(first, unit)) break;
      this.#texts.delete(each);
    }
    return [unit];
  }

  end(): SourceUnit[] {
    return [];
  }

  /** All count as continued: what the last run saw behind the mark may be gone. */
  reopen(): void {
    this.#continued = new Map(this.#texts);
  }

  /** Those that were continued since the last call, by their keys. */
  take(): Map<string, OpenText> {
    const taken = this.#continued;
    this.#continued = new Map();
    return taken;
  }
}

function isText({ blocks: [block] }: TextPiece["draft"]): boolean {
  return block?.type === "text" || block?.type === "thinking";
}
