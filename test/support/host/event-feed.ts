/** The server's event stream, kept, so that a test can wait for what has happened already or will. */
import { field } from "./fields.ts";

export interface HostEvent {
  type: string;
  properties: unknown;
}

export class EventFeed {
  /** All events since the feed was opened. */
  readonly events: HostEvent[] = [];
  readonly #abort = new AbortController();
  readonly #waiting = new Set<() => void>();

  /** Opens the stream of the server; resolves when the server has answered and no event will be missed. */
  static async open(serverURL: string): Promise<EventFeed> {
    const feed = new EventFeed();
    const response = await fetch(`${serverURL}/event`, { signal: feed.#abort.signal });
    if (!response.body) throw new Error("the server's event stream has no body");
    // The stream ends with the server, or when the feed is closed.
    feed.#read(response.body).catch(() => {});
    return feed;
  }

  /** Resolves with the first event that matches, past ones included. */
  waitFor(matches: (event: HostEvent) => boolean): Promise<HostEvent> {
    return new Promise((resolve) => {
      let seen = 0;
      const look = (): void => {
        const found = this.events.slice(seen).find(matches);
        seen = this.events.length;
        if (!found) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Resolves when the host has taken in this piece of a text or reasoning that is streamed in the session. */
  async streamed(sessionID: string, piece: string): Promise<void> {
    let text = "";
    await this.waitFor(({ type, properties }) => {
      if (type !== "message.part.delta" || field(properties, "sessionID") !== sessionID) return false;
      text += String(field(properties, "delta"));
      return text.includes(piece);
    });
  }

  /** Resolves when a tool of the session is in this state, and its output so far contains the text. */
  async part(sessionID: string, wanted: { status: string; output?: string }): Promise<void> {
    await this.waitFor(({ type, properties }) => {
      if (type !== "message.part.updated" || field(properties, "sessionID") !== sessionID) return false;
      const state = field(field(properties, "part"), "state");
      const output = field(field(state, "metadata"), "output");
      return field(state, "status") === wanted.status && String(output).includes(wanted.output ?? "");
    });
  }

  /** Resolves when a tool of the session runs and its output so far contains the text. */
  async running(sessionID: string, output: string): Promise<void> {
    await this.part(sessionID, { status: "running", output });
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of body) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(block);
      for (const look of this.#waiting) look();
    }
  }

  #take(block: string): void {
    const data = block.startsWith("data:") ? JSON.parse(block.slice("data:".length)) : undefined;
    const type = field(data, "type");
    if (typeof type === "string") this.events.push({ type, properties: field(data, "properties") });
  }
}
