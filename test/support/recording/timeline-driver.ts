import assert from "node:assert/strict";
import type { TranscriptEntry } from "../../../src/transcript/format/entry-types.ts";
import { EventTranslator } from "../../../src/host/opencode-1/events.ts";
import { Timeline } from "../../../src/transcript/timeline/session-timeline.ts";
import { recordsOf, type HostStep } from "./host-steps.ts";
import { mergeContinuations } from "../read-entries.ts";

/** Runs the timeline of one session on a clock of its own, which moves only when told to. */
export class TimelineDriver {
  nowMs = 1_700_000_000_000;
  readonly timeline: Timeline;
  /** What the timeline has handed out so far. */
  readonly entries: TranscriptEntry[] = [];
  readonly #translator = new EventTranslator();
  readonly #sessionID: string;

  constructor(sessionID: string) {
    this.#sessionID = sessionID;
    this.timeline = new Timeline(
      () => this.nowMs,
      ({ entry }) => this.entries.push(this.#asWritten(entry)),
    );
  }

  /** The host does these things, all at the same moment. */
  does(...steps: HostStep[]): this {
    for (const step of steps) {
      for (const record of recordsOf(this.#translator, step)) {
        assert.equal(record.sessionID, this.#sessionID);
        this.timeline.accept(record);
      }
    }
    return this;
  }

  /** Time passes; what falls due meanwhile is done at its time, as the recorder's timer does. */
  wait(ms: number): this {
    const until = this.nowMs + ms;
    for (let turns = 0; ; turns++) {
      const dueMs = this.timeline.nextDueMs();
      if (dueMs === undefined || dueMs > until) break;
      assert.ok(turns < 10_000, "the timeline says again and again that something is due");
      this.nowMs = Math.max(this.nowMs, dueMs);
      this.timeline.expire();
    }
    this.nowMs = until;
    return this;
  }

  /** The process ends. */
  interrupt(): this {
    this.timeline.interrupt();
    return this;
  }

  /** All entries, those that were written in pieces put together. */
  get merged(): TranscriptEntry[] {
    return mergeContinuations(this.entries);
  }

  /** The merged entries in short form; session events only if asked for. */
  told(events: "with events" | "without events" = "without events"): string[] {
    const wanted = this.merged.filter(({ type }) => events === "with events" || type !== "session_event");
    return wanted.map(shortForm);
  }

  /** As the files have it, where a result follows one that was not final. */
  #asWritten(entry: TranscriptEntry): TranscriptEntry {
    const isLate = this.entries.some((each) => {
      return each.type === "tool_result" && each.unfinished === true && each.partID === entry.partID;
    });
    return isLate && entry.type === "tool_result" ? { ...entry, continues: "replace" } : entry;
  }
}

/** One line that says what the entry is: `assistant: Hello.`, `use: bash {"command":"ls"}`. */
export function shortForm(entry: TranscriptEntry): string {
  switch (entry.type) {
    case "user":
      return `user: ${entry.content}`;
    case "assistant":
    case "reasoning": {
      const marks = [entry.interrupted ? " (interrupted)" : "", entry.continues ? ` (${entry.continues})` : ""];
      return `${entry.type}${marks.join("")}: ${entry.content}`;
    }
    case "tool_use":
      return `use: ${entry.tool} ${JSON.stringify(entry.input)}`;
    case "tool_result":
      return `${entry.status ?? "completed"}: ${JSON.stringify(entry.input)} ${text(entry.output)}`;
    case "session_event":
      return `event: ${entry.name}`;
  }
}

function text(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
