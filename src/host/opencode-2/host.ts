/** The part of opencode's 2.x plugin API that is used. Hosts may lack any of it, so calls check for it first. */
import { ANSWER_MS } from "../shared.ts";
import { fieldOf, isFields, recordIn, stringOf, textOf, type Fields } from "../../parse/json-fields.ts";
import { opencodeDatabases } from "../../agents/opencode/databases.ts";
import { openSqlite } from "../../places/sqlite-reader.ts";
import type { HostRecord, RecorderQueries, SessionRecord } from "../../transcript/records.ts";
import { jsonCopy } from "../../json-copy.ts";
import { atMost } from "../../transcript/timeouts.ts";
import { directoryIn, locatedSession } from "./event-records.ts";
import { storedRecords2 } from "../../agents/opencode/opencode-2-message.ts";

/** Maximum wait for a locked database, in milliseconds: the host does nothing else meanwhile. */
const LOCKED_MS = 20;

export interface HostContext {
  readonly options?: unknown;
  /** Absent in the preview. */
  readonly location?: unknown;
  readonly event: { subscribe: (options: { signal: AbortSignal }) => AsyncIterable<unknown> };
  readonly session?: {
    get?: (input: { sessionID: string }) => Promise<unknown>;
    /** Messages since the last compaction. Absent in the preview. */
    context?: (input: { sessionID: string }) => Promise<unknown>;
    /** Asks for a summary. Absent in the preview. */
    compact?: (input: { sessionID: string }) => Promise<unknown>;
    hook?: (name: string, act: (event: unknown) => Promise<void>) => Promise<unknown>;
  };
  readonly tool?: { transform?: (change: (draft: ToolDraft) => void) => Promise<unknown> };
}

export interface ToolDraft {
  add: (tool: HostTool) => void;
}

/** Tool as both the preview (`jsonSchema`, `structured`) and later hosts (`input`, `metadata`) take it. */
export interface HostTool {
  name: string;
  description: string;
  jsonSchema: object;
  input: object;
  options: { codemode: boolean };
  execute: (input: unknown, caller: unknown) => Promise<HostToolAnswer>;
}

export interface HostToolAnswer {
  content: { type: "text"; text: string }[];
  structured: object;
  metadata: object;
}

/** Queries opencode 2.x: the session through the plugin's context, its messages in the database or the context. */
export class HostStore implements RecorderQueries {
  readonly #context: HostContext;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #home: string;

  constructor(context: HostContext, env: Readonly<Record<string, string | undefined>>, home: string) {
    this.#context = context;
    this.#env = env;
    this.#home = home;
  }

  async session(sessionID: string): Promise<SessionRecord | undefined> {
    const info = await this.#info(sessionID);
    if (info === undefined) throw new Error("opencode returned no information about the session.");
    return locatedSession(sessionID, info);
  }

  /** Returns the folder of a session. Rejects if the host does not know the session. */
  async directory(sessionID: string): Promise<string | undefined> {
    const info = await this.#info(sessionID);
    return info && directoryIn(info);
  }

  /** Returns the host's own object; undefined if it has none. */
  async #info(sessionID: string): Promise<Fields | undefined> {
    const { session } = this.#context;
    const answer = await atMost(ANSWER_MS, session?.get?.({ sessionID }));
    const info = fieldOf(answer, "data") ?? answer;
    return isFields(info) ? info : undefined;
  }

  async history(sessionID: string, limit?: number): Promise<HostRecord[]> {
    return (await this.messages(sessionID, limit)).flatMap((message) => storedRecords2(sessionID, message));
  }

  /** Returns the last messages of a session as the host stores them. Rejects if they cannot be read. */
  async messages(sessionID: string, limit?: number): Promise<Fields[]> {
    const stored = await this.#inDatabase(sessionID, limit);
    // A database without messages of the session may be that of another version of the host.
    const messages = stored?.length ? stored : ((await this.#inContext(sessionID)) ?? stored);
    if (messages === undefined) throw new Error("opencode's database could not be read.");
    const chosen = limit === undefined ? messages : messages.slice(-limit);
    return chosen.filter(isFields);
  }

  async #inContext(sessionID: string): Promise<readonly unknown[] | undefined> {
    const { session } = this.#context;
    const answer = await atMost(ANSWER_MS, session?.context?.({ sessionID })).catch(() => undefined);
    const messages = Array.isArray(answer) ? answer : fieldOf(answer, "data");
    return Array.isArray(messages) ? messages.map((message) => jsonCopy(message)) : undefined;
  }

  /** Returns the messages in the first database that has any; undefined if no database can be read. */
  async #inDatabase(sessionID: string, limit: number | undefined): Promise<unknown[] | undefined> {
    let found: unknown[] | undefined;
    for (const path of opencodeDatabases({ env: this.#env, home: this.#home })) {
      const messages = await messagesIn(path, sessionID, limit).catch(() => undefined);
      if (messages !== undefined && messages.length > 0) return messages;
      found ??= messages;
    }
    return found;
  }
}

/** Returns the last messages of a session, in order, with the columns that `data` leaves out. */
async function messagesIn(path: string, sessionID: string, limit = -1): Promise<unknown[]> {
  const sql =
    "SELECT id, type, data FROM (SELECT id, type, seq, data FROM session_message WHERE session_id = ? ORDER BY seq DESC LIMIT ?) ORDER BY seq";
  const database = await openSqlite(path, LOCKED_MS);
  try {
    return database
      .query(sql)(sessionID, limit)
      .flatMap((row) => {
        // A damaged row loses only that message.
        const data = recordIn(stringOf(row, "data") ?? "");
        return data ? [{ ...data, id: textOf(row, "id"), type: textOf(row, "type") }] : [];
      });
  } finally {
    database.close();
  }
}
