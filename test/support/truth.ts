/**
 * Compares what is read from a sample, the session files that a real agent wrote while it talked to a scripted model,
 * with what that model was asked and said (`truth.json`).
 */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { isFields } from "../../src/parse/json-fields.ts";
import { catalogPricing } from "../../src/parse/pricing.ts";
import { isPrompt } from "../../src/parse/turns.ts";
import { UsageLedger, usageOf, hasUsage } from "../../src/parse/usage-ledger.ts";
import type { ToolCall, TranscriptMessage } from "../../src/parse/model.ts";
import { type Conversation, readConversation } from "../../src/queries/read-session.ts";
import { withParts } from "../../src/indexing/machine-sessions.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { isSubagent, type SessionRef } from "../../src/places/session-ref.ts";

const Usage = z.object({
  uncached: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  output: z.number(),
});

const Call = z.object({
  name: z.string(),
  /** Namespace of a tool of Codex. */
  ns: z.string().optional(),
  input: z.unknown(),
  /** A list for code that makes several calls. */
  expected: z.union([z.enum(["ok", "failed"]), z.array(z.enum(["ok", "failed"]))]),
  /** Null if the agent never sent it. */
  result: z.string().nullable(),
});

/** Text on the command line, or commands to a program that takes them on standard input. */
const Prompt = z.union([
  z.string(),
  z
    .array(z.object({ type: z.string(), message: z.string().optional() }))
    .transform((commands) => commands.find(({ type }) => type === "prompt")?.message),
]);

export const Truth = z.object({
  runs: z.array(z.object({ prompt: Prompt.optional(), sessionId: z.string().optional() })),
  requests: z.array(
    z.object({
      model: z.string(),
      kind: z.enum(["script", "side", "compact"]),
      status: z.number(),
      user: z.string().optional(),
      text: z.string().optional(),
      thinking: z.string().optional(),
      calls: z.array(Call),
      usage: Usage.optional(),
    }),
  ),
});
export type Truth = z.infer<typeof Truth>;
type TrueCall = z.infer<typeof Call>;
type Request = Truth["requests"][number];

/** What an agent does not write, or not as the model sent it. */
export interface Unwritten {
  /** Kinds of requests whose usage is recorded nowhere. */
  usage?: readonly Request["kind"][];
  /** Number of inner calls of code that have no record, by how they ended. */
  innerCalls?: number;
  /** A call that was stopped has no record at all. */
  stoppedCalls?: boolean;
  /** Tools whose results the model does not get. */
  unsent?: readonly string[];
  /** No thinking is kept. */
  thinking?: boolean;
  /** The agent records costs, from prices of its own. */
  ownCosts?: boolean;
  /** After an answer without calls, the program asks the model for itself, and keeps no text of that. */
  asksForItself?: boolean;
  /** Texts of failed calls are in other words than the model got. */
  errorTexts?: boolean;
  /** Name of a tool in the agent's files. Default: `name`, with the namespace of an MCP server before it. */
  nameOf?: (call: TrueCall) => string;
}

/** Sessions of a sample, without the messages that a fork copied from another one. */
export interface ReadSample {
  sessions: readonly { ref: SessionRef; read: Conversation }[];
}

/** Reads all sessions of a sample, found in the agent's place below `home`. */
export async function readSample(home: string, agent: string): Promise<ReadSample> {
  const found = await findSessions({ env: {}, home, cwd: home });
  const ofAgent = found.sessions.filter((ref) => ref.agent === agent);
  const sessions = await withParts(ofAgent, []);
  const read = await Promise.all(
    sessions.map(async (ref) => {
      const read = await readConversation(ref);
      return { ref: { ...ref, parentId: ref.parentId ?? read.metadata.parentSessionId }, read };
    }),
  );
  const oldestFirst = read.toSorted((a, b) => startOf(a) - startOf(b));
  const seen = new Set<string>();
  return { sessions: oldestFirst.map(({ ref, read }) => ({ ref, read: withoutCopies(read, seen) })) };
}

function startOf({ read: { metadata } }: { read: Conversation }): number {
  return Date.parse(metadata.firstTimestamp ?? "");
}

function withoutCopies(read: Conversation, seen: Set<string>): Conversation {
  const known = new Set(seen);
  const isCopy = ({ uuid, source_id }: TranscriptMessage): boolean => known.has(uuid ?? source_id ?? "");
  for (const { uuid, source_id } of read.messages) if (uuid ?? source_id) seen.add(uuid ?? source_id ?? "");
  const copies = new Set(read.messages.filter(isCopy).map(({ id }) => id));
  const own = new Set(read.content_blocks.filter(({ message_id }) => !copies.has(message_id)).map(({ id }) => id));
  return {
    ...read,
    content_blocks: read.content_blocks.filter(({ id }) => own.has(id)),
    tool_calls: read.tool_calls.filter(({ use, result }) => own.has((use ?? result)?.block_id ?? "")),
  };
}

