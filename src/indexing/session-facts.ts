/** Facts of a session besides its messages, collected from its units. They have their secrets. */
import type { InputUnit } from "../parse/message-draft.ts";
import { jsonText } from "../parse/json-fields.ts";
import { FirstPrompt } from "../parse/prompts.ts";
import { countRedactions } from "../parse/statistics.ts";
import { TimeSpan } from "../parse/times.ts";
import { wholeLine } from "../parse/titles.ts";
import type { SourceCounts } from "../store/stored-model.ts";

/** Title of a session as a search finds it, with its place; line 0 if it is not on a line. */
export interface PlacedTitle {
  text: string;
  /** The title is also a message, so search finds it there. */
  isMessage: boolean;
  line: number;
  offset: number;
}

export class SessionFacts {
  /** The latest title. */
  given: PlacedTitle | null = null;
  cwd: string | null = null;
  gitBranch: string | null = null;
  version: string | null = null;
  parentId: string | null = null;
  /** Lines up to the end of the last unit. */
  lines = 0;
  readonly #span = new TimeSpan();
  readonly #prompt = new FirstPrompt();
  readonly #redactions = new Map<string, number>();
  #damaged = 0;
  #unknown = 0;
  readonly #hasLines: boolean;
  readonly #isRedacted: boolean;

  /** `hasLines`: whether its format has lines that can be shown; `isRedacted`: see `Format`. */
  constructor({ hasLines, isRedacted }: { hasLines: boolean; isRedacted: boolean }) {
    this.#hasLines = hasLines;
    this.#isRedacted = isRedacted;
  }

  get firstTime(): string | null {
    return this.#span.first;
  }

  get lastTime(): string | null {
    return this.#span.last;
  }

  get activeMs(): number {
    return this.#span.activeMs;
  }

  get prompt(): string | null {
    return this.#prompt.text;
  }

  /** Counts of what is in no row. */
  get counts(): SourceCounts {
    return {
      damaged: this.#damaged,
      unknown_lines: this.#unknown,
      redactions: Object.fromEntries(this.#redactions),
    };
  }

  /** Words to be redacted before they are stored. */
  get words(): (string | null)[] {
    return [this.given?.text ?? null, this.cwd, this.gitBranch, this.version, this.parentId];
  }

  add({ session, timestamp, messages, line, offset, lines, problems, outcome }: InputUnit): void {
    for (const time of [timestamp, ...messages.map((draft) => draft.timestamp)]) {
      if (time !== undefined) this.#span.add(time);
    }
    this.lines = Math.max(this.lines, line + lines - 1);
    this.#damaged += problems.length;
    if (outcome.as === "unknown") this.#unknown += lines;
    for (const draft of messages) {
      this.#prompt.add(draft, () => draft.blocks.flatMap(({ type, text }) => (type === "text" ? (text ?? "") : [])));
      if (this.#isRedacted) this.#countRedactions(draft.blocks);
    }
    if (session === undefined) return;
    const title = session.title ?? null;
    if (wholeLine(title) !== null && title !== null) {
      const isMessage = messages.length > 0;
      const place = this.#hasLines && !isMessage ? { line, offset } : { line: 0, offset: 0 };
      this.given = { text: title, isMessage, ...place };
    }
    this.cwd ??= session.cwd ?? null;
    this.gitBranch ??= session.gitBranch ?? null;
    this.version ??= session.version ?? null;
    this.parentId ??= session.parentSessionId ?? null;
  }

  #countRedactions(blocks: InputUnit["messages"][number]["blocks"]): void {
    for (const { type, text, input } of blocks)
      countRedactions(type === "tool_use" ? jsonText(input ?? null) : (text ?? null), this.#redactions);
  }
}
