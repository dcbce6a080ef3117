/** Facts of a session besides its messages, collected from its redacted units. */
import type { SourceUnit } from "../parse/message-draft.ts";
import { jsonText } from "../parse/json-fields.ts";
import { shortened } from "../neutral-text.ts";
import { countRedactions } from "../parse/statistics.ts";
import { TimeSpan } from "../parse/times.ts";
import { givenTitle, wholeLine } from "../parse/titles.ts";
import type { SourceCounts } from "../store/stored-model.ts";

const LINE_CHARS = 200;

/** Title of a session as a search finds it, with its place; line 0 if it is not on a line. */
export interface PlacedTitle {
  text: string;
  /** It is a message too, which is found as what it is. */
  isMessage: boolean;
  line: number;
  offset: number;
}

/** Returns the text on one line, cut to `LINE_CHARS`; null if it is only white space. */
export function shortLine(text: string | null): string | null {
  const flat = wholeLine(text);
  return flat === null || flat.length <= LINE_CHARS ? flat : shortened(flat, LINE_CHARS - 1);
}

export const NO_COUNTS: SourceCounts = { damaged: 0, unknown_lines: 0, redactions: {} };

/** Counts what is in units, as they are in the source, and in no row. `isRedacted`: see `Source`. */
export function countsOf(units: readonly SourceUnit[], isRedacted: boolean): SourceCounts {
  const redactions = new Map<string, number>();
  let [damaged, unknown] = [0, 0];
  for (const { problems, outcome, lines, messages } of units) {
    damaged += problems.length;
    if (outcome.as === "unknown") unknown += lines;
    for (const { type, text, input } of isRedacted ? messages.flatMap(({ blocks }) => blocks) : []) {
      if (type === "tool_use") countRedactions(jsonText(input ?? null), redactions);
      else countRedactions(text ?? null, redactions);
    }
  }
  if (damaged === 0 && unknown === 0 && redactions.size === 0) return NO_COUNTS;
  return { damaged, unknown_lines: unknown, redactions: Object.fromEntries(redactions) };
}

/** A unit without secrets, and what only the source's own unit tells. */
export interface ToldUnit {
  unit: SourceUnit;
  counts: SourceCounts;
  /** Without secrets, if it is better than those of earlier units: see `FirstPrompt`. */
  prompt?: { text: string; rank: number };
}

export class SessionFacts {
  /** The latest title. */
  given: PlacedTitle | null = null;
  prompt: string | null = null;
  promptRank = 0;
  counts = NO_COUNTS;
  cwd: string | null = null;
  gitBranch: string | null = null;
  version: string | null = null;
  parentId: string | null = null;
  readonly #span = new TimeSpan();

  get firstTime(): string | null {
    return this.#span.first;
  }

  get lastTime(): string | null {
    return this.#span.last;
  }

  get activeMs(): number {
    return this.#span.activeMs;
  }

  /** Adds the facts of a unit. `hasLines`: whether the source has lines that can be shown. */
  add({ unit, counts, prompt }: ToldUnit, hasLines: boolean): void {
    const { session, timestamp, messages, line, offset } = unit;
    for (const time of [timestamp, ...messages.map((draft) => draft.timestamp)]) {
      if (time !== undefined) this.#span.add(time);
    }
    this.addCounts(counts);
    if (prompt !== undefined && prompt.rank > this.promptRank) {
      this.prompt = prompt.text;
      this.promptRank = prompt.rank;
    }
    if (session === undefined) return;
    const title = wholeLine(givenTitle(session.title));
    if (title !== null) {
      const isMessage = messages.length > 0;
      const place = hasLines && !isMessage ? { line, offset } : { line: 0, offset: 0 };
      this.given = { text: title, isMessage, ...place };
    }
    this.cwd ??= session.cwd ?? null;
    this.gitBranch ??= session.gitBranch ?? null;
    this.version ??= session.version ?? null;
    this.parentId ??= session.parentSessionId ?? null;
  }

  addCounts(added: SourceCounts): void {
    if (added === NO_COUNTS) return;
    const { damaged, unknown_lines, redactions } = added;
    const { counts } = this;
    const sums = { ...counts.redactions };
    for (const [kind, times] of Object.entries(redactions)) sums[kind] = (sums[kind] ?? 0) + times;
    this.counts = {
      damaged: counts.damaged + damaged,
      unknown_lines: counts.unknown_lines + unknown_lines,
      redactions: sums,
    };
  }

  /** Returns all facts as JSON. */
  pack(): string {
    return JSON.stringify({ ...this, firstTime: this.firstTime, lastTime: this.lastTime, activeMs: this.activeMs });
  }

  /** Restores facts from `pack`. */
  static unpack(json: string): SessionFacts {
    const facts = new SessionFacts();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own JSON
    const { firstTime, lastTime, activeMs, ...told } = JSON.parse(json) as SessionFacts;
    for (const time of [firstTime, lastTime]) if (time !== null) facts.#span.add(time);
    facts.#span.activeMs = activeMs;
    return Object.assign(facts, told);
  }
}