/** Returns a sentence for each difference. */
export async function differences(truth: Truth, sample: ReadSample, unwritten: Unwritten = {}): Promise<string[]> {
  const { sessions } = sample;
  const script = truth.requests
    .filter(({ kind, status }) => kind === "script" && status === 200)
    .filter(
      ({ user }, at, all) => unwritten.asksForItself !== true || user !== undefined || all[at - 1]?.calls.length !== 0,
    );
  const blocks = sessions.flatMap(({ read }) => read.content_blocks);
  const roles = new Map(sessions.flatMap(({ read }) => read.messages).map((message) => [message.id, message]));
  const top = new Set(sessions.flatMap(({ ref, read }) => (isSubagent(ref) ? [] : read.messages)));
  const said = (type: "assistant" | "human"): string[] =>
    blocks.flatMap(({ message_id, content_text }) => {
      const message = roles.get(message_id);
      const isMeant = message !== undefined && (type === "assistant" ? isAnswer(message) : isTyped(message, top));
      return content_text === null || !isMeant ? [] : [content_text];
    });
  return [
    ...unequal("user texts", said("human"), promptsIn(truth)),
    ...unequal("assistant texts", said("assistant"), texts(script, "text")),
    ...(unwritten.thinking === true
      ? []
      : unequal(
          "thinking",
          blocks.flatMap(({ thinking_text }) => thinking_text || []),
          texts(script, "thinking"),
        )),
    ...callDifferences(script, sessions, unwritten),
    ...(await usageDifferences(truth, sessions, unwritten)),
    ...childDifferences(truth, sessions),
  ];
}

/** An answer of the model, not of the program in its place. */
function isAnswer({ message_type, model, metadata }: TranscriptMessage): boolean {
  return message_type === "assistant" && model !== "<synthetic>" && metadata.is_api_error !== true;
}

/** A prompt that a person typed for the model, in one of the sessions that is not a subagent's. */
function isTyped(message: TranscriptMessage, top: ReadonlySet<TranscriptMessage>): boolean {
  return isPrompt(message) && top.has(message) && !message.is_sidechain && message.metadata.origin !== "command";
}

function texts(requests: readonly Request[], field: "text" | "thinking"): string[] {
  return requests.flatMap((request) => request[field] ?? []);
}

/** Returns the prompts of the person: those of the command line, or else typed into the terminal. */
function promptsIn({ runs, requests }: Truth): string[] {
  const given = runs.flatMap(({ prompt }) => prompt ?? []).filter((prompt) => !prompt.startsWith("/"));
  if (given.length > 0) return given;
  const sent = requests.flatMap(({ kind, user }) => (kind === "script" && user !== undefined ? [user] : []));
  return sent.map((user) => user.replace(/^<current_datetime>.*<\/current_datetime>/, "").trim());
}

function unequal(what: string, ours: readonly string[], theirs: readonly string[]): string[] {
  const [a, b] = [ours, theirs].map((list) => list.map((text) => text.trim()).toSorted());
  return isDeepStrictEqual(a, b) ? [] : [`${what}: ${JSON.stringify(a)} instead of ${JSON.stringify(b)}`];
}

/** Results of calls that the person stopped or refused. */
const STOPPED =
  /^aborted|^No result provided$|aborted by user|interrupted|operation cancelled|doesn't want to proceed/i;

const defaultName = ({ name, ns = "" }: TrueCall): string => (ns.startsWith("mcp__") ? `${ns}__${name}` : name);

function callDifferences(
  requests: readonly Request[],
  sessions: ReadSample["sessions"],
  { nameOf = defaultName, innerCalls = 0, stoppedCalls = false, errorTexts = false, unsent = [] }: Unwritten,
): string[] {
  const rest = new Set(sessions.flatMap(({ read }) => read.tool_calls));
  const found: string[] = [];
  const inner: string[] = [];
  for (const call of requests.flatMap(({ calls }) => calls)) {
    const name = nameOf(call);
    const ours = [...rest].find((each) => each.tool_name === name && hasInput(each.tool_input, call.input));
    const isStopped = call.result === null ? !unsent.includes(call.name) : STOPPED.test(call.result);
    if (ours === undefined) {
      if (!(stoppedCalls && isStopped)) found.push(`no call ${name} ${JSON.stringify(call.input)}`);
      continue;
    }
    rest.delete(ours);
    if (Array.isArray(call.expected) && !isStopped) inner.push(...call.expected);
    found.push(...endDifferences(ours, errorTexts && ours.is_error ? { ...call, result: "" } : call, isStopped));
  }
  const made = [...rest].filter(({ status }) => status !== "interrupted");
  const ended = made.map(({ status }) => (status === "completed" ? "ok" : "failed"));
  const missing = inner.length - ended.length;
  const innerOnes = [...inner].toSorted().join(" ");
  if (missing === innerCalls && (missing > 0 || innerOnes === ended.toSorted().join(" "))) return found;
  const names = made.map(({ tool_name, status }) => `${tool_name} ${status}`);
  return [...found, `calls that the model did not make: ${names.join(", ")}; inner calls: ${innerOnes}`];
}

