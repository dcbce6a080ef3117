import { given, isoTime, type Draft } from "../draft.ts";
import type {
  ActivityRecord,
  EventRecord,
  HostRecord,
  MessageRecord,
  PartEventRecord,
  RemovalRecord,
  TextDeltaRecord,
  UsageRecord,
} from "../records.ts";
import { Calls } from "./calls.ts";
import { eventItem } from "./event-item.ts";
import { IDLE_GRACE_MS, UNDER_WAY_GRACE_MS } from "./item.ts";
import { Messages } from "./messages.ts";
import { Prompts } from "./prompts.ts";
import { ItemQueue } from "./queue.ts";
import { SessionChanges } from "./session-changes.ts";
import type { Stage } from "./stage.ts";
import { Texts } from "./texts.ts";
import { usageText } from "./usage-text.ts";
import { WrittenParts } from "./written-parts.ts";

/** Requests without an answer that are remembered. */
const MAX_ASKED = 1_000;

/**
 * Turns the records of one session into entries in conversation order, each once.
 *
 * Records arrive in another order than the conversation has: the end of a text comes after the calls that it
 * announces, hooks come before or after the events of the same thing, late ends after the session is idle.
 * Nothing here touches the disk, the network or the clock; time is handed in.
 */
export class Timeline {
  readonly sessionID: string;
  readonly #stage: Stage;
  readonly #texts: Texts;
  readonly #prompts: Prompts;
  readonly #calls: Calls;
  readonly #changes = new SessionChanges();
  #drafts: Draft[] = [];
  /** Calls of the requests that were not answered, by request id. */
  readonly #asked = new Map<string, string>();
  #idleSinceMs: number | undefined;
  /** The host has told of a part: then it tells of those too that only a hook has named so far. */
  #tellsParts = false;

