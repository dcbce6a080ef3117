import { dropOldest, isoTime, type Draft } from "../entry-draft.ts";
import { given } from "../../given.ts";
import { usageText } from "../format/told-by-text.ts";
import type { SessionEventEntry } from "../format/entry-types.ts";
import { eventEntry, usageEntry } from "../record-entries.ts";
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
import { type Item, ItemQueue, keyOf } from "./item-queue.ts";
import { Prompts } from "./pending-prompts.ts";
import { SessionChanges } from "./session-updates.ts";
import { Messages, type Stage, WrittenParts } from "./stage.ts";
import { Texts } from "./texts.ts";
import { GRACE_MS } from "./waits.ts";

/** Maximum number of unanswered requests remembered. */
const MAX_ASKED = 1_000;
/** Maximum number of events that wait for the end of a text. */
const MAX_EVENTS = 1_000;

/**
 * Turns the records of one session into entries in conversation order, each once. Records come in another order: the end
 * of a text after the calls that follow it, hooks before or after the events for the same call, late ends after the
 * session is idle.
 *
 * Parts of messages are written in the order of their ids. Five rules say when:
 *
 * 1. A text is complete when its end comes, or anything that follows it.
 * 2. A use is complete when its input is known, a result when its call has ended; it is written after its use.
 * 3. A prompt is complete when a message of the assistant follows it, or the session is idle.
 * 4. Usage is an event of its own. An event about a call is written after its use, any other event at once, or if a text
 *    is being streamed, after that.
 * 5. Some time after the session is idle, everything that is open ends as interrupted.
 *
 * What comes later is an entry that continues an earlier one or replaces it; readers join them.
 *
 * | entry  | while open                         | written when                 | what may come later                |
 * | ------ | ---------------------------------- | ---------------------------- | ---------------------------------- |
 * | text   | deltas are added to it             | it ends or something follows | the rest, or another text          |
 * | use    | its arguments are streamed         | its input is known           | the input that the call ran with   |
 * | result | the call runs                      | it ended, after the use      | the real end after an invented one |
 * | prompt | its parts are stored one by one    | an answer begins, or idle    | an added part: an entry of its own |
 * | event  | its call waits, a text is streamed | after those                  | nothing                            |
 *
 * Other waits have a limit (`waits.ts`): for a part of which nothing is known yet, for the host's own record of what a hook
 * reported, for the id of a subagent, and for bursts of removals. Events behind a streamed text wait as long as it lasts.
 * Nothing here uses the disk, the network or the clock; times are passed in.
 */
export class Timeline {
  readonly #stage: Stage;
  readonly #texts: Texts;
  readonly #prompts: Prompts;
  readonly #calls: Calls;
  readonly #changes = new SessionChanges();
  /** Events that wait for the end of a streamed text. */
  #events: Draft[] = [];
  /** Calls of unanswered requests, by request id. */
  readonly #asked = new Map<string, string>();
  #isBusy = false;
  /** Set while what is open waits for late records. */
  #idleSinceMs: number | undefined;
  /** The host has sent part records, so it will also send those of calls known only from hooks. */
  #tellsParts = false;

