import type { JSX } from "preact";
import { renderToString } from "preact-render-to-string";
import { showUnseen } from "./unseen.ts";

/** Enough that a page is not written in thousands of small pieces, little enough to forget. */
const PIECE_CHARS = 64 * 1024;

/** Collects a page and hands it on in pieces. All that leaves passes `showUnseen`. */
export class PageWriter {
  readonly #write: (html: string) => Promise<void>;
  #pending: string[] = [];
  #pendingChars = 0;

  constructor(write: (html: string) => Promise<void>) {
    this.#write = write;
  }

  /** Adds elements; whatever text they hold is escaped. */
  async add(...nodes: readonly JSX.Element[]): Promise<void> {
    for (const node of nodes) await this.#push(renderToString(node));
  }

  /** Adds HTML as it stands. Only for tags of ours that open before, and close after, what is written in pieces. */
  async addTag(html: `<${string}>`): Promise<void> {
    await this.#push(html);
  }

  /** Writes what is left. Call it at the end. */
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
