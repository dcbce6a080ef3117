import { dropOldest, isoTime, type Draft } from "../entry-draft.ts";
import { given } from "../../given.ts";
import type {
  ActivityRecord,
  EventRecord,
  HostRecord,
  MessageRecord,
  PartEventRecord,
  RemovalRecord,
  TextDeltaRecord,
  UsageRecord,
  SessionRecord,
  PromptRecord,
  UserPartRecord,
  PromptPart,
  UserPart,
} from "../records.ts";
import { Calls } from "./calls.ts";
import {
  BEHIND_ALL,
  BURST_MS,
  IDLE_GRACE_MS,
  type Item,
  ItemQueue,
  Messages,
  ORDER_MS,
  PROMPT_CONFIRM_MS,
  PROMPT_HOLD_MS,
  PROMPT_STORE_MS,
  type Stage,
  isReady,
  UNDER_WAY_GRACE_MS,
  WrittenParts,
  keyOf,
} from "./stage.ts";
import { eventEntry, usageEntry, userEntry } from "../record-entries.ts";
import { Texts } from "./texts.ts";
import { usageText } from "../format/usage-text.ts";
import type { SessionEventEntry } from "../format/entry-types.ts";

/** Maximum number of unanswered requests remembered. */
const MAX_ASKED = 1_000;

/**
 * Turns the records of one session into entries in conversation order, each once.
 *
 * Records do not arrive in conversation order: the end of a text comes after the calls that follow it, hooks come before
 * or after the events for the same call, and late ends come after the session is idle. The rules:
 *
 * 1. A text is written when its end comes. If a later part has waited for it too long, the text so far is written, and
 *    its rest follows as an entry that continues it.
 * 2. The use of a call is written when its input is known, the result when the call has ended, after its use.
 * 3. A prompt is written when a record of a later message comes, or when no more of its parts have come for a while.
 * 4. Usage and other events of a message take the position of their part. Events of the session are written at once; one
 *    about a call follows its use, and an error follows the texts that it ended.
 * 5. Some time after the session is idle, everything that is open ends as interrupted. If a real end comes later, it is
 *    written as an entry that replaces the invented one.
 *
 * | entry  | open                              | written                       | later                            |
 * | ------ | --------------------------------- | ----------------------------- | -------------------------------- |
 * | text   | deltas are added                  | at its end, in part order     | changed by the host: replaced    |
 * | use    | arguments are streamed            | input known, in part order    | ran with another input: replaced |
 * | result | the call runs                     | ended, and its use is written | invented, real one came: replaced |
 * | prompt | parts arrive one by one           | a later message, or a wait    | a part was added: another entry  |
 * | event  | waits for its part's turn         | its turn                      | never                            |
 *
 * The waits are in `stage.ts`, each with its unit and reason. Nothing here uses the disk, the network or the clock; times
 * are passed in.
 */
export class Timeline {
  readonly #stage: Stage;
  readonly #texts: Texts;
  readonly #prompts: Prompts;
  readonly #calls: Calls;
  readonly #changes = new SessionChanges();
  /** Calls of unanswered requests, by request id. */
  readonly #asked = new Map<string, string>();
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
    const { queue } = this.#stage;
    const due = [queue.nextDueMs(), this.#changes.nextDueMs(), this.#calls.nextDueMs(), this.#interruptDueMs()];
    const next = Math.min(...due);
    return next === Infinity ? undefined : next;
  }

  /** Hands out the items whose wait is over. */
  expire(): void {
    if (this.#interruptDueMs() <= this.#stage.nowMs()) {
      this.#idleSinceMs = undefined;
      this.interrupt();
    }
    this.#settle();
  }

  /** Ends all unfinished items and marks them as interrupted, because the process or the session stops. */
  interrupt(): void {
    this.#texts.cutAll();
    this.#prompts.end();
    this.#calls.interrupt();
    this.#settle();
    this.#stage.emit(this.#changes.due(this.#stage.nowMs(), Infinity));
  }

