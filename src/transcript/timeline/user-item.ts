import type { UserMessageEntry } from "../../format/entries.ts";
import { given, isoTime, type Draft } from "../draft.ts";
import type { HostFile, PromptPart, UserPart } from "../records.ts";
import { PROMPT_CONFIRM_MS, PROMPT_HOLD_MS, PROMPT_STORE_MS, type Item } from "./item.ts";
import type { MessageFacts } from "./messages.ts";

/**
 * A user's message. What the host stores of it is the truth. The prompt hook, where there is one, tells beforehand what
 * that may be, but other plugins can still change it; what it told is written if the host makes no records.
 * The parts come one by one: the message is whole when a later message begins, or nothing more of it comes for a while.
 */
export class UserItem implements Item {
  readonly key: string;
  readonly messageID: string;
  readonly patienceMs = PROMPT_HOLD_MS;
  readySinceMs: number | undefined;
  betterAfterMs: number | undefined;
  readonly #parts = new Map<string, UserPart>();
  readonly #expected = new Map<string, UserPart>();
  readonly #facts: () => MessageFacts;
  readonly #nowMs: () => number;
  /** A message that was written already and got one more part: the entry then names the part. */
  readonly #lateAddition: boolean;

  constructor(key: string, messageID: string, lateAddition: boolean, facts: () => MessageFacts, nowMs: () => number) {
    this.key = key;
    this.messageID = messageID;
    this.#lateAddition = lateAddition;
    this.#facts = facts;
    this.#nowMs = nowMs;
  }

  /** The parts that are about to be stored. They are written as they are here if no record of any comes. */
  expect(parts: readonly PromptPart[]): void {
    for (const { partID, part } of parts) this.#expected.set(partID, part);
    this.#await(PROMPT_CONFIRM_MS);
  }

  /** The host is storing the message. */
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

  /** The parts that its entry holds, with their visible texts. */
  get writtenParts(): [partID: string, text: string | undefined][] {
    return [...this.#expected, ...this.#parts].map(([partID, part]) => [partID, part.visibleText]);
  }

  /** A later message began: no more parts of this one are under way. */
  hurry(): void {
    if (this.#parts.size > 0) this.betterAfterMs = undefined;
  }

  take(): Draft[] {
    const parts = this.#inOrder();
    if (parts.length === 0) return [];
    const texts = parts.flatMap(({ visibleText }) => (visibleText === undefined ? [] : [visibleText]));
    const files = parts.flatMap(({ file }): HostFile[] => (file ? [file] : []));
    const { agent, model, createdMs } = this.#facts();
    const entry: UserMessageEntry = {
      type: "user",
      timestamp: isoTime(createdMs, this.#nowMs()),
      messageID: this.messageID,
      ...(this.#lateAddition ? { partID: this.key } : {}),
      content: texts.join("\n"),
      parts: parts.map(({ raw }) => raw),
      ...given({ agent, model }),
    };
    return [files.length > 0 ? { entry, files } : { entry }];
  }

  #await(ms: number): void {
    this.readySinceMs ??= this.#nowMs();
    this.betterAfterMs = this.#nowMs() + ms;
  }

  #inOrder(): UserPart[] {
    const known = this.#parts.size > 0 ? this.#parts : this.#expected;
    return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
  }
}