  constructor(sessionID: string, nowMs: () => number) {
    this.sessionID = sessionID;
    this.#stage = {
      nowMs,
      queue: new ItemQueue(),
      written: new WrittenParts(),
      messages: new Messages(),
      emit: (drafts) => void this.#drafts.push(...drafts),
    };
    this.#texts = new Texts(this.#stage);
    this.#prompts = new Prompts(this.#stage);
    this.#calls = new Calls(this.#stage);
  }

  /** Takes a record in. Cheap: this runs inside the host's hooks. */
  accept(record: HostRecord): void {
    if (record.kind === "text_delta") return this.#texts.append(record);
    this.#dispatch(record);
    this.#settle();
  }

  /** The drafts that are ready now, in order; each is handed out once. */
  take(): Draft[] {
    const drafts = this.#drafts;
    this.#drafts = [];
    return drafts;
  }

  /** Whether a record named the message. */
  knows(messageID: string): boolean {
    return this.#stage.messages.has(messageID);
  }

  /** When `expire` should be called if no record comes before, in milliseconds since 1970. */
  nextDueMs(): number | undefined {
    const due = [
      this.#stage.queue.nextDueMs(),
      this.#changes.nextDueMs(),
      this.#calls.nextDueMs(),
      this.#interruptDueMs(),
    ];
    const known = due.filter((at) => at !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** Writes what has waited long enough. */
  expire(): void {
    const dueMs = this.#interruptDueMs();
    if (dueMs !== undefined && dueMs <= this.#stage.nowMs()) {
      this.#idleSinceMs = undefined;
      this.interrupt();
    }
    this.#settle();
  }

  /** Ends everything that is open, as it stands, and marks it so: the process or the session stops. */
  interrupt(): void {
    this.#texts.cutAll();
    this.#prompts.end();
    this.#calls.interrupt();
    this.#settle();
    this.#stage.emit(this.#changes.due(this.#stage.nowMs(), "all"));
  }

  /** Whether something is under way that later records will end. */
  get hasOpen(): boolean {
    return this.#stage.queue.size > 0 || this.#texts.size > 0 || this.#calls.size > 0;
  }

  /** Tool calls whose input is kept because their result has not come. */
  get openCalls(): number {
    return this.#calls.size;
  }

  #dispatch(record: Exclude<HostRecord, TextDeltaRecord>): void {
    // A prompt is whole once anything of a later message comes.
    if ("messageID" in record && record.kind !== "prompt" && record.kind !== "removal") {
      this.#prompts.hurry(record.messageID);
    }
    if ("partID" in record && record.kind !== "removal") this.#tellsParts = true;
    switch (record.kind) {
      case "session":
        return this.#stage.emit(this.#changes.onSession(record, this.#stage.nowMs()));
      case "message":
        return this.#onMessage(record);
      case "prompt":
        return this.#prompts.expect(record);
      case "user_part":
        return this.#prompts.confirm(record);
      case "text":
        return this.#texts.accept(record);
      case "call":
        // The usage of the model call comes after its calls: the text before them does not wait for it.
        this.#texts.hurry(record.messageID);
        return this.#calls.accept(record);
      case "call_hint":
        return this.#calls.hintUse(record, this.#tellsParts);
      case "result_hint":
        return this.#calls.hintResult(record, this.#tellsParts);
      case "usage":
        return this.#onUsage(record);
      case "part_event":
        return this.#onPartEvent(record);
      case "event":
        return this.#onEvent(record);
      case "removal":
        return this.#onRemoval(record);
      case "activity":
        return this.#onActivity(record);
    }
  }

  #onMessage({ messageID, role, agent, model, createdMs, completed, aborted }: MessageRecord): void {
    const news = given({ role, agent, model, createdMs, completed, aborted });
    Object.assign(this.#stage.messages.of(messageID), news);
    if (role === "user") this.#prompts.announce(messageID);
    if (completed) this.#texts.hurry(messageID);
  }

  #onUsage(record: UsageRecord): void {
    const { written, messages } = this.#stage;
    if (written.has(record.partID)) return;
    written.add(record.partID);
    if (this.#texts.carryUsage(record)) return;
    const { model } = messages.of(record.messageID);
    const { tokens, cost, reason } = record;
    const data = given({ model, tokens, cost, reason });
    const fields = { name: "usage", text: usageText(model, tokens, cost), data };
    this.#stage.queue.add(eventItem(record, fields, this.#stage.nowMs()));
  }

  #onPartEvent(record: PartEventRecord): void {
    const { written, queue, nowMs } = this.#stage;
    if (written.has(record.partID)) return;
    written.add(record.partID);
    const { name, text, data, atMs } = record;
    queue.add(eventItem(record, { name, ...given({ text, data }) }, nowMs(), atMs));
  }

  #onEvent(record: EventRecord): void {
    const { written, nowMs } = this.#stage;
    if (record.callID !== undefined) this.#calls.hurry(record.callID);
    this.#settle();
    if (record.eventID !== undefined) {
      if (written.has(record.eventID)) return;
      written.add(record.eventID);
    }
    const { name, text, data, eventID, requestID } = record;
    const callID = record.callID ?? this.#callOf(requestID);
    if (record.callID !== undefined && requestID !== undefined) {
      this.#asked.set(requestID, record.callID);
      const oldest = this.#asked.size > MAX_ASKED ? this.#asked.keys().next().value : undefined;
      if (oldest !== undefined) this.#asked.delete(oldest);
    }
    const timestamp = isoTime(undefined, nowMs());
    const draft: Draft = { entry: { type: "session_event", timestamp, name, ...given({ text, data, eventID }) } };
    // A call that waits for the text before it takes its events along.
    if (callID === undefined || !this.#calls.attach(callID, draft)) this.#stage.emit([draft]);
  }

  /** The call that the request was about, which is answered now. */
  #callOf(requestID: string | undefined): string | undefined {
    if (requestID === undefined) return undefined;
    const callID = this.#asked.get(requestID);
    this.#asked.delete(requestID);
    return callID;
  }

  #onRemoval(record: RemovalRecord): void {
    if (record.partID !== undefined) {
      // What was streamed was seen by the user: it stays, marked, although the host dropped it.
      this.#texts.cut(record.partID);
      this.#prompts.drop(record.messageID, record.partID);
    }
    this.#changes.onRemoval(record, this.#stage.nowMs());
  }

  #onActivity({ state }: ActivityRecord): void {
    switch (state) {
      case "aborting":
        this.#texts.aborting = true;
        return;
      case "busy":
        this.#texts.aborting = false;
        this.#idleSinceMs = undefined;
        return;
      case "idle":
        this.#idleSinceMs = this.#stage.nowMs();
        return;
      case "retrying":
        // The host begins the answer anew, in a new part; the old one never gets an end.
        return this.#texts.cutAll();
      case "deleted":
        return this.interrupt();
    }
  }

  /** Writes what is due: results as soon as they are known, but behind their calls. */
  #settle(): void {
    const { queue, nowMs, emit } = this.#stage;
    const now = nowMs();
    for (let turn = queue.next(now); turn; turn = queue.next(now)) {
      const { item, early } = turn;
      this.#calls.settle(now);
      emit(item.take(early));
      this.#texts.onTurn(item, early);
      this.#prompts.onTurn(item);
      this.#calls.onTurn(item, early);
    }
    this.#calls.settle(now);
    emit(this.#changes.due(now));
  }

  /** When what is open counts as cut off, because the session went idle and nothing more came. */
  #interruptDueMs(): number | undefined {
    if (this.#idleSinceMs === undefined || !this.hasOpen) return undefined;
    const messageIDs = [...this.#texts.messageIDs(), ...this.#calls.messageIDs()];
    const isUnderWay = messageIDs.some((messageID) => this.#stage.messages.isUnderWay(messageID));
    return this.#idleSinceMs + (isUnderWay ? UNDER_WAY_GRACE_MS : IDLE_GRACE_MS);
  }
}
