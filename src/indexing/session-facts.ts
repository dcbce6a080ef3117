/** What lines say of their session, besides its events. */
import type { SourceUnit } from "../parse/draft.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import { TimeSpan } from "../parse/times.ts";
import { givenTitle } from "../parse/titles.ts";
import type { Clean } from "./redact-events.ts";

/** More of a prompt is not looked at. What is shown of it ends long before, so that no secret is shown in half. */
const PROMPT_CHARS = 2_000;
const TITLE_CHARS = 200;

/** A title as it is stored: one line, not too long. To be made of what was redacted. */
export function shownTitle(text: string | null): string | null {
  const flat = text?.replaceAll(/\s+/g, " ").trim() ?? "";
  if (flat === "") return null;
  return flat.length <= TITLE_CHARS ? flat : `${flat.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}

export class SessionFacts {
  /** The last that was given. */
  title: string | null = null;
  /** The beginning of the first thing that a person said. */
  prompt: string | null = null;
  cwd: string | null = null;
  parentId: string | null = null;
  readonly #span = new TimeSpan();

  get firstTime(): string | null {
    return this.#span.first;
  }

  add({ session, timestamp }: SourceUnit): void {
    if (timestamp !== undefined) this.#span.add(timestamp);
    if (session === undefined) return;
    this.title = givenTitle(session.title) ?? this.title;
    this.cwd ??= session.cwd ?? null;
    this.parentId ??= session.parentSessionId ?? null;
  }

  addMessage({ user_kind, is_sidechain, metadata }: TranscriptMessage, blocks: readonly ParsedContentBlock[]): void {
    if (this.prompt !== null || user_kind !== "human" || is_sidechain) return;
    const text = metadata.command ?? blocks.find(({ content_text }) => content_text?.trim())?.content_text;
    if (text !== undefined && text !== null) this.prompt = text.trim().slice(0, PROMPT_CHARS);
  }

  toJSON(): Record<string, string | null> {
    const { title, prompt, cwd, parentId, firstTime } = this;
    return { title, prompt, cwd, parentId, firstTime };
  }

  /** What may be kept: the same title comes of it as of the facts themselves. */
  cleaned(clean: Clean): Record<string, string | null> {
    const { title, prompt, cwd, parentId, firstTime } = this;
    return {
      title: shownTitle(clean(title)),
      prompt: shownTitle(clean(prompt)),
      cwd: clean(cwd),
      parentId: clean(parentId),
      firstTime: clean(firstTime),
    };
  }

  static from(fields: Readonly<Record<string, unknown>>): SessionFacts {
    const facts = new SessionFacts();
    const text = (name: string): string | null => {
      const value = fields[name];
      return typeof value === "string" ? value : null;
    };
    facts.title = text("title");
    facts.prompt = text("prompt");
    facts.cwd = text("cwd");
    facts.parentId = text("parentId");
    const first = text("firstTime");
    if (first !== null) facts.#span.add(first);
    return facts;
  }
}
