import type { SessionEventEntry } from "../../format/entries.ts";
import { given, isoTime, type Draft } from "../draft.ts";
import type {
  ActivityRecord,
  CallHintRecord,
  CallRecord,
  EventRecord,
  HostRecord,
  MessageRecord,
  PartEventRecord,
  PromptRecord,
  RemovalRecord,
  ResultHintRecord,
  SessionRecord,
  TextDeltaRecord,
  TextRecord,
  UsageRecord,
  UserPartRecord,
} from "../records.ts";
import { CallItem } from "./call-item.ts";
import { CallLedger } from "./call-ledger.ts";
import { IDLE_GRACE_MS, ORDER_MS, type Item, type MessageFacts } from "./item.ts";
import { ItemQueue } from "./queue.ts";
import { SessionChanges } from "./session-changes.ts";
import { TextItem } from "./text-item.ts";
import { usageText } from "./usage-text.ts";
import { UserItem } from "./user-item.ts";
import { WrittenParts } from "./written-parts.ts";

/** Messages whose facts are kept; older ones are not changed by the host any more. */
const MAX_MESSAGES = 2_000;

/**
 * Turns the records of one session into entries in conversation order, each once.
 *
 * Records arrive in another order than the conversation has: the end of a text comes after the calls that it
 * announces, hooks come before or after the events of the same thing, late ends after the session is idle.
 * Nothing here touches the disk, the network or the clock; time is handed in.
 */
export class Timeline {
  readonly sessionID: string;
  readonly #nowMs: () => number;
  readonly #queue = new ItemQueue();
  readonly #messages = new Map<string, MessageFacts>();
  readonly #texts = new Map<string, TextItem>();
  readonly #users = new Map<string, UserItem>();
  readonly #calls: CallLedger;
  readonly #changes: SessionChanges;
  readonly #written = new WrittenParts();
  #drafts: Draft[] = [];
  #idleSinceMs: number | undefined;
  #aborting = false;

  constructor(sessionID: string, nowMs: () => number) {
    this.sessionID = sessionID;
    this.#nowMs = nowMs;
    this.#calls = new CallLedger(nowMs);
    this.#changes = new SessionChanges();
  }

  /** Takes a record in. Cheap: this runs inside the host's hooks. */
  accept(record: HostRecord): void {
    if (record.kind === "text_delta") return this.#onTextDelta(record);
    this.#dispatch(record);
    this.#settle();
  }

  /** The drafts that are ready now, in order; each is handed out once. */
  take(): Draft[] {
    const drafts = this.#drafts;
    this.#drafts = [];
    return drafts;
  }

