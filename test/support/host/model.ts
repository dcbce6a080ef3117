/** A scripted model behind an OpenAI-compatible endpoint on loopback, so that the real opencode runs without network. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseModelRequest, type ModelRequest } from "./model-request.ts";
import type { ModelAction, ModelScript } from "./model-script.ts";
import { ChatStream } from "./model-stream.ts";

export interface ModelServer {
  /** Base URL for the provider's options, e.g. `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Adds or replaces a script. */
  script(name: string, script: ModelScript): void;
  /** Resolves when an answer waits at the gate (at once if one does). */
  reached(gate: string): Promise<void>;
  /** Opens the gate for good. */
  open(gate: string): void;
  close(): Promise<void>;
}

interface Gate {
  reached: PromiseWithResolvers<void>;
  opened: PromiseWithResolvers<void>;
}

/** Starts the model. The answer to a title is `Title of NAME`, to a summary `Summary of NAME.` */
export async function startModel(scripts: Record<string, ModelScript> = {}): Promise<ModelServer> {
  const known = new Map(Object.entries(scripts));
  const requests: ModelRequest[] = [];
  const gates = new Map<string, Gate>();
  const attempts = new Map<string, number>();

  const gateOf = (name: string): Gate => {
    const gate = gates.get(name) ?? {
      reached: Promise.withResolvers<void>(),
      opened: Promise.withResolvers<void>(),
    };
    gates.set(name, gate);
    return gate;
  };

  const actionsFor = (request: ModelRequest): readonly ModelAction[] => {
    const { scenario, index, sessionID, messages, tools, kind } = request;
    if (kind === "title")
      return [{ kind: "text", text: `Title of ${scenario ?? "nothing"}`, pieces: 1, delayMs: 0 }];
    if (kind === "summary")
      return [
        { kind: "text", text: `Summary of ${scenario ?? "nothing"}.`, pieces: 2, delayMs: 0 },
      ];
    const script = known.get(scenario ?? "default");
    if (scenario === undefined || script === undefined) {
      return [
        { kind: "refuse", status: 400, message: `no script named ${scenario ?? "(no marker)"}` },
      ];
    }
    const key = `${sessionID} ${scenario} ${index} ${messages.length}`;
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    if (typeof script === "function") {
      return script({
        scenario,
        index,
        attempt,
        sessionID,
        tools,
        lastText: messages.at(-1)?.text ?? "",
      });
    }
    return (
      script[index] ?? [
        { kind: "refuse", status: 400, message: `script ${scenario} has no answer ${index}` },
      ]
    );
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sessionID =
      header(request, "x-session-affinity") ?? header(request, "x-session-id") ?? "";
    const parsed = parseModelRequest(JSON.parse(await bodyOf(request)), sessionID);
    requests.push(parsed);
    await play(actionsFor(parsed), new ChatStream(response), gateOf);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400);
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("the model has no TCP address");

  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    script: (name, script) => void known.set(name, script),
    reached: (name) => gateOf(name).reached.promise,
    open: (name) => gateOf(name).opened.resolve(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function play(
  actions: readonly ModelAction[],
  stream: ChatStream,
  gateOf: (name: string) => Gate,
): Promise<void> {
  for (const action of actions) {
    if (stream.closed) return;
    switch (action.kind) {
      case "refuse":
        return stream.refuse(action.status, action.message);
      case "cut":
        return stream.cut();
      case "usage":
        stream.usage = action.usage;
        break;
      case "delay":
        await sleep(action.ms);
        break;
      case "gate": {
        const gate = gateOf(action.name);
        await stream.flush();
        gate.reached.resolve();
        await Promise.race([gate.opened.promise, stream.hungUp]);
        break;
      }
      case "call":
        await stream.call(action.tool, action.callID, split(action.arguments, action.pieces));
        break;
      default:
        for (const piece of split(action.text, action.pieces)) {
          if (action.delayMs > 0) await sleep(action.delayMs);
          await stream.say(action.kind, piece);
        }
    }
  }
  await stream.end();
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

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
