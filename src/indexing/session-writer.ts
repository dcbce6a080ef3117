/** Writes a session in transactions of bounded size, each of which leaves it in a state from which one can go on. */
import type { Redactor } from "../redact/redactor.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { IndexState, StoredEvent } from "../store/model.ts";
import type { AmendedText } from "./growing-source.ts";
import { redactEvents, type Clean } from "./redact-events.ts";
import { withText, type LateName, type RawEvent } from "./session-events.ts";
import type { SessionFacts } from "./session-facts.ts";
import type { IndexStore } from "./session-job.ts";
import { rowOf, textsInRow } from "./session-row.ts";
import { INDEX_RULES } from "./rules.ts";
import { StoredComparison } from "./stored-comparison.ts";

/** Characters that are held at most to keep a session's citations. */
const MAX_HELD_TEXT = 64 * 1024 * 1024;

/** Somebody else wrote the session meanwhile. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

export type WrittenState = Omit<IndexState, "revision" | "rules" | "memory">;

export interface Part {
  events: readonly RawEvent[];
  late: readonly LateName[];
  /** Events before these that have another text now, in order. */
  amended?: readonly AmendedText[];
  facts: SessionFacts;
  state: WrittenState;
  /** Made of the texts that it needs redacted: those of `memoryTexts`. */
  memory?: ((clean: Clean) => Uint8Array) | undefined;
  memoryTexts?: Iterable<string | null>;
}

export interface WriterOptions {
  store: IndexStore;
  redactor: Redactor;
  sessionId: string;
  ref: SessionRef;
  /** The revision that the session has. */
  revision: number;
  /** Remove what is stored from this event on, with the first write. */
  removeFrom?: number | undefined;
  /** Write only what differs from what is stored. */
  compares?: boolean;
}

export class SessionWriter {
  readonly #options: WriterOptions;
  readonly #comparison: StoredComparison | undefined;
  #removeFrom: number | undefined;
  #revision: number;
  #cited: boolean | undefined;
  #held: { events: StoredEvent[]; late: LateName[]; size: number } = { events: [], late: [], size: 0 };
  /** Events that were written. */
  written = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#revision = options.revision;
    this.#removeFrom = options.removeFrom;
    if (options.compares === true) this.#comparison = new StoredComparison(options.store, options.sessionId);
  }

  /** Rejects with `Overtaken`, and with what the store and the redactor reject with. */
  async write(part: Part, isLast: boolean): Promise<void> {
    const { redactor, ref } = this.#options;
    const texts = [...textsInRow(ref, part.facts), ...(part.memoryTexts ?? [])];
    const again = await this.#again(part);
    const redacted = await redactEvents(redactor, [...again, ...part.events], part.late, texts);
    const { late, clean } = redacted;
    for (const event of redacted.events.slice(0, again.length)) this.#held.events[this.#heldAt(event.ordinal)] = event;
    const events = redacted.events.slice(again.length);
    const { fresh, removeFrom } = (await this.#comparison?.newOnes(events, isLast)) ?? { fresh: events };
    this.#removeFrom ??= removeFrom;
    this.#held.events.push(...fresh);
    this.#held.late.push(...late);
    this.#held.size += part.events.reduce((sum, { size }) => sum + size, 0);
    if (!isLast && (await this.#holds())) return;
    await this.#put(part, clean);
  }

  /** Takes back what was written from the first event on that has another text now, to write it once more. */
  async #again({ amended = [], events, state }: Part): Promise<RawEvent[]> {
    const [first] = amended;
    if (first === undefined) return [];
    const { store, sessionId } = this.#options;
    const next = this.#held.events[0]?.ordinal ?? state.events - events.length;
    if (first.ordinal < next) {
      const stored = await storedEvents(store, sessionId, first.ordinal, next);
      this.#held.events.unshift(...stored);
      this.#held.size += stored.reduce((sum, { content }) => sum + content.length, 0);
      this.#removeFrom = first.ordinal;
      this.#comparison?.stop();
    }
    return amended.map(({ ordinal, text }) => {
      const event = this.#held.events[this.#heldAt(ordinal)];
      if (event === undefined) throw new Overtaken(`Session ${sessionId} has other events than it had.`);
      return withText({ event }, text);
    });
  }

  #heldAt(ordinal: number): number {
    return ordinal - (this.#held.events[0]?.ordinal ?? 0);
  }

  /** Events that snippets cite lose them unless they are removed and written in one transaction. */
  async #holds(): Promise<boolean> {
    if (this.#comparison?.isEqual === true) return true;
    if (this.#removeFrom === undefined || this.#held.size > MAX_HELD_TEXT) return false;
    this.#cited ??= await hasCitations(this.#options.store, this.#options.sessionId);
    return this.#cited;
  }

  async #put({ facts, state, memory }: Part, clean: Clean): Promise<void> {
    const { store, sessionId, ref } = this.#options;
    const { events, late } = this.#held;
    const latest = new Map(late.map((name) => [name.event_id, name]));
    const revision = this.#revision + 1;
    const done = await store.writeSession({
      session: {
        ...rowOf(sessionId, ref, facts, clean),
        state: { ...state, revision, rules: INDEX_RULES, memory: memory?.(clean) ?? null },
      },
      expected: this.#revision,
      ...(this.#removeFrom === undefined ? {} : { removeFrom: this.#removeFrom }),
      events,
      ...(latest.size === 0 ? {} : { toolNames: [...latest.values()] }),
    });
    if (!done) throw new Overtaken(`Session ${sessionId} was written by somebody else.`);
    this.written += events.length;
    this.#revision = revision;
    this.#removeFrom = undefined;
    this.#held = { events: [], late: [], size: 0 };
  }
}

const PAGE = 500;

async function storedEvents(store: IndexStore, sessionId: string, from: number, to: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  while (from + events.length < to) {
    const limit = Math.min(PAGE, to - from - events.length);
    const page = await store.events(sessionId, { from: from + events.length, limit });
    if (page.length === 0) break;
    events.push(...page);
  }
  return events;
}

async function hasCitations(store: IndexStore, sessionId: string): Promise<boolean> {
  for (let offset = 0; ; offset += PAGE) {
    const { snippets } = await store.querySnippets({ session_id: sessionId, limit: PAGE, offset });
    if (snippets.some(({ event_id }) => event_id !== null)) return true;
    if (snippets.length < PAGE) return false;
  }
}
