import { isoTime, type Draft } from "../entry-draft.ts";
import { given } from "../../given.ts";
import { userEntry } from "../record-entries.ts";
import type { PromptRecord, UserPart, UserPartRecord } from "../records.ts";
import { type Item, keyOf } from "./item-queue.ts";
import type { Stage } from "./stage.ts";
import { GRACE_MS, RECORD_MS } from "./waits.ts";

/**
 * User messages that are not complete. The host stores their parts one by one. A hook reports all of them earlier, but
 * other plugins may still change them, so its version is written only if the host stores none.
 */
export class Prompts {
  readonly #open = new Map<string, PromptItem>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Applies a hook that reported a message with all its parts. */
  expect({ messageID, agent, model, parts }: PromptRecord): void {
    const { messages, written } = this.#stage;
    Object.assign(messages.of(messageID), { role: "user" }, given({ agent, model }));
    const firstPart = parts[0];
    if (!firstPart || parts.some(({ partID }) => written.has(partID))) return;
    const prompt = this.#prompt(messageID, firstPart.partID, firstPart.partID);
    for (const { partID, part } of parts) prompt.hooked.set(partID, part);
    prompt.hookedMs = this.#stage.nowMs();
  }

  /** Applies the host's record of the message, which it stores before the parts. */
  announce(messageID: string): void {
    const prompt = this.#open.get(messageID);
    if (prompt) prompt.isAnnounced = true;
  }

  /** Applies the host's record of a part. */
  confirm(record: UserPartRecord): void {
    const { messageID, partID, part, isLast = false } = record;
    if (!this.#stage.written.isNews(partID, part.visibleText)) return;
    const prompt = this.#prompt(messageID, partID, keyOf(record));
    prompt.stored.set(partID, part);
    prompt.storedMs = this.#stage.nowMs();
    if (isLast) this.#complete(prompt);
  }

  /** Removes a part that the host removed. */
  drop(messageID: string, partID: string): void {
    this.#open.get(messageID)?.stored.delete(partID);
    this.#open.get(messageID)?.hooked.delete(partID);
  }

  /** Completes the earlier messages, because a message of the assistant has begun. */
  endBefore(messageID: string): void {
    for (const prompt of this.#open.values()) {
      if (prompt.messageID < messageID && prompt.stored.size > 0) this.#complete(prompt);
    }
  }

  endAll(): void {
    for (const prompt of this.#open.values()) this.#complete(prompt);
  }

  /** Completes what is due. `idleSinceMs`: see `nextDueMs`. */
  settle(nowMs: number, idleSinceMs: number | undefined): void {
    for (const prompt of this.#open.values()) if (prompt.endMs(idleSinceMs) <= nowMs) this.#complete(prompt);
  }

  /** `idleSinceMs`: when the session became idle; 0 if that is unknown, undefined while it works. */
  nextDueMs(idleSinceMs: number | undefined): number {
    return Math.min(Infinity, ...Array.from(this.#open.values(), (prompt) => prompt.endMs(idleSinceMs)));
  }

  #prompt(messageID: string, partID: string, key: string): PromptItem {
    const known = this.#open.get(messageID);
    if (known) return known;
    const addedPart = this.#stage.written.has(messageID) ? partID : undefined;
    const prompt = new PromptItem(key, messageID, addedPart, this.#stage);
    this.#open.set(messageID, prompt);
    return prompt;
  }

  #complete(prompt: PromptItem): void {
    const { written, queue, nowMs } = this.#stage;
    this.#open.delete(prompt.messageID);
    written.add(prompt.messageID);
    for (const [partID, { visibleText }] of [...prompt.hooked, ...prompt.stored]) written.add(partID, visibleText);
    prompt.dueMs = nowMs();
    queue.add(prompt);
  }
}

class PromptItem implements Item {
  readonly endsWithNext = false;
  readonly key: string;
  readonly messageID: string;
  dueMs: number | undefined;
  /** Parts by id, as the host stored them and as the hook reported them. */
  readonly stored = new Map<string, UserPart>();
  readonly hooked = new Map<string, UserPart>();
  storedMs: number | undefined;
  hookedMs: number | undefined;
  /** The host has begun to store it, which for the first prompt of a process may take seconds. */
  isAnnounced = false;
  /** Part that came after the message was written; its entry names it. */
  readonly #addedPart: string | undefined;
  readonly #stage: Stage;

  constructor(key: string, messageID: string, addedPart: string | undefined, stage: Stage) {
    this.key = key;
    this.messageID = messageID;
    this.#addedPart = addedPart;
    this.#stage = stage;
  }

  /** Returns when it is complete if no more comes. */
  endMs(idleSinceMs: number | undefined): number {
    if (this.storedMs !== undefined) {
      return idleSinceMs === undefined ? Infinity : Math.max(idleSinceMs, this.storedMs) + GRACE_MS;
    }
    return this.isAnnounced || this.hookedMs === undefined ? Infinity : this.hookedMs + RECORD_MS;
  }

  take(): Draft[] {
    const { messages, nowMs } = this.#stage;
    const known = this.stored.size > 0 ? this.stored : this.hooked;
    if (known.size === 0) return [];
    const parts = [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
    const { createdMs, ...speaker } = messages.of(this.messageID);
    const place = { timestamp: isoTime(createdMs, nowMs()), messageID: this.messageID, partID: this.#addedPart };
    const { entry, files } = userEntry(place, parts, speaker);
    return [files.length > 0 ? { entry, files } : { entry }];
  }
}
