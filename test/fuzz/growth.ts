/**
 * Inputs that could make a reader slow, each as a rule that writes any number of pieces. Eight times the pieces may
 * cost eight times as much and something for a busy machine, but not the 64 times of a search within a search.
 */
import { findFixes } from "../../src/queries/call-fixes.ts";
import { parseTranscript, readTranscript } from "../../src/agents/parse-input.ts";
import { failedCalls } from "../../src/queries/session-errors.ts";

export interface Growth {
  name: string;
  /** Pieces of the smaller input. */
  count: number;
  write: (count: number) => string;
}

const FACTOR = 8;
const MAX_RATIO = 50;
/** Less than this is noise. */
const FLOOR_MS = 30;

const record = (n: number, content = "x"): string =>
  JSON.stringify({ type: "user", uuid: `u${n}`, message: { content } });
const call = (n: number, id: string, input: unknown, message = `m${n}`): string =>
  JSON.stringify({
    type: "assistant",
    uuid: `c${n}`,
    message: { id: message, content: [{ type: "tool_use", id, name: "Bash", input }] },
  });
const result = (n: number, id: string, content: string, isError = true): string =>
  JSON.stringify({
    type: "user",
    uuid: `r${n}`,
    message: { content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] },
  });

const each = (name: string, count: number, piece: (n: number) => string): Growth => ({
  name,
  count,
  write: (total) => Array.from({ length: total }, (_, n) => piece(n)).join(""),
});
const repeated = (piece: string): Growth => ({
  name: JSON.stringify(piece),
  count: Math.ceil(14_000 / piece.length),
  write: (total) => piece.repeat(total),
});
/** A failed command and one that succeeds, both of this text. */
const commands = (piece: string): Growth => ({
  name: `commands of ${JSON.stringify(piece)}`,
  count: Math.ceil(4_000 / piece.length),
  write: (total) => {
    const command = piece.repeat(total);
    const pair = (n: number, isError: boolean): string[] => [
      call(n, `t${n}`, { command: `${command}${n}` }),
      result(n, `t${n}`, `No such file: ${command}`, isError),
    ];
    return [...pair(1, true), ...pair(2, true), ...pair(3, false)].map((line) => `${line}\n`).join("");
  },
});

export const GROWTHS: readonly Growth[] = [
  ...[
    '{"',
    "[",
    '{"a":[',
    '"',
    "\\",
    '\\"',
    '{"a":"\\',
    "}{",
    "{}",
    " ",
    "\n",
    "\0",
    "\ufeff",
    "\r",
    "\ud800",
    "a\0",
  ].map(repeated),
  ...[
    "[]\n",
    "{}\n",
    "null\n",
    "x\n",
    '{"type":"\n',
    "---\n",
    "```\n",
    "## [\n",
    "# Transcript: x\n",
    "<!--",
    "\n\n",
  ].map(repeated),
  ...['{"info":{"id":"', '{"info":{},"messages":[', '{"parts":[', '{"messages":[{"info":'].map(repeated),
  repeated(`{"a":[${record(1)}`),
  repeated(`${record(1)}x`),
  repeated(`{"a":1}x`),
  each("glued objects", 800, (n) => record(n)),
  each("glued objects with garbage between", 800, (n) => `${record(n)}%`),
  each("torn objects with whole ones after them", 800, (n) => `{"type":"user","message":{"content":"${record(n)}`),
  each("lines", 800, (n) => `${record(n)}\n`),
  each("an answer of many lines", 800, (n) => `${call(n, `t${n}`, { n }, "m")}\n`),
  each(
    "an answer that repeats all before",
    60,
    (n) =>
      `${JSON.stringify({ type: "assistant", message: { id: "m", content: Array.from({ length: 40 }, (_, at) => ({ type: "text", text: `${n % 2} ${at}` })) } })}\n`,
  ),
  each("calls with one id", 800, (n) => `${call(n, "t", { n })}\n`),
  each("results with one id", 800, (n) => `${result(n, "t", `${n}`)}\n`),
  each("results before calls, all with one id", 800, (n) => `${result(n, "t", `${n}`)}\n`),
  {
    name: "results, then calls, all with one id",
    count: 400,
    write: (total) =>
      [
        ...Array.from({ length: total }, (_, n) => result(n, "t", `${n}`)),
        ...Array.from({ length: total }, (_, n) => call(n, "t", { n })),
      ].join("\n"),
  },
  each(
    "failures on one target",
    250,
    (n) => `${call(n, `t${n}`, { command: "cat a" })}\n${result(n, `t${n}`, "no")}\n`,
  ),
  each(
    "failures on many targets",
    250,
    (n) => `${call(n, `t${n}`, { command: `cat ${n}` })}\n${result(n, `t${n}`, "no")}\n`,
  ),
  ...[
    '"',
    "'",
    "\\",
    "$(",
    "`",
    "a b ",
    "<<E\n",
    "| ",
    "&& cd /a ",
    "((",
    "{a,",
    "'\"",
    "\n",
    "a=b ",
    ";for a ",
    ";do ",
  ].map(commands),
];

/** Each step apart, so that a quick one does not hide a slow one. */
const STEPS: Record<string, (input: string) => Promise<void>> = {
  parse: async (input) => void (await parseTranscript("S", input, { pricing: "flat" })),
  fixes: async (input) => {
    const { messages, content_blocks: blocks, tool_calls: calls } = await parseTranscript("S", input);
    findFixes(messages, blocks, calls);
  },
  errors: async (input) => void (await failedCalls(readTranscript("", input, { pricing: "flat" }))),
};

/** A sentence for each step that grows faster than it may. */
export async function checkGrowth({ count, write }: Growth): Promise<string[]> {
  const [small, large] = [write(count), write(count * FACTOR)];
  const said: string[] = [];
  for (const [name, step] of Object.entries(STEPS)) {
    const short = Math.max(FLOOR_MS, await quickest(3, () => step(small)));
    let long = await quickest(1, () => step(large));
    if (long > short * MAX_RATIO) long = Math.min(long, await quickest(3, () => step(large)));
    if (long > short * MAX_RATIO) {
      said.push(
        `${name}: ${short.toFixed(0)} ms for ${small.length} characters, ${long.toFixed(0)} for ${large.length}`,
      );
    }
  }
  return said;
}

async function quickest(times: number, run: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < times; n += 1) {
    const start = performance.now();
    await run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
