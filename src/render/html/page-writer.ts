import type { JSX } from "preact";
import { renderToString } from "preact-render-to-string";

/**
 * Matches invisible characters that change the display or hide text: control characters, marks that change the text
 * direction, and Unicode tag characters. Not tab, newline and carriage return.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Replaces each invisible character by a visible sign: `␛`, `‹U+202E›`. Safe on HTML, as tags contain no such characters. */
export function showUnseen(html: string): string {
  return html.toWellFormed().replace(UNSEEN, sign);
}

function sign(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

/** Size of a written piece in characters: large enough for few writes, small enough for memory. */
const PIECE_CHARS = 64 * 1024;

/** Buffers a page and writes it in pieces. All output passes through `showUnseen`. */
export class PageWriter {
  readonly #write: (html: string) => Promise<void>;
  #pending: string[] = [];
  #pendingChars = 0;

  constructor(write: (html: string) => Promise<void>) {
    this.#write = write;
  }

  /** Adds elements, escaping their text. */
  async add(...nodes: readonly JSX.Element[]): Promise<void> {
    for (const node of nodes) await this.#push(renderToString(node));
  }

  /** Adds raw HTML. Only for our own tags that open before, and close after, content written in pieces. */
  async addTag(html: `<${string}>`): Promise<void> {
    await this.#push(html);
  }

  /** Adds what was rendered before. */
  async addRendered(html: string): Promise<void> {
    await this.#push(html);
  }

  async flush(): Promise<void> {
    const html = this.#pending.join("");
    this.#pending = [];
    this.#pendingChars = 0;
    if (html !== "") await this.#write(showUnseen(html));
  }

  async #push(html: string): Promise<void> {
    this.#pending.push(html);
    this.#pendingChars += html.length;
    if (this.#pendingChars >= PIECE_CHARS) await this.flush();
  }
}
