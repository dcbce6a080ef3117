/** A scripted model behind an OpenAI-compatible endpoint on loopback, so that the real opencode runs without network. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseModelRequest, type ModelRequest } from "./model-request.ts";
import { refuse, text, type ModelAction, type ModelScript } from "./model-script.ts";
import { ChatStream } from "./model-stream.ts";

export interface ModelServer {
  /** Base URL for the provider's options, e.g. `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Adds or replaces a script. */
  script(name: string, script: ModelScript): void;
  /** Resolves when an answer waits at the gate (at once if one did). */
  reached(gate: string): Promise<void>;
  /** Opens the gate for good. */
  open(gate: string): void;
  close(): Promise<void>;
}

/**
 * Starts the model. The answer to a title is `Title of NAME`, to a summary `Summary of NAME.`, unless there is a script
 * `NAME-summary`.
 */
export async function startModel(scripts: Record<string, ModelScript> = {}): Promise<ModelServer> {
  const gates = new Gates();
  const prompter = new Prompter(scripts);
  const server = createServer((request, response) => {
    answer(request, response, prompter, gates).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400);
      response.end(String(error));
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: prompter.requests,
    script: (name, script) => prompter.add(name, script),
    reached: (name) => gates.of(name).reached.promise,
    open: (name) => gates.of(name).opened.resolve(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Gate {
  reached: PromiseWithResolvers<void>;
  opened: PromiseWithResolvers<void>;
}

class Gates {
  readonly #known = new Map<string, Gate>();

  of(name: string): Gate {
    let gate = this.#known.get(name);
    if (!gate) {
      gate = { reached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() };
      this.#known.set(name, gate);
    }
    return gate;
  }
}

/** Says what the model does next in a conversation. */
class Prompter {
  readonly requests: ModelRequest[] = [];
  readonly #scripts: Map<string, ModelScript>;
  readonly #attempts = new Map<string, number>();

  constructor(scripts: Record<string, ModelScript>) {
    this.#scripts = new Map(Object.entries(scripts));
  }

  add(name: string, script: ModelScript): void {
    this.#scripts.set(name, script);
  }

  actionsFor(request: ModelRequest): readonly ModelAction[] {
    this.requests.push(request);
    const { kind, scenario, index, sessionID, messages, tools } = request;
    if (kind === "title") return [text(`Title of ${scenario ?? "nothing"}`)];
    const summary = this.#scripts.get(`${scenario}-summary`);
    if (kind === "summary" && summary === undefined) return [text(`Summary of ${scenario ?? "nothing"}.`)];
    const script = kind === "summary" ? summary : this.#scripts.get(scenario ?? "default");
    if (script === undefined) return [refuse(400, `no script named ${scenario ?? "default"}`)];
    if (typeof script !== "function") {
      return script[index] ?? [refuse(400, `script ${scenario} has no answer ${index}`)];
    }
    const texts = messages.map((message) => message.text);
    const lastText = texts.at(-1) ?? "";
    const attempt = this.#count(`${sessionID} ${scenario} ${messages.length}`);
    return script({ scenario: scenario ?? "default", index, attempt, sessionID, tools, texts, lastText });
  }

  /** How often it was called with this key. */
  #count(key: string): number {
    const count = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, count);
    return count;
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  prompter: Prompter,
  gates: Gates,
): Promise<void> {
  // opencode names the session in this header for every provider but its own.
  const sessionID = String(request.headers["x-session-affinity"] ?? "");
  const asked = parseModelRequest(JSON.parse(await bodyOf(request)), sessionID);
  const stream = new ChatStream(response);
  for (const action of prompter.actionsFor(asked)) {
    if (stream.closed) return;
    await play(action, stream, gates);
  }
  await stream.end();
}

async function play(action: ModelAction, stream: ChatStream, gates: Gates): Promise<void> {
  switch (action.kind) {
    case "refuse":
      return stream.refuse(action.status, action.message);
    case "cut":
      return stream.cut();
    case "usage":
      stream.usage = action.usage;
      return;
    case "delay":
      await sleep(action.ms);
      return;
    case "call":
      return stream.call(action.tool, action.callID, split(action.arguments, action.pieces));
    case "arguments":
      return stream.moreArguments(action.piece);
    case "gate": {
      const gate = gates.of(action.name);
      await stream.flush();
      gate.reached.resolve();
      return Promise.race([gate.opened.promise, stream.hungUp]);
    }
    default:
      for (const piece of split(action.text, action.pieces)) {
        if (action.delayMs > 0) await sleep(action.delayMs);
        await stream.say(action.kind, piece);
      }
  }
}

/** Cuts a text into at most `count` pieces of about equal length, never inside a surrogate pair. */
function split(value: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(value.length / Math.max(1, count)));
  const pieces: string[] = [];
  for (let start = 0; start < value.length;) {
    let end = Math.min(value.length, start + size);
    const last = value.charCodeAt(end - 1);
    if (end < value.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    pieces.push(value.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Starts listening on loopback and gives the port. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the model has no TCP port");
  return address.port;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
