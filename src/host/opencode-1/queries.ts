import type { PluginInput } from "@opencode-ai/plugin";
import type { HostRecord, RecorderQueries, SessionRecord } from "../../transcript/records.ts";
import { atMost } from "../../transcript/patience.ts";
import { messageRecord, sessionRecord } from "./events.ts";
import { id, isFields, list, read } from "./event-fields.ts";
import { partRecords } from "./parts.ts";

type Client = PluginInput["client"];

/** Maximum wait for an answer of the host, in milliseconds. */
export const ANSWER_MS = 5_000;

/** Queries opencode through the plugin's client. Must not be used while the host starts. */
export class OpencodeQueries implements RecorderQueries {
  readonly #client: Client;
  readonly #directory: string;

  constructor(client: Client, directory: string) {
    this.#client = client;
    this.#directory = directory;
  }

  async session(sessionID: string): Promise<SessionRecord | undefined> {
    const query = { directory: this.#directory };
    const answer = await atMost(ANSWER_MS, this.#client.session.get({ path: { id: sessionID }, query }));
    const info = read(answer, "data");
    if (isFields(info)) return sessionRecord(sessionID, info, false);
    throw new Error("opencode returned no information about the session.");
  }

  async history(sessionID: string, limit?: number): Promise<HostRecord[]> {
    const query = { directory: this.#directory, ...(limit === undefined ? {} : { limit }) };
    const answer = await atMost(ANSWER_MS, this.#client.session.messages({ path: { id: sessionID }, query }));
    if (!Array.isArray(read(answer, "data"))) throw new Error("opencode did not return the messages of the session.");
    return list(answer, "data").flatMap(storedRecords);
  }
}

/** Number of recent messages searched for the model that is to summarize. */
const RECENT_MESSAGES = 20;

/** Asks opencode to summarize with the model that answered last. Rejects if that fails. */
export async function summarize(client: Client, directory: string, sessionID: string): Promise<void> {
  const stored = await client.session.messages({
    path: { id: sessionID },
    query: { directory, limit: RECENT_MESSAGES },
  });
  const infos = list(stored, "data").map((message) => read(message, "info"));
  const last = infos.findLast((info) => id(info, "modelID") !== undefined);
  const modelID = id(last, "modelID");
  const providerID = id(last, "providerID");
  if (modelID === undefined || providerID === undefined) throw new Error("no model of the session is known.");
  const body = { modelID, providerID };
  const answer = await client.session.summarize({ path: { id: sessionID }, query: { directory }, body });
  // The client resolves, with the error, when the host answers with one.
  if (read(answer, "error") !== undefined) throw new Error("the request failed.");
}

/** Returns the records for a message as opencode stores and exports it: `{ info, parts }`. */
export function storedRecords(stored: unknown): HostRecord[] {
  const info = read(stored, "info");
  const message = isFields(info) ? messageRecord(info) : undefined;
  if (!message) return [];
  const parts = list(stored, "parts").filter(isFields);
  parts.sort((a, b) => ((id(a, "id") ?? "") < (id(b, "id") ?? "") ? -1 : 1));
  return [message, ...parts.flatMap((part) => partRecords(part, message.role))];
}
