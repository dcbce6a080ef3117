/**
 * A scripted model behind OpenAI's Responses API on loopback. It keeps what it was asked and said in the form of the
 * samples' `truth.json`. A prompt names its script: `scenario:NAME`.
 */
import { createServer, type ServerResponse } from "node:http";
import { type Fields, isFields, textOf } from "../../../src/parse/json-fields.ts";
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

export interface ResponsesModel {
  /** Base URL for the provider's options. */
  readonly url: string;
  /** All requests so far, with the results that came later. */
  requests(): Request[];
  close(): void;
}

/** `tag` begins all ids, as a real provider's differ between two runs too. */
export async function startResponsesModel(scripts: Record<string, Script>, tag: string): Promise<ResponsesModel> {
  const requests: Request[] = [];
  const callIds: string[][] = [];
  const results = new Map<string, string>();
  const server = createServer((asked, response) => {
    const chunks: Uint8Array[] = [];
    asked.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    asked.on("end", () => {
      if (asked.url?.endsWith("/responses") !== true) {
        response.writeHead(404).end("{}");
        return;
      }
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      if (isFields(body)) answerTo(body, response);
    });
  });

  function answerTo(body: Fields, response: ServerResponse): void {
    const { input } = body;
    const items = Array.isArray(input) ? input.filter(isFields) : [];
    let last = "";
    for (const item of items) {
      const callId = textOf(item, "call_id");
      if (callId === undefined || !isOutput(item)) continue;
      last = wordsIn(item["output"]);
      results.set(callId, results.get(callId) ?? last);
    }
    const { name, index } = placeIn(items);
    const said = scripts[name]?.[index] ?? { text: "There is no such script." };
    const answer = typeof said === "function" ? said(last) : said;
    const n = requests.length + 1;
    const ids = (answer.calls ?? []).map((_, i) => `call_${tag}_${n}_${i}`);
    const usage = { uncached: 1_000 + n, cacheRead: 10 * n, cacheWrite: 0, output: 20 + n };
    const kind = name in scripts ? "script" : "side";
    const calls = (answer.calls ?? []).map((call) => ({ ...call, result: null }));
    requests.push({ ...answer, model: textOf(body, "model") ?? "", kind, status: 200, calls, usage });
    callIds.push(ids);
    stream(response, `${tag}_${n}`, outputOf(answer, `${tag}_${n}`, ids), usage);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the model has no TCP port");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests: () =>
      requests.map((request, at) => ({
        ...request,
        calls: request.calls.map((call, i) => ({ ...call, result: results.get(callIds[at]?.[i] ?? "") ?? null })),
      })),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const isOutput = ({ type }: Fields): boolean => typeof type === "string" && type.endsWith("_output");

const isOwn = ({ type, role }: Fields): boolean =>
  role === "assistant" || type === "reasoning" || (typeof type === "string" && type.endsWith("_call"));

/** Returns the last script that a prompt named, and the number of answers since. */
function placeIn(items: readonly Fields[]): { name: string; index: number } {
  let [name, index, wasOwn] = ["", 0, false];
  for (const item of items) {
    const isPrompt = item["role"] === "user" || item["type"] === "agent_message";
    const marker = isPrompt ? [...wordsIn(item["content"]).matchAll(/scenario:(\w+)/g)].at(-1)?.[1] : undefined;
    if (marker !== undefined) [name, index, wasOwn] = [marker, 0, false];
    if (isOwn(item) && !wasOwn) index += 1;
    wasOwn = isOwn(item);
  }
  return { name, index };
}

/** Returns all texts of a content. */
function wordsIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(wordsIn).join("\n");
  if (!isFields(content)) return "";
  return textOf(content, "text") ?? textOf(content, "encrypted_content") ?? wordsIn(content["content"]);
}

function outputOf({ thinking, text, calls = [] }: Answer, id: string, ids: readonly string[]): Fields[] {
  const summary = [{ type: "summary_text", text: thinking }];
  const content = [{ type: "output_text", text, annotations: [] }];
  return [
    ...(thinking === undefined ? [] : [{ type: "reasoning", id: `rs_${id}`, summary, encrypted_content: "eA==" }]),
    ...(text === undefined ? [] : [{ type: "message", role: "assistant", id: `msg_${id}`, content }]),
    ...calls.map(({ name, ns, input }, i) => {
      const call = { id: `item_${id}_${i}`, call_id: ids[i], name, status: "completed" };
      if (typeof input === "string") return { ...call, type: "custom_tool_call", input };
      const where = ns === undefined ? {} : { namespace: ns };
      return { ...call, ...where, type: "function_call", arguments: JSON.stringify(input) };
    }),
  ];
}

function stream(response: ServerResponse, id: string, output: Fields[], usage: NonNullable<Request["usage"]>): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, event: Fields): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`);
  };
  const input = usage.uncached + usage.cacheRead;
  const counts = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + usage.output,
  };
  const about = { id: `resp_${id}`, object: "response", created_at: 1_790_000_000 };
  send("response.created", { response: { ...about, status: "in_progress", output: [] } });
  for (const [index, item] of output.entries()) {
    send("response.output_item.added", { output_index: index, item: unfinished(item) });
    for (const { text } of listOf(item["summary"]))
      send("response.reasoning_summary_text.done", {
        output_index: index,
        item_id: item["id"],
        summary_index: 0,
        text,
      });
    send("response.output_item.done", { output_index: index, item });
  }
  send("response.completed", { response: { ...about, status: "completed", output, usage: counts } });
  response.end();
}

/** Returns an item as it is announced, before its content. */
function unfinished(item: Fields): Fields {
  const empty: Fields = { content: [], summary: [], arguments: "", input: "" };
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, name in empty ? empty[name] : value]));
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}
