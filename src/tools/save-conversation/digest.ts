import type { TranscriptEntry, TranscriptHeader, TranscriptItem } from "../../format/entries.ts";

/** Files, errors and prompts that a digest holds at most; beyond it only their number grows. */
const MAX_LISTED = 200;
/** Tools that change the file that their input names. */
const CHANGING_TOOLS = new Set(["edit", "write", "patch", "multiedit", "apply_patch"]);

/** A tool call that failed. */
export interface FailedCall {
  tool: string;
  callID: string;
  /** First line of the error. */
  error: string;
}

/** What one pass over a transcript tells of its session. */
export interface Digest {
  header: TranscriptHeader | undefined;
  /** The host's title; undefined while it is the host's placeholder. */
  title: string | undefined;
  userMessages: number;
  /** Answers of the model: messages, not their parts. */
  assistantMessages: number;
  toolCalls: number;
  failedCalls: number;
  failures: FailedCall[];
  tokens: { input: number; output: number; reasoning: number; cacheRead: number; cacheWrite: number };
  /** US dollars; undefined if the host gave none. */
  cost: number | undefined;
  models: string[];
  files: string[];
  prompts: string[];
  lastAnswer: string | undefined;
  subagents: { sessionID: string; path: string | undefined }[];
  firstTimestamp: string | undefined;
  lastTimestamp: string | undefined;
}

/** Reads a transcript once, in bounded memory. */
export async function digestOf(items: AsyncIterable<TranscriptItem>): Promise<Digest> {
  const digest = emptyDigest();
  const answers = new Set<string>();
  const lists = { models: new Set<string>(), files: new Set<string>(), subagents: new Map<string, string | undefined>() };
  for await (const item of items) {
    if (item.kind === "header") {
      digest.header = item.header;
      digest.title = givenTitle(item.header.title);
    }
    if (item.kind === "entry") add(digest, lists, answers, item.entry);
  }
  digest.assistantMessages = answers.size;
  digest.models = [...lists.models];
  digest.files = [...lists.files];
  digest.subagents = [...lists.subagents].map(([sessionID, path]) => ({ sessionID, path }));
  return digest;
}

/** A title that a person or the model gave; not the placeholder that a session begins with. */
export function givenTitle(title: string | undefined): string | undefined {
  return title === undefined || /^(New|Child) session - \d{4}-/.test(title) ? undefined : title;
}

interface Lists {
  models: Set<string>;
  files: Set<string>;
  subagents: Map<string, string | undefined>;
}

function add(digest: Digest, lists: Lists, answers: Set<string>, entry: TranscriptEntry): void {
  digest.firstTimestamp = earlier(digest.firstTimestamp, entry.timestamp);
  digest.lastTimestamp = later(digest.lastTimestamp, entry.timestamp);
  switch (entry.type) {
    case "user":
      digest.userMessages += 1;
      if (entry.content.trim() !== "" && digest.prompts.length < MAX_LISTED) digest.prompts.push(entry.content);
      return;
    case "assistant":
    case "reasoning":
      if (entry.messageID !== undefined) answers.add(entry.messageID);
      if (entry.model !== undefined) lists.models.add(entry.model);
      addUsage(digest, entry.tokens, entry.cost);
      if (entry.type === "assistant") digest.lastAnswer = answerText(digest.lastAnswer, entry);
      return;
    case "tool_use":
      if (entry.messageID !== undefined) answers.add(entry.messageID);
      digest.toolCalls += 1;
      addFile(lists.files, entry.tool, entry.input);
      return;
    case "tool_result":
      if (entry.subagent) lists.subagents.set(entry.subagent.sessionID, entry.subagent.path);
      addFailure(digest, entry);
      return;
    case "session_event":
      addEvent(digest, lists, entry);
  }
}

function addEvent(digest: Digest, lists: Lists, entry: Extract<TranscriptEntry, { type: "session_event" }>): void {
  if (entry.name === "title") digest.title = entry.text;
  if (entry.name === "usage") {
    const { tokens, cost, model } = recordOf(entry.data);
    if (typeof model === "string") lists.models.add(model);
    addUsage(digest, recordOf(tokens), typeof cost === "number" ? cost : undefined);
  }
  if (entry.name === "patch") {
    const { files } = recordOf(entry.data);
    if (Array.isArray(files)) for (const file of files) if (typeof file === "string") addBounded(lists.files, file);
  }
}

function addUsage(digest: Digest, tokens: object | undefined, cost: number | undefined): void {
  const counts = recordOf(tokens);
  for (const kind of ["input", "output", "reasoning", "cacheRead", "cacheWrite"] as const) {
    const count = counts[kind];
    if (typeof count === "number") digest.tokens[kind] += count;
  }
  if (cost !== undefined) digest.cost = (digest.cost ?? 0) + cost;
}

function addFile(files: Set<string>, tool: string, input: unknown): void {
  if (!CHANGING_TOOLS.has(tool)) return;
  const { filePath, path } = recordOf(input);
  const file = filePath ?? path;
  if (typeof file === "string") addBounded(files, file);
}

function addFailure(digest: Digest, entry: Extract<TranscriptEntry, { type: "tool_result" }>): void {
  // opencode answers a call of an unknown tool, or with broken arguments, by a tool of this name.
  const failed = entry.status === "error" || entry.status === "interrupted" || entry.tool === "invalid";
  if (!failed) return;
  digest.failedCalls += 1;
  if (digest.failures.length >= MAX_LISTED) return;
  const text = typeof entry.output === "string" ? entry.output : JSON.stringify(entry.output);
  digest.failures.push({ tool: entry.tool, callID: entry.callID, error: firstLine(text) });
}

function answerText(before: string | undefined, entry: Extract<TranscriptEntry, { type: "assistant" }>): string {
  return entry.continues === "append" ? `${before ?? ""}${entry.content}` : entry.content;
}

function addBounded(set: Set<string>, value: string): void {
  if (set.size < MAX_LISTED) set.add(value);
}

export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function earlier(known: string | undefined, next: string): string {
  return known === undefined || next < known ? next : known;
}

function later(known: string | undefined, next: string): string {
  return known === undefined || next > known ? next : known;
}

function emptyDigest(): Digest {
  return {
    header: undefined,
    title: undefined,
    userMessages: 0,
    assistantMessages: 0,
    toolCalls: 0,
    failedCalls: 0,
    failures: [],
    tokens: { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    cost: undefined,
    models: [],
    files: [],
    prompts: [],
    lastAnswer: undefined,
    subagents: [],
    firstTimestamp: undefined,
    lastTimestamp: undefined,
  };
}
