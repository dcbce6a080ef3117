import { hash } from "node:crypto";
import { type Draft, dropOldest } from "../entry-draft.ts";
import type { ItemQueue } from "./item-queue.ts";

/** State shared by the parts of one timeline. */
export interface Stage {
  readonly nowMs: () => number;
  /** Items whose turn has not come. */
  readonly queue: ItemQueue;
  /** Parts handed out so far. */
  readonly written: WrittenParts;
  readonly messages: Messages;
  /** Hands out drafts, after all earlier ones. */
  readonly emit: (drafts: readonly Draft[]) => void;
}

/** Maximum number of messages remembered; the host does not change older ones. */
const MAX_MESSAGES = 2_000;

/** Fields of a message that its entries need. */
export interface MessageFacts {
  role?: "user" | "assistant";
  agent?: string;
  model?: string;
  createdMs?: number;
  /** Latest time that the host gave for one of its parts. */
  lastMs?: number;
  /** Part of its first usage. */
  usagePartID?: string;
  completed?: boolean;
  aborted?: boolean;
}

export class Messages {
  readonly #facts = new Map<string, MessageFacts>();

  has(messageID: string): boolean {
    return this.#facts.has(messageID);
  }

  /** Returns the message's fields; the object is shared and may be changed. */
  of(messageID: string): MessageFacts {
    const known = this.#facts.get(messageID);
    if (known) return known;
    const facts: MessageFacts = {};
    this.#facts.set(messageID, facts);
    dropOldest(this.#facts, MAX_MESSAGES);
    return facts;
  }

  /** Notes the times of a part. */
  see(messageID: string, ...times: (number | undefined)[]): void {
    const facts = this.of(messageID);
    for (const ms of times) if (ms !== undefined && ms > (facts.lastMs ?? 0)) facts.lastMs = ms;
  }
}

/** Maximum number of ids remembered. */
const MAX_IDS = 100_000;

/**
 * Parts of a session handed out as entries, so that a part which the host sends again (on compaction, revert and restart)
 * is not recorded twice, and a changed text is noticed.
 */
export class WrittenParts {
  readonly #hashes = new Map<string, string | undefined>();

  add(id: string, text?: string): void {
    this.#hashes.set(id, text === undefined ? undefined : hashOf(text));
    dropOldest(this.#hashes, MAX_IDS);
  }

  has(id: string): boolean {
    return this.#hashes.has(id);
  }

  /** Returns whether the part was not written, or was written with another text. Without a text only the former counts. */
  isNews(id: string, text: string | undefined): boolean {
    const known = this.#hashes.get(id);
    if (known === undefined || text === undefined) return !this.#hashes.has(id);
    return known !== hashOf(text);
  }
}

function hashOf(text: string): string {
  return hash("sha1", text, "base64");
}
