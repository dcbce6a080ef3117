/** Answers of a host that is asked, by session. */
import { sessionRecord } from "../../../src/host/session-records.ts";
import { isFields } from "../../../src/parse/json-fields.ts";
import { storedRecords } from "../../../src/agents/opencode/opencode-records.ts";
import type { HostRecord, RecorderQueries, SessionRecord } from "../../../src/transcript/records.ts";
import { stored, type Conversation } from "./conversation.ts";
import { sessionInfo } from "./host-steps.ts";

export class FakeHost implements RecorderQueries {
  readonly #infos = new Map<string, object>();
  readonly #messages = new Map<string, unknown[]>();
  /** What was asked, in order: `session ses_1`, `history ses_1 100`. */
  readonly asked: string[] = [];
  /** Called before each answer; may throw or wait. */
  beforeAnswer: (question: string) => void | Promise<void> = () => undefined;

  /** A session that the host has stored. */
  has(sessionID: string, messages: unknown[] = [], more: object = {}): this {
    this.#infos.set(sessionID, sessionInfo(sessionID, more));
    this.#messages.set(sessionID, messages);
    return this;
  }

  hasConversation(conversation: Conversation, more: object = {}): this {
    return this.has(conversation.sessionID, stored(conversation), more);
  }

  async session(sessionID: string): Promise<SessionRecord | undefined> {
    await this.#ask(`session ${sessionID}`);
    const info = this.#infos.get(sessionID);
    return isFields(info) ? sessionRecord(sessionID, info, false) : undefined;
  }

  async history(sessionID: string, limit?: number): Promise<HostRecord[]> {
    await this.#ask(`history ${sessionID}${limit === undefined ? "" : ` ${limit}`}`);
    const messages = this.#messages.get(sessionID) ?? [];
    return messages.slice(limit === undefined ? 0 : -limit).flatMap(storedRecords);
  }

  async #ask(question: string): Promise<void> {
    this.asked.push(question);
    await this.beforeAnswer(question);
  }
}
