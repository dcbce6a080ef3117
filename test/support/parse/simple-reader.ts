/** Counts the content of a session file in the simplest way, to compare with the parser's figures. */

export interface Figures {
  messages: number;
  text: number;
  thinking: number;
  tool_use: number;
  tool_result: number;
  /** Results that say of themselves that they are errors. */
  errors: number;
  tokens_in: number;
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** Lines of which nothing, or not everything, could be read in one go. */
  damaged: number;
}

interface Counted {
  texts: Set<string>;
  thinking: Set<string>;
  usage: Record<string, unknown>;
}

/** A Claude Code file, session or stream-json. */
export function countClaude(content: string): Figures {
  const answers = new Map<string, Counted>();
  const seen = new Set<string>();
  const figures = none();
  // The output of `stream-json` has its totals at the end.
  let totals: unknown[] = [];
  for (const line of content.split("\n").filter((each) => each.trim() !== "")) {
    const objects = objectsOn(line);
    const records = objects.filter((each) => typeof field(each, "type") === "string");
    if (objects.length !== 1 || records.length === 0) figures.damaged += 1;
    for (const record of records) {
      const text = JSON.stringify(record);
      if (field(record, "uuid") !== undefined && seen.has(text)) continue;
      seen.add(text);
      count(record, figures, answers, seen);
      if (field(record, "type") === "result") totals = Object.values(field(record, "modelUsage") ?? {});
    }
  }
  for (const { usage, texts, thinking } of answers.values()) {
    figures.text += texts.size;
    figures.thinking += thinking.size;
    figures.tokens_in += number(usage["input_tokens"]);
    figures.tokens_out += number(usage["output_tokens"]);
    figures.cache_read += number(usage["cache_read_input_tokens"]);
    figures.cache_write += number(usage["cache_creation_input_tokens"]);
  }
  const atLeast = (known: number, name: string): number =>
    Math.max(
      known,
      totals.reduce((sum: number, model) => sum + number(field(model, name)), 0),
    );
  figures.tokens_in = atLeast(figures.tokens_in, "inputTokens");
  figures.tokens_out = atLeast(figures.tokens_out, "outputTokens");
  figures.cache_read = atLeast(figures.cache_read, "cacheReadInputTokens");
  figures.cache_write = atLeast(figures.cache_write, "cacheCreationInputTokens");
  return figures;
}

export function countPi(content: string): Pick<Figures, "tool_result" | "tokens_in" | "tokens_out" | "cache_read"> {
  const entries = content.split("\n").flatMap((line) => (line.trim() === "" ? [] : [parsed(line)]));
  const messages = entries.map((entry) => field(entry, "message"));
  const sum = (name: string): number =>
    messages.reduce<number>((total, message) => total + number(field(field(message, "usage"), name)), 0);
  return {
    tool_result: messages.filter((message) => field(message, "role") === "toolResult").length,
    tokens_in: sum("input"),
    tokens_out: sum("output"),
    cache_read: sum("cacheRead"),
  };
}

/** A journal or document of Gemini CLI. Each message counts as it is on its last line; lists have only copies. */
export function countGemini(
  content: string,
): Omit<Figures, "messages" | "text" | "thinking" | "damaged" | "cache_write"> {
  const document = content.includes("\n{") ? undefined : field(parsed(content), "messages");
  const lines = content.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line]));
  const records: unknown[] = Array.isArray(document) ? document : lines.map(parsed);
  const answers = records.filter((record) => field(record, "type") === "gemini");
  const last = [...new Map(answers.map((answer) => [field(answer, "id"), answer])).values()];
  const calls = last.flatMap((answer): unknown[] => {
    const list = field(answer, "toolCalls");
    return Array.isArray(list) ? list : [];
  });
  const sum = (name: string): number =>
    last.reduce<number>((total, answer) => total + number(field(field(answer, "tokens"), name)), 0);
  const ended = (...statuses: string[]): number =>
    calls.filter((call) => statuses.some((status) => status === field(call, "status"))).length;
  return {
    tool_use: calls.length,
    tool_result: ended("success", "error", "cancelled"),
    errors: ended("error"),
    tokens_in: sum("input") - sum("cached") + sum("tool"),
    tokens_out: sum("output") + sum("thoughts"),
    cache_read: sum("cached"),
  };
}

