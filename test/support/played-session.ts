/** Short ways to the records of a session that a test plays. Ids ascend in the order of the calls. */
import type { CallEnd, HostRecord, SessionRecord } from "../../src/transcript/records.ts";

const STARTED_MS = Date.UTC(2026, 0, 5, 10, 30);

export class PlayedSession {
  readonly sessionID: string;
  readonly records: HostRecord[] = [];
  #serial = 0;

  /** A session that is made now, unless `isNew` is false: then it is one that the host has stored. */
  constructor(sessionID: string, about: Partial<SessionRecord> = {}) {
    this.sessionID = sessionID;
    this.records.push({ kind: "session", isNew: true, ...about, sessionID });
  }

  /** Milliseconds since 1970 of the latest message; each begins a minute after the one before. */
  get nowMs(): number {
    return STARTED_MS + this.#serial * 60_000;
  }

  user(text: string): this {
    const messageID = this.#message("user");
    const partID = this.#part();
    const part = { visibleText: text, raw: { type: "text", text } };
    this.records.push({ kind: "user_part", sessionID: this.sessionID, messageID, partID, part });
    return this;
  }

  /** One answer of the model: a text, unless it is empty, its calls, and what it used. */
  answer(text: string, calls: readonly PlayedCall[] = [], agent = "build"): this {
    const { sessionID } = this;
    const messageID = this.#message("assistant", agent);
    const of = { sessionID, messageID };
    if (text !== "") {
      const times = { startMs: this.nowMs, endMs: this.nowMs };
      this.records.push({ kind: "text", ...of, partID: this.#part(), reasoning: false, text, done: true, ...times });
    }
    for (const { tool, input, end, subagentID } of calls) {
      const callID = `call_${this.#serial}_${this.records.length}`;
      const child = subagentID === undefined ? {} : { subagentID };
      this.records.push({ kind: "call", ...of, partID: this.#part(), callID, tool, input, ...child, end });
    }
    const tokens = { input: 1_000, output: 200, reasoning: 30, cacheRead: 4_000, cacheWrite: 5 };
    this.records.push({ kind: "usage", ...of, partID: this.#part(), tokens, cost: 0.0125 });
    this.records.push({ kind: "message", ...of, role: "assistant", agent, completed: true });
    return this;
  }

  event(name: string, text: string, data?: unknown): this {
    const told = data === undefined ? { text } : { text, data };
    this.records.push({ kind: "event", sessionID: this.sessionID, name, ...told });
    return this;
  }

  idle(): this {
    this.records.push({ kind: "activity", sessionID: this.sessionID, state: "idle" });
    return this;
  }

  #message(role: "user" | "assistant", agent = "build"): string {
    this.#serial += 1;
    const messageID = `msg_${this.sessionID}_${String(this.#serial).padStart(4, "0")}`;
    this.records.push({
      kind: "message",
      sessionID: this.sessionID,
      messageID,
      role,
      agent,
      model: "acme/large",
      createdMs: this.nowMs,
    });
    return messageID;
  }

  #part(): string {
    return `prt_${this.sessionID}_${String(this.records.length).padStart(6, "0")}`;
  }
}

export interface PlayedCall {
  tool: string;
  input: unknown;
  end: CallEnd;
  subagentID?: string;
}

/** A call that worked. */
export function worked(tool: string, input: unknown, output: unknown = "done", metadata?: unknown): PlayedCall {
  const kept = metadata === undefined ? {} : { metadata };
  return { tool, input, end: { status: "completed", output, endMs: STARTED_MS, ...kept } };
}

/** A call that failed. */
export function failed(tool: string, input: unknown, error: string): PlayedCall {
  return { tool, input, end: { status: "error", output: error, endMs: STARTED_MS } };
}

/** A call that a subagent carried out. */
export function delegated(subagentID: string): PlayedCall {
  return { ...worked("task", { prompt: "look around" }, "The child's result."), subagentID };
}
