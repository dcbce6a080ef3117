import { given } from "../draft.ts";
import type { PromptRecord, UserPartRecord } from "../records.ts";
import type { Item } from "./item.ts";
import type { Stage } from "./stage.ts";
import { UserItem } from "./user-item.ts";

/** The user's messages that wait for their parts or their turn. */
export class Prompts {
  readonly #waiting = new Map<string, UserItem>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** A hook told of a message with all its parts. */
  expect({ messageID, agent, model, parts }: PromptRecord): void {
    const { messages, written } = this.#stage;
    Object.assign(messages.of(messageID), { role: "user" }, given({ agent, model }));
    const firstPart = parts[0];
    if (!firstPart || parts.some(({ partID }) => written.has(partID))) return;
    this.#item(messageID, firstPart.partID).expect(parts);
  }

  /** The host's record of the message as such, which it stores before its parts. */
  announce(messageID: string): void {
    this.#waiting.get(messageID)?.announce();
  }

  /** The host's record of one part. */
  confirm({ messageID, partID, part }: UserPartRecord): void {
    if (!this.#stage.written.isNews(partID, part.visibleText)) return;
    this.#item(messageID, partID).confirm(partID, part);
  }

  /** The host took a part back. */
  drop(messageID: string, partID: string): void {
    this.#waiting.get(messageID)?.drop(partID);
  }

  /** A message is under way: nothing more of the earlier ones is. */
  hurry(messageID: string): void {
    for (const prompt of this.#waiting.values()) if (prompt.messageID < messageID) prompt.hurry();
  }

  /** Nothing more of them comes. */
  end(): void {
    for (const prompt of this.#waiting.values()) prompt.betterAfterMs = undefined;
  }

  onTurn(item: Item): void {
    if (!(item instanceof UserItem)) return;
    const { written } = this.#stage;
    this.#waiting.delete(item.messageID);
    written.add(item.messageID);
    for (const [partID, text] of item.writtenParts) written.add(partID, text);
  }

  #item(messageID: string, partID: string): UserItem {
    const waiting = this.#waiting.get(messageID);
    if (waiting) return waiting;
    const { written, messages, queue, nowMs } = this.#stage;
    const isAddition = written.has(messageID);
    const prompt = new UserItem(partID, messageID, isAddition, () => messages.of(messageID), nowMs);
    this.#waiting.set(messageID, prompt);
    queue.add(prompt);
    return prompt;
  }
}