/** Counts the session itself, without subagents, that is in a file of Copilot CLI. */
export function countCopilot(content: string): Pick<Figures, "tool_use" | "tool_result" | "errors"> {
  const events = content.split("\n").flatMap((line) => (line.trim() === "" ? [] : [parsed(line)]));
  const own = events.filter((event) => field(event, "agentId") === undefined);
  const data = (type: string): unknown[] =>
    own.filter((event) => field(event, "type") === type).map((event) => field(event, "data"));
  const ends = data("tool.execution_complete").filter((end) => field(end, "isUserRequested") !== true);
  const requests = data("assistant.message").map((message) => field(message, "toolRequests"));
  return {
    tool_use: requests.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0),
    tool_result: ends.length,
    errors: ends.filter((end) => field(end, "success") === false).length,
  };
}

/** A session file of Codex. Messages and failures take more than counting. */
export function countCodex(content: string): Omit<Figures, "messages" | "errors"> {
  const { messages: _, errors: _errors, ...figures } = none();
  const lines = content.split("\n").flatMap((line) => (line.trim() === "" ? [] : [parsed(line)]));
  const records = lines.filter((line) => field(line, "type") === "token_usage_record");
  const totals = new Set<string>();
  for (const [at, line] of lines.entries()) {
    const item = field(line, "payload") ?? line;
    if (at === 0 && field(item, "forked_from_id") !== undefined) figures.text += 1;
    if (field(line, "type") === "token_usage_record") addCodexUsage(figures, field(item, "usage"));
    else if (field(item, "type") === "token_count") {
      const info = field(item, "info");
      const total = JSON.stringify(field(info, "total_token_usage")) ?? "";
      if (!totals.has(total) && records.length === 0) addCodexUsage(figures, field(info, "last_token_usage"));
      totals.add(total);
    } else if (field(item, "type") === "item_completed") {
      const isInner = String(field(field(item, "item"), "id")).startsWith("exec-");
      figures.tool_use += Number(isInner);
      figures.tool_result += Number(isInner);
    } else if (field(line, "type") === "response_item" || field(line, "payload") === undefined)
      countItem(item, figures);
  }
  return figures;
}

function countItem(item: unknown, figures: Omit<Figures, "messages" | "errors">): void {
  const type = String(field(item, "type"));
  if (type === "reasoning") figures.thinking += 1;
  if (/^(?:function|custom_tool|local_shell|tool_search|web_search|image_generation)_call$/.test(type))
    figures.tool_use += 1;
  if (/^(?:web_search|image_generation)_call$|_output$/.test(type)) figures.tool_result += 1;
  const parts = type === "message" || type === "agent_message" ? field(item, "content") : [];
  const texts = (Array.isArray(parts) ? parts : []).map((part) => field(part, "text"));
  for (const text of texts.filter((each) => typeof each === "string")) {
    // A command of the person is in one text with its output, and the text of an editor with that of the person.
    const isDouble = text.startsWith("<user_shell_command>") || text.includes("## My request for Codex:");
    figures.text += text === "" ? 0 : isDouble ? 2 : 1;
  }
}

function addCodexUsage(figures: Omit<Figures, "messages" | "errors">, usage: unknown): void {
  const cached = number(field(usage, "cached_input_tokens"));
  figures.tokens_in += number(field(usage, "input_tokens")) - cached;
  figures.cache_read += cached;
  figures.tokens_out += number(field(usage, "output_tokens"));
}

/** Lines that hold two objects. */
export function gluedLines(content: string): number[] {
  return content.split("\n").flatMap((line, n) => (objectsOn(line).length > 1 ? [n + 1] : []));
}