  /** `onDraft` is called with each draft that is ready, in order. */
  constructor(nowMs: () => number, onDraft: (draft: Draft) => void) {
    this.#stage = {
      nowMs,
      queue: new ItemQueue(),
      written: new WrittenParts(),
      messages: new Messages(),
      emit: (drafts) => drafts.forEach(onDraft),
    };
    this.#texts = new Texts(this.#stage);
    this.#prompts = new Prompts(this.#stage);
    this.#calls = new Calls(this.#stage);
  }

  /** Accepts a record. Fast, because it runs inside the host's hooks. */
  accept(record: HostRecord): void {
    if (record.kind === "text_delta") return this.#texts.append(record);
    this.#dispatch(record);
    this.#settle();
  }

  knows(messageID: string): boolean {
    return this.#stage.messages.has(messageID);
  }

  /** Returns when to call `expire` if no record comes before, in milliseconds since 1970. */
  nextDueMs(): number | undefined {
    const due = [
      this.#stage.queue.nextDueMs(),
      this.#prompts.nextDueMs(this.#restingSinceMs),
      this.#calls.nextDueMs(),
      this.#changes.nextDueMs(),
      this.#graceEndMs(),
    ];
    const next = Math.min(...due);
    return next === Infinity ? undefined : next;
  }

  /** Hands out what is due. */
  expire(): void {
    if (this.#graceEndMs() <= this.#stage.nowMs()) this.interrupt();
    else this.#settle();
  }

  /** Ends everything that is open and marks it as interrupted, because the process or the session stops. */
  interrupt(): void {
    this.#idleSinceMs = undefined;
    this.#texts.cutAll();
    this.#prompts.endAll();
    this.#calls.interrupt();
    this.#settle();
    this.#stage.emit(this.#changes.due(this.#stage.nowMs(), Infinity));
  }

  get hasOpen(): boolean {
    return this.#stage.queue.size + this.#texts.size + this.#prompts.size + this.#calls.size > 0;
  }

  /** Number of tool calls whose input is kept because their result has not come. */
  get openCalls(): number {
    return this.#calls.size;
  }

  #dispatch(record: Exclude<HostRecord, TextDeltaRecord>): void {
    if ("partID" in record && record.kind !== "removal") this.#tellsParts = true;
    if ("messageID" in record) this.#noticeAnswer(record);
    switch (record.kind) {
      case "session":
        this.#events.push(...this.#changes.onSession(record, this.#stage.nowMs()));
        return;
      case "message":
        return this.#onMessage(record);
      case "prompt":
        // A turn begins, so late ends of the last one are not waited for in the middle of it.
        this.#idleSinceMs = undefined;
        return this.#prompts.expect(record);
      case "user_part":
        return this.#prompts.confirm(record);
      case "text":
        this.#stage.messages.see(record.messageID, record.startMs, record.endMs);
        return this.#texts.accept(record);
      case "call":
        this.#stage.messages.see(record.messageID, record.startMs, record.end?.endMs);
        this.#texts.follow(record.messageID);
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

  /** Completes the prompts before a message of the assistant. */
  #noticeAnswer(record: Extract<HostRecord, { messageID: string }>): void {
    const { kind, messageID } = record;
    if (kind === "prompt" || kind === "user_part" || kind === "removal") return;
    const role = kind === "message" ? record.role : this.#stage.messages.of(messageID).role;
    if (role !== "user") this.#prompts.endBefore(messageID);
  }

  #onMessage({ messageID, role, agent, model, createdMs, completed, aborted }: MessageRecord): void {
    const news = given({ role, agent, model, createdMs, completed, aborted });
    Object.assign(this.#stage.messages.of(messageID), news);
    if (role === "user") this.#prompts.announce(messageID);
    if (aborted === true) this.#texts.stop(messageID);
  }

  #onUsage(record: UsageRecord): void {
    const facts = this.#stage.messages.of(record.messageID);
    const { model, lastMs, createdMs, usagePartID = record.partID } = facts;
    facts.usagePartID = usagePartID;
    const text = usageText({ ...record, ...given({ model }) });
    // The usage of a message is known by the message; only a second one needs the id of its part.
    const partID = record.partID === usagePartID ? undefined : record.partID;
    const place = { timestamp: isoTime(lastMs ?? createdMs, this.#stage.nowMs()), messageID: record.messageID, partID };
    this.#place(record, usageEntry(place, model, record, text));
  }

  #onPartEvent(record: PartEventRecord): void {
    this.#place(record, eventEntry({ ...record, timestamp: isoTime(record.atMs, this.#stage.nowMs()) }, record));
  }

  /** Queues an event with a place among the parts of its message. */
  #place(record: UsageRecord | PartEventRecord, entry: SessionEventEntry): void {
    const { written, queue, nowMs } = this.#stage;
    if (written.has(record.partID)) return;
    written.add(record.partID);
    const item: Item = { key: keyOf(record), dueMs: nowMs(), endsWithNext: false, take: () => [{ entry }] };
    queue.add(item);
  }

  #onEvent(record: EventRecord): void {
    const { written, nowMs } = this.#stage;
    if (record.eventID !== undefined) {
      if (written.has(record.eventID)) return;
      written.add(record.eventID);
    }
    const { name, text, data, eventID, requestID } = record;
    const callID = record.callID ?? this.#callOf(requestID);
    if (record.callID !== undefined && requestID !== undefined) {
      this.#asked.set(requestID, record.callID);
      dropOldest(this.#asked, MAX_ASKED);
    }
    const timestamp = isoTime(undefined, nowMs());
    const draft: Draft = { entry: { type: "session_event", timestamp, name, ...given({ text, data, eventID }) } };
    if (callID === undefined || !this.#calls.attach(callID, draft)) this.#events.push(draft);
  }

  /** Returns the call of a request that is now answered. */
  #callOf(requestID: string | undefined): string | undefined {
    if (requestID === undefined) return undefined;
    const callID = this.#asked.get(requestID);
    this.#asked.delete(requestID);
    return callID;
  }

  #onRemoval(record: RemovalRecord): void {
    if (record.partID !== undefined) {
      // The user saw the streamed text, so it is recorded, marked, although the host dropped it.
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
        this.#isBusy = true;
        this.#idleSinceMs = undefined;
        return;
      case "idle":
        this.#isBusy = false;
        this.#idleSinceMs = this.#stage.nowMs();
        return;
      case "retrying":
        // The host restarts the answer in a new part; the old one never ends.
        return this.#texts.cutAll();
      case "deleted":
        return this.interrupt();
    }
  }

  /** Hands out what is due, each result after its use. */
  #settle(): void {
    const { queue, nowMs, emit } = this.#stage;
    const now = nowMs();
    this.#prompts.settle(now, this.#restingSinceMs);
    for (let item = queue.next(now); item; item = queue.next(now)) {
      this.#calls.settle(now);
      emit(item.take());
    }
    this.#calls.settle(now);
    if (!this.#texts.isStreaming || this.#events.length > MAX_EVENTS) emit(this.#events.splice(0));
    emit(this.#changes.due(now));
  }

  /** Since when the session does nothing; 0 if that is unknown. */
  get #restingSinceMs(): number | undefined {
    return this.#isBusy ? undefined : (this.#idleSinceMs ?? 0);
  }

  /** Returns when everything that is open ends, because the session is idle and no more records came. */
  #graceEndMs(): number {
    return this.#idleSinceMs === undefined || !this.hasOpen ? Infinity : this.#idleSinceMs + GRACE_MS;
  }
}