  /** Writes what is whole without waiting for what might follow; what is open stays open. For stored records. */
  takeEnded(): Draft[] {
    for (const user of this.#users.values()) user.hurry();
    for (const text of this.#texts.values()) text.hurry();
    this.#settle();
    return this.take();
  }

  /** Whether a record named the message. */
  knows(messageID: string): boolean {
    return this.#messages.has(messageID);
  }

  /** When `expire` should be called if no record comes before, in milliseconds since 1970. */
  nextDueMs(): number | undefined {
    const due = [this.#queue.nextDueMs(), this.#changes.nextDueMs()];
    for (const call of this.#calls) due.push(call.resultDueMs);
    if (this.#idleSinceMs !== undefined && this.hasOpen) due.push(this.#idleSinceMs + IDLE_GRACE_MS);
    const known = due.filter((at) => at !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** Writes what has waited long enough. */
  expire(): void {
    const now = this.#nowMs();
    if (this.#idleSinceMs !== undefined && now >= this.#idleSinceMs + IDLE_GRACE_MS) {
      this.#idleSinceMs = undefined;
      this.interrupt();
    }
    this.#settle();
  }

  /** Ends everything that is open, as it stands, and marks it so: the process or the session stops. */
  interrupt(): void {
    this.#cutTexts();
    for (const user of this.#users.values()) user.betterAfterMs = undefined;
    for (const call of this.#calls) call.interrupt();
    this.#settle();
    this.#drafts.push(...this.#changes.due(Infinity));
  }

  /** Whether something is under way that later records will end. */
  get hasOpen(): boolean {
    return this.#queue.size > 0 || this.#texts.size > 0 || this.#calls.size > 0;
  }

  #dispatch(record: Exclude<HostRecord, TextDeltaRecord>): void {
    switch (record.kind) {
      case "session":
        return this.#onSession(record);
      case "message":
        return this.#onMessage(record);
      case "prompt":
        return this.#onPrompt(record);
      case "user_part":
        return this.#onUserPart(record);
      case "text":
        return this.#onText(record);
      case "call":
        return this.#onCall(record);
      case "call_hint":
        return this.#onCallHint(record);
      case "result_hint":
        return this.#onResultHint(record);
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

  #onSession(record: SessionRecord): void {
    this.#drafts.push(...this.#changes.onSession(record, this.#nowMs()));
  }

  #onMessage(record: MessageRecord): void {
    const facts = this.#facts(record.messageID);
    const { role, agent, model, createdMs, completed, aborted } = record;
    Object.assign(facts, given({ role, agent, model, createdMs, completed, aborted }));
    this.#hurryUsers(record.messageID);
    if (completed) this.#hurryTexts(record.messageID);
  }

  #onPrompt(record: PromptRecord): void {
    const { messageID, agent, model, parts } = record;
    Object.assign(this.#facts(messageID), { role: "user" }, given({ agent, model }));
    const firstPart = parts[0];
    if (!firstPart || parts.some(({ partID }) => this.#written.has(partID))) return;
    this.#user(messageID, firstPart.partID).expect(parts);
  }

  #onUserPart(record: UserPartRecord): void {
    this.#hurryUsers(record.messageID);
    const { visibleText } = record.part;
    if (!this.#written.isNews(record.partID, visibleText)) return;
    this.#user(record.messageID, record.partID).confirm(record.partID, record.part);
  }

  #onText(record: TextRecord): void {
    this.#hurryUsers(record.messageID);
    if (!this.#written.isNews(record.partID, record.done ? record.text : undefined)) return;
    const known = this.#texts.get(record.partID);
    if (known) known.update(record);
    const text = known ?? this.#addText(record);
    if (this.#written.has(record.partID)) text.replaceWritten();
    if (text.wasForced && record.done) this.#finishText(text);
  }

  #onTextDelta(record: TextDeltaRecord): void {
    this.#texts.get(record.partID)?.append(record.delta);
  }

  #onCall(record: CallRecord): void {
    this.#hurryUsers(record.messageID);
    this.#hurryTexts(record.messageID);
    if (this.#written.has(record.partID)) return;
    const found = this.#calls.forRecord(record);
    if (!found) return this.#written.add(record.partID);
    const { call, isNew } = found;
    // Its key may change with its first record: take it out while that happens.
    const isQueued = !isNew && this.#queue.remove(call);
    call.update(record);
    if (isNew || isQueued) this.#queue.add(call);
    else if (!call.useWritten && call.readySinceMs !== undefined) this.#drafts.push(...call.take(false));
  }

  #onCallHint(record: CallHintRecord): void {
    const { call, isNew } = this.#calls.forUse(record);
    call.hintUse(record);
    if (isNew) this.#queue.add(call);
  }

  #onResultHint(record: ResultHintRecord): void {
    const found = this.#calls.forResult(record);
    if (!found) return;
    found.call.hintResult(record);
    if (found.isNew) this.#queue.add(found.call);
  }

  #onUsage(record: UsageRecord): void {
    if (this.#written.has(record.partID)) return;
    this.#written.add(record.partID);
    const last = this.#queue.findLast((item) => item.messageID === record.messageID);
    if (last instanceof TextItem && !last.reasoning && last.readySinceMs !== undefined && !last.isEmpty) {
      return last.carryUsage(record);
    }
    this.#hurryTexts(record.messageID);
    const { model } = this.#facts(record.messageID);
    const { messageID, partID, tokens, cost, reason } = record;
    const data = given({ model, tokens, cost, reason });
    this.#addEvent(messageID, partID, { name: "usage", text: usageText(model, tokens, cost), data });
  }

  #onPartEvent(record: PartEventRecord): void {
    this.#hurryUsers(record.messageID);
    if (this.#written.has(record.partID)) return;
    this.#written.add(record.partID);
    const { name, text, data, atMs } = record;
    this.#addEvent(record.messageID, record.partID, { name, ...given({ text, data }) }, atMs);
  }

  #onEvent(record: EventRecord): void {
    if (record.callID !== undefined) this.#calls.byCallID(record.callID)?.hurry();
    this.#settle();
    if (record.eventID !== undefined) {
      if (this.#written.has(record.eventID)) return;
      this.#written.add(record.eventID);
    }
    const { name, text, data } = record;
    this.#drafts.push({
      entry: { type: "session_event", timestamp: isoTime(undefined, this.#nowMs()), name, ...given({ text, data }) },
    });
  }

  #onRemoval(record: RemovalRecord): void {
    const text = record.partID === undefined ? undefined : this.#texts.get(record.partID);
    // What was streamed was seen by the user: it stays, marked, although the host dropped it.
    if (text) this.#cutText(text);
    if (record.partID !== undefined) this.#users.get(record.messageID)?.drop(record.partID);
    this.#changes.onRemoval(record, this.#nowMs());
  }

  #onActivity(record: ActivityRecord): void {
    if (record.state === "aborting") this.#aborting = true;
    if (record.state === "busy") {
      this.#aborting = false;
      this.#idleSinceMs = undefined;
    }
    if (record.state === "idle") this.#idleSinceMs = this.#nowMs();
    // The host begins the answer anew, in a new part; the old one never gets an end.
    if (record.state === "retrying") this.#cutTexts();
    if (record.state === "deleted") this.interrupt();
  }

  #addText(record: TextRecord): TextItem {
    const facts = (): MessageFacts => {
      const known = this.#facts(record.messageID);
      return this.#aborting && !known.completed ? { ...known, aborted: true } : known;
    };
    const text = new TextItem(record, facts, this.#nowMs);
    this.#texts.set(record.partID, text);
    this.#queue.add(text);
    return text;
  }

  #user(messageID: string, partID: string): UserItem {
    const waiting = this.#users.get(messageID);
    if (waiting) return waiting;
    const isAddition = this.#written.has(messageID);
    const user = new UserItem(partID, messageID, isAddition, () => this.#facts(messageID), this.#nowMs);
    this.#users.set(messageID, user);
    this.#queue.add(user);
    return user;
  }

  #addEvent(
    messageID: string,
    partID: string,
    fields: Pick<SessionEventEntry, "name" | "text" | "data">,
    atMs?: number,
  ): void {
    const timestamp = isoTime(atMs, this.#nowMs());
    const entry: SessionEventEntry = { type: "session_event", timestamp, messageID, partID, ...fields };
    const item: Item = {
      key: partID,
      messageID,
      readySinceMs: this.#nowMs(),
      betterAfterMs: undefined,
      patienceMs: ORDER_MS,
      take: () => [{ entry }],
    };
    this.#queue.add(item);
  }

  /** Writes what is due, uses before their results. */
  #settle(): void {
    const now = this.#nowMs();
    this.#drafts.push(...this.#queue.drain(now, (item, early) => this.#onTurn(item, early)));
    for (const call of this.#calls.overflow()) call.interrupt();
    for (const call of this.#calls) {
      if (!call.isEnded(now) || !call.useWritten) continue;
      this.#drafts.push(...call.takeResult());
      this.#calls.close(call);
      if (call.partID !== undefined) this.#written.add(call.partID);
    }
    this.#drafts.push(...this.#changes.due(now));
  }

  #onTurn(item: Item, early: boolean): void {
    if (item instanceof TextItem && !early) {
      this.#texts.delete(item.key);
      this.#written.add(item.key, item.text);
    }
    if (item instanceof UserItem) {
      this.#users.delete(item.messageID);
      this.#written.add(item.messageID);
      for (const [partID, text] of item.writtenParts) this.#written.add(partID, text);
    }
    if (item instanceof CallItem && early && !item.useWritten) {
      // Its arguments are still streamed: it is written as soon as they are known.
      item.betterAfterMs = undefined;
    }
  }

  #cutTexts(): void {
    for (const text of this.#texts.values()) this.#cutText(text);
  }

  #cutText(text: TextItem): void {
    // A text that has its end only waits for its turn.
    if (text.readySinceMs === undefined) text.interrupted = true;
    text.end();
    text.hurry();
    if (text.wasForced) this.#finishText(text);
  }

  #finishText(text: TextItem): void {
    this.#drafts.push(...text.takeRest());
    this.#texts.delete(text.key);
    this.#written.add(text.key, text.text);
  }

  /** Another message follows: nothing more of the earlier prompts is under way. */
  #hurryUsers(exceptMessageID: string): void {
    for (const user of this.#users.values()) if (user.messageID !== exceptMessageID) user.hurry();
  }

  /** A call follows: the usage of this model call comes after it. */
  #hurryTexts(messageID: string): void {
    for (const text of this.#texts.values()) if (text.messageID === messageID) text.hurry();
  }

  #facts(messageID: string): MessageFacts {
    let facts = this.#messages.get(messageID);
    if (!facts) {
      facts = {};
      this.#messages.set(messageID, facts);
      const oldest = this.#messages.size > MAX_MESSAGES ? this.#messages.keys().next().value : undefined;
      if (oldest !== undefined) this.#messages.delete(oldest);
    }
    return facts;
  }
}