/** Some agents write the defaults of a tool into its input. */
function hasInput(ours: unknown, theirs: unknown): boolean {
  if (!isFields(ours) || !isFields(theirs)) return isDeepStrictEqual(ours, theirs);
  return Object.entries(theirs).every(([name, value]) => isDeepStrictEqual(ours[name], value));
}

function endDifferences(ours: ToolCall, { expected, result }: TrueCall, isStopped: boolean): string[] {
  const about = `${ours.tool_name} ${JSON.stringify(ours.tool_input)}`;
  if (isStopped)
    return ["interrupted", "rejected", "pending"].includes(ours.status)
      ? []
      : [`${about}: ${ours.status}, was stopped`];
  const status = expected === "failed" ? "error" : "completed";
  const isAlike = result === null || alike(ours.result_text ?? "", result);
  return [
    ...(Array.isArray(expected) || ours.status === status ? [] : [`${about}: ${ours.status}, not ${status}`]),
    ...(isAlike ? [] : [`${about}: result ${JSON.stringify(ours.result_text)}, not ${JSON.stringify(result)}`]),
  ];
}

/** Samples have the start of longer texts. */
const TRIMMED = /\s*…\[trimmed, \d+ characters\][^]*$/;
const START = 1_000;

/** Compares words only, since some agents send a result as JSON, or with a frame around it. */
function alike(ours: string, theirs: string): boolean {
  const [a = "", b = ""] = [ours, theirs].map((text) => wordsOf(text.replace(TRIMMED, "")));
  if (a.includes(b) || b.includes(a)) return true;
  const isCut = TRIMMED.test(ours) || TRIMMED.test(theirs);
  return isCut && a.slice(0, START) === b.slice(0, START);
}

function wordsOf(text: string): string {
  return (text.replaceAll(/\\[nrt]/g, " ").match(/\w+/g) ?? []).join(" ");
}

async function usageDifferences(
  { requests }: Truth,
  sessions: ReadSample["sessions"],
  { usage: unrecorded = [], ownCosts = false }: Unwritten,
): Promise<string[]> {
  const ledger = new UsageLedger("UTC");
  for (const { ref, read } of sessions) {
    const answers = read.messages.filter(hasUsage);
    ledger.add({ id: ref.id, project: null, agent: ref.agent }, answers.map(usageOf));
  }
  const { tokens_in, tokens_out, cache_read, cache_write, cost_usd } = ledger.total();
  const ours = { tokens_in, tokens_out, cache_read, cache_write };
  const theirs = { tokens_in: 0, tokens_out: 0, cache_read: 0, cache_write: 0 };
  const pricing = await catalogPricing();
  let cost = 0;
  for (const { kind, model, usage } of requests) {
    if (usage === undefined || unrecorded.includes(kind)) continue;
    const { uncached: tokensIn, output: tokensOut, cacheRead, cacheWrite } = usage;
    theirs.tokens_in += tokensIn;
    theirs.tokens_out += tokensOut;
    theirs.cache_read += cacheRead;
    theirs.cache_write += cacheWrite;
    const counts = { tokensIn, tokensOut, cacheRead, cacheWrite, cacheWrite1h: 0 };
    const price = pricing({ ...counts, model, provider: null, timestamp: null });
    cost += price ?? 0;
  }
  const isSameCost = Math.abs(cost - (cost_usd ?? 0)) < 1e-9;
  return [
    ...(isDeepStrictEqual(ours, theirs) ? [] : [`tokens: ${JSON.stringify(ours)}, not ${JSON.stringify(theirs)}`]),
    ...(isSameCost || ownCosts ? [] : [`cost: ${cost_usd}, not ${cost}`]),
  ];
}

/** All sessions that no run began are subagents of one that was. */
function childDifferences({ runs }: Truth, sessions: ReadSample["sessions"]): string[] {
  const begun = new Set(runs.flatMap(({ sessionId }) => sessionId ?? []));
  const known = new Set(sessions.map(({ ref }) => ref.id));
  return [
    ...[...begun].filter((id) => !known.has(id)).map((id) => `session ${id} was not found`),
    ...sessions
      .filter(({ ref }) => begun.size > 0 && !begun.has(ref.id) && !begun.has(ref.parentId ?? ""))
      .map(({ ref }) => `session ${ref.id} has the parent ${ref.parentId}`),
  ];
}
