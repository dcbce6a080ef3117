import type { PluginInput } from "@opencode-ai/plugin";
import type { HostRecord, SessionRecord } from "../../transcript/records.ts";
import type { RecorderQueries } from "../../transcript/recorder.ts";
import { messageRecord, sessionRecord } from "./events.ts";
import { id, isFields, list, read } from "./fields.ts";
import { partRecord } from "./parts.ts";

type Client = PluginInput["client"];

/** How long an answer of the host is awaited, in milliseconds. */
const ANSWER_MS = 5_000;

/** What the recorder asks opencode, over the client that the plugin was given. Never used while the host starts. */
export class OpencodeQueries implements RecorderQueries {
  readonly #client: () => Client;
  readonly #directory: () => string;

  constructor(client: () => Client, directory: () => string) {
    this.#client = client;
    this.#directory = directory;
  }

  async session(sessionID: string): Promise<SessionRecord | undefined> {
    const answer = await inTime(
      this.#client().session.get({ path: { id: sessionID }, query: { directory: this.#directory() } }),
    );
    const info = read(answer, "data");
    if (isFields(info)) return sessionRecord({ id: sessionID, ...info }, false);
    throw new Error("opencode did not say what it knows of the session.");
  }

  async history(sessionID: string, limit?: number): Promise<HostRecord[]> {
    const query = { directory: this.#directory(), ...(limit === undefined ? {} : { limit }) };
    const answer = await inTime(this.#client().session.messages({ path: { id: sessionID }, query }));
    if (!Array.isArray(read(answer, "data"))) throw new Error("opencode did not give the messages of the session.");
    return list(answer, "data").flatMap(storedRecords);
  }
}

/** The records of a message as opencode stores and exports it: `{ info, parts }`. */
export function storedRecords(stored: unknown): HostRecord[] {
  const info = read(stored, "info");
  const message = isFields(info) ? messageRecord(info) : undefined;
  if (!message) return [];
  const parts = list(stored, "parts").filter(isFields);
  parts.sort((a, b) => ((id(a, "id") ?? "") < (id(b, "id") ?? "") ? -1 : 1));
  return [message, ...parts.flatMap((part) => partRecord(part, message.role) ?? [])];
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`opencode did not answer within ${ANSWER_MS} ms.`)), ANSWER_MS);
    timer.unref();
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