  /** Hands out everything, unfinished texts with what they contain so far. Their rest follows as a continuation. */
  writeSoFar(): void {
    const { queue, nowMs, emit } = this.#stage;
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      emit(item.take(!isReady(item, nowMs())));
      this.#calls.settle(nowMs());
    }
  }

  get hasOpen(): boolean {
    return this.#stage.queue.size > 0 || this.#texts.size > 0 || this.#calls.size > 0;
  }

  /** Number of tool calls whose input is kept because their result has not come. */
  get openCalls(): number {
    return this.#calls.size;
  }

  #dispatch(record: Exclude<HostRecord, TextDeltaRecord>): void {
    // A prompt is complete once a record of a later message comes.
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

  #onMessage({ messageID, role, agent, model, createdMs, completed, aborted }: MessageRecord): void {
    const news = given({ role, agent, model, createdMs, completed, aborted });
    Object.assign(this.#stage.messages.of(messageID), news);
    if (role === "user") this.#prompts.announce(messageID);
    if (aborted === true) this.#texts.stop(messageID);
  }

  #onUsage(record: UsageRecord): void {
    const { written, messages } = this.#stage;
    if (written.has(record.partID)) return;
    written.add(record.partID);
    const { model, lastMs, createdMs } = messages.of(record.messageID);
    const text = usageText({ ...record, ...given({ model }) });
    const now = this.#stage.nowMs();
    const place = { ...record, timestamp: isoTime(lastMs ?? createdMs, now) };
    this.#stage.queue.add(eventItem(record, usageEntry(place, model, record, text), now));
  }

  #onPartEvent(record: PartEventRecord): void {
    const { written, queue, nowMs } = this.#stage;
    if (written.has(record.partID)) return;
    written.add(record.partID);
    const now = nowMs();
    queue.add(eventItem(record, eventEntry({ ...record, timestamp: isoTime(record.atMs, now) }, record), now));
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
      dropOldest(this.#asked, MAX_ASKED);
    }
    const timestamp = isoTime(undefined, nowMs());
    const draft: Draft = { entry: { type: "session_event", timestamp, name, ...given({ text, data, eventID }) } };
    // If the call waits for a text before it, its events wait with it.
    if (callID !== undefined && this.#calls.attach(callID, draft)) return;
    // An aborted answer's text ends after the error is reported, or is cut off once the session is idle.
    if (name === "error" && this.#texts.size > 0) this.#stage.queue.add(lateItem(draft, nowMs()));
    else this.#stage.emit([draft]);
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
        this.#idleSinceMs = undefined;
        return;
      case "idle":
        this.#idleSinceMs = this.#stage.nowMs();
        return;
      case "retrying":
        // The host restarts the answer in a new part; the old one never ends.
        return this.#texts.cutAll();
      case "deleted":
        return this.interrupt();
    }
  }

  /** Hands out what is due: results as soon as they are known, but after their calls. */
  #settle(): void {
    const { queue, nowMs, emit } = this.#stage;
    const now = nowMs();
    for (let turn = queue.next(now); turn; turn = queue.next(now)) {
      this.#calls.settle(now);
      emit(turn.item.take(turn.early));
    }
    this.#calls.settle(now);
    emit(this.#changes.due(now));
  }

  /** Returns when unfinished items count as cut off, because the session became idle and no more records came. */
  #interruptDueMs(): number {
    if (this.#idleSinceMs === undefined || !this.hasOpen) return Infinity;
    const messageIDs = [...this.#texts.messageIDs(), ...this.#calls.messageIDs()];
    const isUnderWay = messageIDs.some((messageID) => this.#stage.messages.isUnderWay(messageID));
    return this.#idleSinceMs + (isUnderWay ? UNDER_WAY_GRACE_MS : IDLE_GRACE_MS);
  }
}

/** Session event with a position among the parts of a message. */
function eventItem(
  { messageID, partID, inOrder = false }: { messageID: string; partID: string; inOrder?: boolean },
  entry: SessionEventEntry,
  nowMs: number,
): Item {
  return {
    key: keyOf({ partID, inOrder }),
    messageID,
    readySinceMs: nowMs,
    betterAfterMs: undefined,
    patienceMs: ORDER_MS,
    take: () => [{ entry }],
  };
}

/** Event that comes after everything that is open. */
function lateItem(draft: Draft, nowMs: number): Item {
  return {
    key: BEHIND_ALL,
    messageID: undefined,
    readySinceMs: nowMs,
    betterAfterMs: undefined,
    patienceMs: PROMPT_HOLD_MS,
    take: () => [draft],
  };
}

/** Detects changes of the session itself: its title, reverts, removed messages. */
class SessionChanges {
  #title: string | undefined;
  #revertedTo: string | undefined;
  #isKnown = false;
  /** The revert ended: the messages are removed now, or the user undid it. */
  #liftedAtMs: number | undefined;
  #removed: { messageIDs: Set<string>; partIDs: Set<string>; lastMs: number; eventID?: string } | undefined;

  onSession(record: SessionRecord, nowMs: number): Draft[] {
    const drafts: Draft[] = [];
    // The first record gives the current state; only later differences are events.
    if (this.#isKnown && record.title !== undefined && record.title !== this.#title) {
      drafts.push(event("title", nowMs, record.title, undefined, record.eventID));
    }
    if (this.#isKnown && record.revertedTo !== undefined && record.revertedTo !== this.#revertedTo) {
      const text = "The user reverted the session to before a message.";
      drafts.push(event("revert", nowMs, text, { messageID: record.revertedTo }, record.eventID));
    }
    if (this.#revertedTo !== undefined && record.revertedTo === undefined) this.#liftedAtMs = nowMs;
    this.#isKnown = true;
    this.#title = record.title ?? this.#title;
    this.#revertedTo = record.revertedTo;
    return drafts;
  }

  onRemoval(record: RemovalRecord, nowMs: number): void {
    this.#removed ??= { messageIDs: new Set(), partIDs: new Set(), lastMs: nowMs };
    if (record.partID === undefined) this.#removed.messageIDs.add(record.messageID);
    else this.#removed.partIDs.add(record.partID);
    this.#removed.lastMs = nowMs;
    // The first removal names the whole burst.
    if (record.eventID !== undefined) this.#removed.eventID ??= record.eventID;
    // The prompt after a revert removes the messages and then ends the revert.
    if (this.#revertedTo !== undefined) this.#revertedTo = undefined;
    this.#liftedAtMs = undefined;
  }

  nextDueMs(): number {
    return Math.min(this.#removed?.lastMs ?? Infinity, this.#liftedAtMs ?? Infinity) + BURST_MS;
  }

  /** Returns the events whose wait for more of the same is over at `dueMs`. Removals come in bursts, one message each. */
  due(nowMs: number, dueMs = nowMs): Draft[] {
    const isDue = (sinceMs: number): boolean => sinceMs + BURST_MS <= dueMs;
    const drafts: Draft[] = [];
    if (this.#removed && isDue(this.#removed.lastMs)) {
      const { messageIDs, partIDs, eventID } = this.#removed;
      this.#removed = undefined;
      const data = {
        ...(messageIDs.size > 0 ? { messageIDs: [...messageIDs] } : {}),
        ...(partIDs.size > 0 ? { partIDs: [...partIDs] } : {}),
      };
      drafts.push(event("removed", nowMs, removedText(messageIDs.size, partIDs.size), data, eventID));
    }
    if (this.#liftedAtMs !== undefined && isDue(this.#liftedAtMs)) {
      this.#liftedAtMs = undefined;
      drafts.push(event("unrevert", nowMs, "The user undid the revert."));
    }
    return drafts;
  }
}

function removedText(messages: number, parts: number): string {
  const counts = [
    ...(messages > 0 ? [`${messages} ${messages === 1 ? "message" : "messages"}`] : []),
    ...(parts > 0 ? [`${parts} ${parts === 1 ? "part of a message" : "parts of messages"}`] : []),
  ];
  return `The host removed ${counts.join(" and ")} from the session.`;
}

function event(name: string, nowMs: number, text: string, data?: unknown, eventID?: string): Draft {
  const entry: SessionEventEntry = {
    type: "session_event",
    timestamp: isoTime(undefined, nowMs),
    name,
    text,
    ...given({ data, eventID: eventID === undefined ? undefined : `${eventID}/${name}` }),
  };
  return { entry };
}

/** User messages that wait for their parts or their turn. */
class Prompts {
  readonly #waiting = new Map<string, UserItem>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Applies a hook that reported a message with all its parts. */
  expect({ messageID, agent, model, parts }: PromptRecord): void {
    const { messages, written } = this.#stage;
    Object.assign(messages.of(messageID), { role: "user" }, given({ agent, model }));
    const firstPart = parts[0];
    if (!firstPart || parts.some(({ partID }) => written.has(partID))) return;
    this.#item(messageID, firstPart.partID, firstPart.partID).expect(parts);
  }

  /** Applies the host's record of the message, which it stores before the parts. */
  announce(messageID: string): void {
    this.#waiting.get(messageID)?.announce();
  }

  /** Applies the host's record of a part. */
  confirm(record: UserPartRecord): void {
    const { messageID, partID, part, isLast = false } = record;
    if (!this.#stage.written.isNews(partID, part.visibleText)) return;
    const prompt = this.#item(messageID, partID, keyOf(record));
    prompt.confirm(partID, part);
    if (isLast) prompt.hurry();
  }

  /** Removes a part that the host removed. */
  drop(messageID: string, partID: string): void {
    this.#waiting.get(messageID)?.drop(partID);
  }

  hurry(messageID: string): void {
    for (const prompt of this.#waiting.values()) if (prompt.messageID < messageID) prompt.hurry();
  }

  end(): void {
    for (const prompt of this.#waiting.values()) prompt.betterAfterMs = undefined;
  }

  #item(messageID: string, partID: string, key: string): UserItem {
    const waiting = this.#waiting.get(messageID);
    if (waiting) return waiting;
    const { written, queue } = this.#stage;
    const addedPart = written.has(messageID) ? partID : undefined;
    const prompt = new UserItem(key, messageID, addedPart, this.#stage, () => this.#waiting.delete(messageID));
    this.#waiting.set(messageID, prompt);
    queue.add(prompt);
    return prompt;
  }
}

/**
 * User message, recorded as the host stores it. The prompt hook reports it earlier, but other plugins may still change it;
 * the hook's version is written only if the host sends no records. Parts come one by one: the message is complete when a
 * later message begins, or when no more parts come for a while.
 */
class UserItem implements Item {
  readonly key: string;
  readonly messageID: string;
  readonly patienceMs = PROMPT_HOLD_MS;
  readySinceMs: number | undefined;
  betterAfterMs: number | undefined;
  readonly #parts = new Map<string, UserPart>();
  readonly #expected = new Map<string, UserPart>();
  readonly #stage: Stage;
  /** Part that came after the message was written; its entry names it. */
  readonly #addedPart: string | undefined;
  readonly #onTaken: () => void;

  constructor(key: string, messageID: string, addedPart: string | undefined, stage: Stage, onTaken: () => void) {
    this.key = key;
    this.messageID = messageID;
    this.#addedPart = addedPart;
    this.#stage = stage;
    this.#onTaken = onTaken;
  }

  /** Parts reported by the hook, written if the host sends no record of any. */
  expect(parts: readonly PromptPart[]): void {
    for (const { partID, part } of parts) this.#expected.set(partID, part);
    this.#await(PROMPT_CONFIRM_MS);
  }

  /** The host has begun to store the message. */
  announce(): void {
    if (this.#parts.size === 0) this.#await(PROMPT_STORE_MS);
  }

  confirm(partID: string, part: UserPart): void {
    this.#parts.set(partID, part);
    this.#await(PROMPT_CONFIRM_MS);
  }

  drop(partID: string): void {
    this.#parts.delete(partID);
    this.#expected.delete(partID);
  }

  /** Completes the message, because a later one began. */
  hurry(): void {
    if (this.#parts.size > 0) this.betterAfterMs = undefined;
  }

  take(): Draft[] {
    const { messages, nowMs, written } = this.#stage;
    this.#onTaken();
    written.add(this.messageID);
    for (const [partID, { visibleText }] of [...this.#expected, ...this.#parts]) written.add(partID, visibleText);
    const parts = this.#inOrder();
    if (parts.length === 0) return [];
    const { createdMs, ...speaker } = messages.of(this.messageID);
    const place = { timestamp: isoTime(createdMs, nowMs()), messageID: this.messageID, partID: this.#addedPart };
    const { entry, files } = userEntry(place, parts, speaker);
    return [files.length > 0 ? { entry, files } : { entry }];
  }

  #await(ms: number): void {
    const now = this.#stage.nowMs();
    this.readySinceMs ??= now;
    this.betterAfterMs = now + ms;
  }

  #inOrder(): UserPart[] {
    const known = this.#parts.size > 0 ? this.#parts : this.#expected;
    return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
  }
}
