import type { PluginInput } from "@opencode-ai/plugin";
import type { HostRecord, RecorderQueries, SessionRecord } from "../../transcript/records.ts";
import { jsonCopy } from "../../json-copy.ts";
import { atMost } from "../../transcript/timeouts.ts";
import { storedRecords } from "../../agents/opencode/opencode-records.ts";
import { sessionRecord } from "../session-records.ts";
import { ANSWER_MS } from "../shared.ts";
import { textOf, isFields, listOf, fieldOf } from "../../parse/json-fields.ts";

type Client = PluginInput["client"];

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
    const info = fieldOf(answer, "data");
    if (isFields(info)) return sessionRecord(sessionID, info, false);
    throw new Error("opencode returned no information about the session.");
  }

  async history(sessionID: string, limit?: number): Promise<HostRecord[]> {
    const query = { directory: this.#directory, ...(limit === undefined ? {} : { limit }) };
    const answer = await atMost(ANSWER_MS, this.#client.session.messages({ path: { id: sessionID }, query }));
    if (!Array.isArray(fieldOf(answer, "data")))
      throw new Error("opencode did not return the messages of the session.");
    return listOf(answer, "data").flatMap((message) => storedRecords(jsonCopy(message)));
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
  const infos = listOf(stored, "data").map((message) => fieldOf(message, "info"));
  const last = infos.findLast((info) => textOf(info, "modelID") !== undefined);
  const modelID = textOf(last, "modelID");
  const providerID = textOf(last, "providerID");
  if (modelID === undefined || providerID === undefined) throw new Error("no model of the session is known.");
  const body = { modelID, providerID };
  const answer = await client.session.summarize({ path: { id: sessionID }, query: { directory }, body });
  // The client resolves, with the error, when the host answers with one.
  if (fieldOf(answer, "error") !== undefined) throw new Error("the request failed.");
}