/** All objects that a line is made of; none if it is not made of objects. */
function objectsOn(line: string): unknown[] {
  const whole = parsed(line);
  if (whole !== undefined) return typeof whole === "object" && whole !== null && !Array.isArray(whole) ? [whole] : [];
  for (let at = line.indexOf("}{"); at !== -1; at = line.indexOf("}{", at + 1)) {
    const [left, right] = [parsed(line.slice(0, at + 1)), parsed(line.slice(at + 1))];
    if (left !== undefined && right !== undefined) return [left, right];
  }
  return [];
}

function count(record: unknown, figures: Figures, answers: Map<string, Counted>, seen: Set<string>): void {
  const type = field(record, "type");
  const message = field(record, "message");
  const content = field(message, "content");
  const blocks = Array.isArray(content) ? content : typeof content === "string" ? [content] : [];
  if (type === "assistant") {
    const id = field(message, "id");
    const key = typeof id === "string" ? id : `without id ${answers.size}`;
    const usage = field(message, "usage");
    const answer = answers.get(key) ?? { texts: new Set(), thinking: new Set(), usage: {} };
    if (!answers.has(key)) figures.messages += 1;
    answers.set(key, answer);
    if (isFields(usage)) answer.usage = usage;
    for (const block of blocks) {
      if (typeof block === "string" || field(block, "type") === "text") answer.texts.add(JSON.stringify(block));
      else if (String(field(block, "type")).endsWith("thinking")) answer.thinking.add(JSON.stringify(block));
    }
  } else if (type === "user" || type === "system" || type === "summary") {
    figures.messages += 1;
    const more = type === "system" ? field(record, "content") : field(record, "summary");
    figures.text += [...blocks, ...(typeof more === "string" && type !== "user" ? [more] : [])].filter(isText).length;
  } else if (type === "attachment" && field(field(record, "attachment"), "type") === "queued_command") {
    figures.messages += 1;
    const prompt = field(field(record, "attachment"), "prompt");
    figures.text += Array.isArray(prompt) ? prompt.filter(isText).length : 1;
  } else return;
  for (const block of blocks) countTool(block, figures, seen);
}

function countTool(block: unknown, figures: Figures, seen: Set<string>): void {
  const type = field(block, "type");
  const key = JSON.stringify(block);
  if ((type !== "tool_use" && type !== "tool_result") || seen.has(key)) return;
  seen.add(key);
  figures[type] += 1;
  if (type === "tool_result" && field(block, "is_error") === true) figures.errors += 1;
}

/** Counts the content of an output of `opencode export`. */
export function countExport(content: string): Figures {
  const messages = field(parsed(content), "messages");
  const figures = none();
  for (const message of Array.isArray(messages) ? messages : []) {
    const parts = field(message, "parts");
    const list = Array.isArray(parts) ? parts : [];
    // An answer that was given up before it began says nothing.
    if (list.length > 0 || field(field(message, "info"), "error") !== undefined) figures.messages += 1;
    for (const part of list) {
      const type = field(part, "type");
      const state = field(field(part, "state"), "status");
      if (type === "text" && field(part, "synthetic") !== true) figures.text += 1;
      if (type === "reasoning") figures.thinking += 1;
      if (type === "tool") figures.tool_use += 1;
      if (type === "tool" && (state === "completed" || state === "error")) figures.tool_result += 1;
      if (type === "tool" && state === "error") figures.errors += 1;
    }
    const tokens = field(field(message, "info"), "tokens");
    figures.tokens_in += number(field(tokens, "input"));
    figures.tokens_out += number(field(tokens, "output")) + number(field(tokens, "reasoning"));
    figures.cache_read += number(field(field(tokens, "cache"), "read"));
    figures.cache_write += number(field(field(tokens, "cache"), "write"));
  }
  return figures;
}

function none(): Figures {
  const blocks = { text: 0, thinking: 0, tool_use: 0, tool_result: 0, errors: 0 };
  return { messages: 0, ...blocks, tokens_in: 0, tokens_out: 0, cache_read: 0, cache_write: 0, damaged: 0 };
}

function isText(block: unknown): boolean {
  return typeof block === "string" || field(block, "type") === "text";
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function field(value: unknown, key: string): unknown {
  return isFields(value) ? value[key] : undefined;
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
