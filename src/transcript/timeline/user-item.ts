import type { UserMessageEntry } from "../../format/entries.ts";
import { given, isoTime, type Draft } from "../draft.ts";
import type { HostFile, PromptPart, UserPart } from "../records.ts";
import { PROMPT_CONFIRM_MS, PROMPT_HOLD_MS, type Item } from "./item.ts";
import type { MessageFacts } from "./messages.ts";

/**
 * A user's message. Its parts come one by one; the prompt hook, where there is one, tells beforehand which.
 * Without it, the message is whole when nothing more of it comes for a moment.
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

  /** The parts that are about to be saved. They are written as they are here if no confirmation comes. */
  expect(parts: readonly PromptPart[]): void {
    for (const { partID, part } of parts) this.#expected.set(partID, part);
    this.#settle();
  }

  confirm(partID: string, part: UserPart): void {
    this.#parts.set(partID, part);
    this.#settle();
  }

  drop(partID: string): void {
    this.#parts.delete(partID);
    this.#expected.delete(partID);
  }

  /** The parts that its entry holds, with their visible texts. */
  get writtenParts(): [partID: string, text: string | undefined][] {
    return [...this.#expected, ...this.#parts].map(([partID, part]) => [partID, part.visibleText]);
  }

  /** Something else happened in the session: no more parts of this message are under way. */
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

  #settle(): void {
    this.readySinceMs ??= this.#nowMs();
    const isWhole = this.#expected.size > 0 && [...this.#expected.keys()].every((id) => this.#parts.has(id));
    this.betterAfterMs = isWhole ? undefined : this.#nowMs() + PROMPT_CONFIRM_MS;
  }

  #inOrder(): UserPart[] {
    const known = this.#parts.size > 0 ? this.#parts : this.#expected;
    return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
  }
}
