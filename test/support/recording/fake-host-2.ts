/** A host of opencode 2.x that plays recorded events to the plugin, and answers from what it stored. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HostContext, HostTool } from "../../../src/host/opencode-2/host.ts";
import { Intake } from "../../../src/host/opencode-2/intake.ts";
import { setup } from "../../../src/host/opencode-2/setup.ts";
import { REPOSITORY } from "../repository.ts";

/** The names and fields of the preview of July 2026, as recorded; and those of the newest sources, derived from these. */
export const VOCABULARIES = ["preview", "newest"] as const;
export type Vocabulary = (typeof VOCABULARIES)[number];

const FIXTURES = join(REPOSITORY, "test/fixtures/opencode-2");
/** Recorded in its folders `project` and `other`. */
const RECORDED_HOME = "/home/user";

export interface Stored {
  session: string;
  info: object;
  messages: object[];
}

export interface RecordedEvent {
  id: string;
  created?: number;
  type: string;
  location?: { directory: string };
  data: { sessionID?: string };
  durable?: { seq: number };
}

export function recordingNames(): string[] {
  return readdirSync(join(FIXTURES, "preview")).map((name) => name.replace(/\.jsonl$/, ""));
}

/** The events of a recording, as if its projects were in another folder. */
export function recordedEvents(vocabulary: Vocabulary, name: string, folder: string): RecordedEvent[] {
  const lines = readFileSync(join(FIXTURES, vocabulary, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(moved(line, folder)));
}

/** Returns the content of the host's store at the end of a recording, if it was kept. */
export function storedAtEnd(name: string, folder: string): Stored | undefined {
  const all = JSON.parse(moved(readFileSync(join(FIXTURES, "stored.json"), "utf8"), folder));
  return all[name];
}

function moved(json: string, folder: string): string {
  return json.replaceAll(RECORDED_HOME, JSON.stringify(folder).slice(1, -1));
}

/** A stream of events as the plugin subscribes to it. */
class Stream implements AsyncIterator<unknown> {
  readonly #events: unknown[] = [];
  #wake: (() => void) | undefined;
  isEnded = false;

  push(events: readonly unknown[]): void {
    this.#events.push(...events);
    this.#wake?.();
  }

  /** Ends after the events so far. */
  end(): void {
    this.isEnded = true;
    this.#wake?.();
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  async next(): Promise<IteratorResult<unknown>> {
    while (this.isEmpty && !this.isEnded) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.isEmpty ? { done: true, value: undefined } : { done: false, value: this.#events.shift() };
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.#events.length = 0;
    this.end();
    return { done: true, value: undefined };
  }
}

export interface InstanceOptions {
  options?: object;
  /** The folder that the host says the instance is for; the preview does not say. */
  directory?: string;
}

/** One process of the host. */
export class FakeHost2 {
  readonly tools: HostTool[] = [];
  readonly hooks = new Map<string, (event: unknown) => Promise<void>>();
  readonly #streams: Stream[] = [];
  readonly #stored = new Map<string, Stored>();
  readonly #cleanups: (() => Promise<void>)[] = [];
  readonly #intake = new Intake();
  /** Time of the last published event. */
  #nowMs = 0;
  /** The host answers no question: with a failure, or never. */
  isMute: boolean | "forever" = false;
  /** What the host does not take: `hooks`, `tools`, or one tool by its name. `to answer`: it takes tools and never says so. */
  refuses: string | undefined;

  /** Sessions for which a summary was asked; undefined: the host takes no such request, as the preview. */
  summarized: string[] | undefined;

  #refuse(what: string): void {
    if (this.refuses === what) throw new Error(`The host takes no ${what}.`);
  }

  has(stored: Stored | undefined): this {
    if (stored) this.#stored.set(stored.session, stored);
    return this;
  }

  /** Starts an instance of the plugin; the returned function is its cleanup. */
  async start({ options = {}, directory }: InstanceOptions = {}): Promise<() => Promise<void>> {
    const context: HostContext = {
      options: { redact: false, ...options },
      ...(directory === undefined ? {} : { location: { directory } }),
      event: {
        subscribe: () => ({
          [Symbol.asyncIterator]: () => {
            const stream = new Stream();
            this.#streams.push(stream);
            return stream;
          },
        }),
      },
      session: {
        get: async ({ sessionID }) => (await this.#answer(sessionID)).info,
        // It has not stored what is said later.
        context: async ({ sessionID }) => (await this.#answer(sessionID)).messages.filter((each) => this.#isPast(each)),
        ...(this.summarized === undefined
          ? {}
          : { compact: async ({ sessionID }) => void this.summarized?.push(sessionID) }),
        hook: async (name, act) => {
          this.#refuse("hooks");
          this.hooks.set(name, act);
        },
      },
      tool: {
        transform: async (change) => {
          this.#refuse("tools");
          change({
            add: (tool) => {
              this.#refuse(tool.name);
              this.tools.push(tool);
            },
          });
          if (this.refuses === "to answer") await new Promise(() => undefined);
        },
      },
    };
    const cleanup = await setup(context, this.#intake);
    this.#cleanups.push(cleanup);
    return cleanup;
  }

  /** Publishes events to all instances. Resolves when all have taken them. */
  async publish(...events: readonly unknown[]): Promise<void> {
    for (const event of events) {
      const createdMs: unknown = Reflect.get(Object(event), "created");
      if (typeof createdMs === "number") this.#nowMs = Math.max(this.#nowMs, createdMs);
    }
    for (const stream of this.#streams) stream.push(structuredClone(events));
    while (this.#streams.some((stream) => !stream.isEnded && !stream.isEmpty)) await nextTurn();
    await nextTurn();
  }

  /** Ends all streams, as a host does whose subscriber is too slow. */
  endStreams(): void {
    for (const stream of this.#streams.splice(0)) stream.end();
  }

  get streams(): number {
    return this.#streams.filter(({ isEnded }) => !isEnded).length;
  }

  /** Ends the process in good order. */
  async end(): Promise<void> {
    await Promise.all(this.#cleanups.map((cleanup) => cleanup()));
  }

  #isPast(message: object): boolean {
    const createdMs: unknown = Reflect.get(Object(Reflect.get(message, "time")), "created");
    return typeof createdMs !== "number" || createdMs <= this.#nowMs;
  }

  async #answer(sessionID: string): Promise<Stored> {
    if (this.isMute === "forever") return new Promise(() => undefined);
    const stored = this.#stored.get(sessionID);
    if (stored === undefined || this.isMute) throw new Error("The host does not know the session.");
    return stored;
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
