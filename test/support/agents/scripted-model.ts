/**
 * A scripted model on loopback, behind one of the `Protocol`s. It keeps what it was asked and said in the form of the
 * samples' `truth.json`. A prompt names its script: `scenario:NAME`.
 */
import { createServer, type ServerResponse } from "node:http";
import { type Fields, isFields } from "../../../src/parse/json-fields.ts";
import type { Truth } from "../truth.ts";

type Request = Truth["requests"][number];
type Ending = "ok" | "failed";

export interface ScriptedCall {
  name: string;
  ns?: string;
  /** A text for a tool with a grammar of its own. */
  input: string | Fields;
  /** A list for code that makes several calls. */
  expected: Ending | Ending[];
}

export interface Answer {
  thinking?: string;
  text?: string;
  calls?: readonly ScriptedCall[];
}

/** Answers in their order; a function gets the last result that the model was sent. */
export type Script = readonly (Answer | ((result: string) => Answer))[];

/** How an agent asks a model. */
export interface Protocol {
  /** Path of the base URL that the agent gets. */
  readonly base: string;
  /** Reads a request for an answer; undefined if it is for something else. */
  read(this: void, path: string, body: Fields): Asked | undefined;
  write(this: void, response: ServerResponse, said: Said): void;
}

export interface Asked {
  model: string;
  /** Texts and calls of one answer may be several turns. */
  turns: readonly Turn[];
  isStreamed: boolean;
}

export type Turn = { by: "user"; text: string } | { by: "model" } | { by: "tool"; callId: string; text: string };

export interface Said extends Answer {
  id: string;
  callIds: readonly string[];
  model: string;
  usage: NonNullable<Request["usage"]>;
  isStreamed: boolean;
}

export interface ScriptedModel {
  /** Base URL for the provider's options. */
  readonly url: string;
  /** All requests so far, with the results that came later. */
  requests(): Request[];
  close(): void;
}

/** `tag` begins all ids, as a real provider's differ between two runs too. */
export async function startScriptedModel(
  protocol: Protocol,
  scripts: Record<string, Script>,
  tag: string,
): Promise<ScriptedModel> {
  const requests: Request[] = [];
  const idsOfCalls: (readonly string[])[] = [];
  const results = new Map<string, string>();
  const server = createServer((asked, response) => {
    const chunks: Uint8Array[] = [];
    asked.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    asked.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const body: unknown = text === "" ? {} : JSON.parse(text);
      const read = isFields(body) ? protocol.read(asked.url ?? "", body) : undefined;
      if (read === undefined) response.writeHead(404).end("{}");
      else answerTo(read, response);
    });
  });

  function answerTo({ model, turns, isStreamed }: Asked, response: ServerResponse): void {
    let last = "";
    for (const turn of turns) {
      if (turn.by !== "tool") continue;
      last = turn.text;
      results.set(turn.callId, results.get(turn.callId) ?? last);
    }
    const { name, index } = placeIn(turns);
    const step = scripts[name]?.[index];
    const answer = (typeof step === "function" ? step(last) : step) ?? { text: "There is nothing to say." };
    const n = requests.length + 1;
    const callIds = (answer.calls ?? []).map((_, i) => `call_${tag}_${n}_${i}`);
    const usage = { uncached: 1_000 + n, cacheRead: 10 * n, cacheWrite: 0, output: 20 + n };
    // Some agents ask for themselves what is in no script: for a title, or for what to remember.
    const kind = step === undefined ? "side" : "script";
    const calls = (answer.calls ?? []).map((call) => ({ ...call, result: null }));
    requests.push({ ...answer, model, kind, status: 200, calls, usage });
    idsOfCalls.push(callIds);
    protocol.write(response, { ...answer, id: `${tag}_${n}`, callIds, model, usage, isStreamed });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the model has no TCP port");
  return {
    url: `http://127.0.0.1:${address.port}${protocol.base}`,
    requests: () =>
      requests.map((request, at) => ({
        ...request,
        calls: request.calls.map((call, i) => ({ ...call, result: results.get(idsOfCalls[at]?.[i] ?? "") ?? null })),
      })),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the last script that a prompt named, and the number of answers since. */
function placeIn(turns: readonly Turn[]): { name: string; index: number } {
  let [name, index, wasOwn] = ["", 0, false];
  for (const turn of turns) {
    const marker = turn.by === "user" ? [...turn.text.matchAll(/scenario:(\w+)/g)].at(-1)?.[1] : undefined;
    if (marker !== undefined) [name, index, wasOwn] = [marker, 0, false];
    if (turn.by === "model" && !wasOwn) index += 1;
    wasOwn = turn.by === "model";
  }
  return { name, index };
}
