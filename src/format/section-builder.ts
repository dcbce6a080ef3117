/** Puts one section of a markdown transcript together: its visible blocks and the comment for the parser. */
import type { TranscriptEntry } from "./entries.ts";
import { fenced } from "./fences.ts";
import { commentJson } from "./json-text.ts";
import type { Adopt, TextReferences } from "./references.ts";
import { isSafeMarkdown } from "./render-safety.ts";
import type { Block } from "./sections.ts";
import {
  CALL_ID_LABEL,
  COMMENT_END,
  DEFAULT_BODY,
  ENTRY_COMMENT,
  SECTION_END,
  TITLE_LABEL,
  TRUNCATED,
} from "./sections.ts";
import { encodeText } from "./text-escapes.ts";
import { encodeInline, visibleName, visibleTimestamp } from "./visible.ts";

/** How long texts within a value are shown in the body. */
interface ShownTexts {
  heading: string;
  /** Info string of their fences. */
  info: string;
  shows: (text: string, key: string | undefined, owner: object | undefined) => boolean;
}

export class SectionBuilder {
  readonly #entry: TranscriptEntry;
  readonly #shown: string[] = [];
  readonly #body: Block[] = [];
  readonly #comment: Record<string, unknown>;
  #texts = 0;

  constructor(entry: TranscriptEntry) {
    this.#entry = entry;
    this.#comment = { type: entry.type };
    this.note("messageID", entry.messageID);
    this.note("partID", entry.partID);
  }

  /** A value for the comment. Undefined is left out. */
  note(name: string, value: unknown): void {
    if (value !== undefined) this.#comment[name] = value;
  }

  /** The entry's main text: raw where it renders safely, else in a fence. */
  content(text: string): void {
    const encoded = encodeText(text);
    this.note("chars", text.length);
    if (isSafeMarkdown(encoded)) this.#add("content", encoded);
    else this.#add("fenced", fenced(encoded, "markdown"));
  }

  /** A line for people only: its facts stand in the comment as well. */
  line(text: string): void {
    this.#add("line", text);
  }

  callID(callID: string): void {
    const shown = visibleName(callID);
    this.#add("call", CALL_ID_LABEL + shown);
    if (shown !== callID) this.note("callID", callID);
  }

  title(title: string): void {
    if (title === "") this.note("title", title);
    else this.#add("title", TITLE_LABEL + encodeInline(title));
  }

  /** A fence with JSON, which needs no escapes of ours. */
  fence(block: "input" | "output" | "data", json: string, info: string): void {
    this.#add(block, fenced(json, info));
  }

  /** A fence with text that is whole. */
  textFence(block: "output" | "text", text: string, info: string): void {
    if (block === "output") this.note("chars", text.length);
    this.#add(block, fenced(encodeText(text), info));
  }

  /** A fence with the beginning of an output whose whole stands in a file. */
  beginningOfOutput(beginning: string, info: string): void {
    this.note("chars", beginning.length);
    this.#add("output", fenced(encodeText(beginning) + TRUNCATED, info));
  }

  /** A value for the comment with references to texts of the body; `shown` says which texts to show for that. */
  noteWithTexts(name: string, value: unknown, references: TextReferences, shown?: ShownTexts): void {
    if (value === undefined) return;
    const adopted: string[] = [];
    const adopt: Adopt = (text, key, owner) => {
      if (shown?.shows(text, key, owner) !== true) return undefined;
      adopted.push(text);
      return `text${this.#texts + adopted.length - 1}`;
    };
    try {
      this.note(name, references.encode(value, adopt));
    } catch {
      this.note(name, "[unserializable]");
      return;
    }
    if (shown === undefined || adopted.length === 0) return;
    this.line(shown.heading);
    for (const text of adopted) this.textFence("text", text, shown.info);
    this.#texts += adopted.length;
  }

  /** The section. `kind` begins its heading; the entry's tool or event name follows it. */
  toMarkdown(kind: string, name?: { field: "tool" | "name"; value: string }): string {
    const timestamp = visibleTimestamp(this.#entry.timestamp);
    if (timestamp !== this.#entry.timestamp) this.note("timestamp", this.#entry.timestamp);
    let heading = `## [${timestamp}] ${kind}`;
    if (name !== undefined) {
      const shown = visibleName(name.value);
      heading += `: ${shown}`;
      if (shown !== name.value) this.note(name.field, name.value);
    }
    const usual = DEFAULT_BODY[this.#entry.type];
    const isUsual = usual.length === this.#body.length && usual.every((block, index) => block === this.#body[index]);
    if (!isUsual) this.note("body", this.#body);
    const comment = ENTRY_COMMENT + commentJson(this.#comment) + COMMENT_END;
    return `${[heading, ...this.#shown, comment].join("\n\n")}${SECTION_END}`;
  }

  #add(block: Block, text: string): void {
    this.#body.push(block);
    this.#shown.push(text);
  }
}
