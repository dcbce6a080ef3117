/**
 * Our token counts against those of ccusage 20, session by session, on real files. They agree but for three rules, each
 * of which is worked out here from the raw lines and must explain a difference to the last token.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { REPOSITORY } from "../support/repository.ts";
import { placeOfSession, testSessions } from "../support/parse/session-files.ts";
import { afterAll } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** Input, output, cache read, cache write. */
type Tokens = readonly [number, number, number, number];

interface Answer {
  id: string;
  requestId: string | null;
  timestamp: string;
  tokens: Tokens;
}

interface Session {
  name: string;
  ours: Tokens;
  cost: number;
  /** Of each pair of message id and request id the line with the largest output. */
  answers: Answer[];
  /** Written with a space after colons, as Python's `json.dumps` does. */
  isSpaced: boolean;
}

testSessions("each difference from ccusage is explained by a rule", ["claude-code"], async (all) => {
  const files = all.map(({ path }) => path).filter((path) => path.endsWith(".jsonl"));
  const theirs = countedByCcusage(files);
  const sessions = await Promise.all(files.map(readSession));
  const explained = { same: 0, spaced: 0, "request id": 0, "other file": 0 };
  const rows: string[] = [];
  for (const session of sessions) {
    const reasons = new Set<keyof typeof explained>();
    const expected = session.isSpaced ? none(session, reasons) : withTheirRules(session, sessions, reasons);
    const found = theirs.get(session.name) ?? { tokens: [0, 0, 0, 0], cost: 0 };
    assert.deepEqual(found.tokens, expected, `${session.name}: ${[...reasons].join(", ")}`);
    if (reasons.size === 0) {
      explained.same += 1;
      assert.ok(Math.abs(found.cost - session.cost) < 1e-6, `${session.name}: cost ${session.cost}, ${found.cost}`);
    } else
      rows.push(
        `${session.name}: ours ${session.ours.join(" ")}, ccusage ${found.tokens.join(" ")}: ${[...reasons].join(", ")}`,
      );
    for (const reason of reasons) explained[reason] += 1;
  }
  console.log(`ccusage, ${sessions.length} sessions: ${JSON.stringify(explained)}\n${rows.join("\n")}`);
  assert.ok(explained.same > sessions.length / 2);
});

/** ccusage passes over lines that are not written compactly. */
function none({ ours }: Session, reasons: Set<string>): Tokens {
  if (ours.some((tokens) => tokens > 0)) reasons.add("spaced");
  return [0, 0, 0, 0];
}

/**
 * ccusage takes an answer for another one when the request id differs, so a copy without it counts again; and an answer
 * that stands in several files counts in the one where it stands first, while a file of ours, read alone, has all that
 * stands in it.
 */
function withTheirRules(session: Session, all: readonly Session[], reasons: Set<string>): Tokens {
  let sum = session.ours;
  const counted = new Set<string>();
  // Ours is the copy with the largest output; the others are what a second count adds.
  for (const answer of session.answers.toSorted((a, b) => b.tokens[1] - a.tokens[1])) {
    const copies = all.flatMap((other) => (other.isSpaced ? [] : other.answers.filter((each) => isSame(each, answer))));
    const first = copies.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))[0];
    if (first !== answer) {
      reasons.add("other file");
      sum = plus(sum, answer.tokens, -1);
    } else if (counted.has(answer.id)) {
      reasons.add("request id");
      sum = plus(sum, answer.tokens, 1);
    }
    counted.add(answer.id);
  }
  return sum;
}

const isSame = (a: Answer, b: Answer): boolean => a.id === b.id && a.requestId === b.requestId;

const plus = (sum: Tokens, tokens: Tokens, sign: 1 | -1): Tokens => [
  sum[0] + sign * tokens[0],
  sum[1] + sign * tokens[1],
  sum[2] + sign * tokens[2],
  sum[3] + sign * tokens[3],
];

/** A session's tokens as they are in our rows, and the lines that they come from, read in the simplest way. */
async function readSession(path: string): Promise<Session> {
  const text = readFileSync(path, "utf8");
  const { stats } = await parseTranscript("s", text);
  const answers = new Map<string, Answer>();
  for (const line of text.split("\n")) {
    const answer = answerIn(line);
    const key = `${answer?.id} ${answer?.requestId}`;
    if (answer && answer.tokens[1] >= (answers.get(key)?.tokens[1] ?? 0)) answers.set(key, answer);
  }
  return {
    name: basename(path, ".jsonl"),
    ours: [stats.tokens_in, stats.tokens_out, stats.cache_read, stats.cache_write],
    cost: stats.cost_estimate_usd ?? 0,
    answers: [...answers.values()],
    isSpaced: /^\{"\w+": /.test(text),
  };
}

interface AssistantLine {
  type?: string;
  requestId?: string;
  timestamp?: string;
  message?: { id?: string; usage?: Record<string, number | undefined> };
}

function answerIn(line: string): Answer | undefined {
  if (!line.includes('"usage"')) return undefined;
  let record: AssistantLine;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { id, usage } = record.message ?? {};
  if (record.type !== "assistant" || id === undefined || !usage) return undefined;
  const [input = 0, output = 0] = [usage["input_tokens"], usage["output_tokens"]];
  const [read = 0, write = 0] = [usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]];
  const { requestId = null, timestamp = "" } = record;
  return { id, requestId, timestamp, tokens: [input, output, read, write] };
}

interface CcusageSession {
  period: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
  totalCost: number;
}

/** Each file in a project of its own, as ccusage tells sessions apart by the files' names. */
function countedByCcusage(files: readonly string[]): Map<string, { tokens: Tokens; cost: number }> {
  const home = makeTempDir();
  for (const [at, path] of files.entries()) {
    const project = join(home, "projects", `p${at}`);
    mkdirSync(project, { recursive: true });
    copyFileSync(path, join(project, basename(path)));
  }
  const env = { ...process.env, CLAUDE_CONFIG_DIR: home, HOME: home };
  const command = join(REPOSITORY, "node_modules/.bin/ccusage");
  const output = execFileSync(command, ["session", "--json", "--offline", "--timezone", "UTC"], {
    env,
    encoding: "utf8",
  });
  const { session }: { session: CcusageSession[] } = JSON.parse(output);
  return new Map(
    session.map((each) => [
      each.period,
      {
        tokens: [each.inputTokens, each.outputTokens, each.cacheReadTokens, each.cacheCreationTokens],
        cost: each.totalCost,
      },
    ]),
  );
}

interface Rollout {
  ours: Tokens;
  /** The second in which it began. */
  begun: string;
  meta: Record<string, unknown>;
  /** Totals of the session after each model call, with what the call used; repeats left out. */
  events: { total: string; tokens: Tokens; second: string }[];
}

testSessions("each difference of Codex's sessions from ccusage is explained by a rule", ["codex"], async (all) => {
  const home = makeTempDir();
  const sessions = new Map<string, Rollout>();
  for (const { name, path } of all) {
    const to = join(home, placeOfSession(name));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(path, to);
    const rollout = await readRollout(path);
    sessions.set(basename(to, ".jsonl"), rollout);
  }
  const theirs = codexCountedByCcusage(join(home, ".codex"));
  const reasons = new Map<string, number>();
  for (const [name, rollout] of sessions) {
    const [expected, reason] = withCodexRules(rollout);
    const found = theirs.get(name) ?? [0, 0, 0, 0];
    assert.deepEqual(found, expected, `${name}: ${reason}`);
    const isSame = expected.every((count, at) => count === rollout.ours[at]);
    reasons.set(isSame ? "same" : reason, (reasons.get(isSame ? "same" : reason) ?? 0) + 1);
  }
  console.log(`ccusage, ${sessions.size} sessions of Codex: ${JSON.stringify(Object.fromEntries(reasons))}`);
  assert.ok((reasons.get("same") ?? 0) > sessions.size / 2);
});

/**
 * ccusage leaves out subagents, and what a fork has in its first second, as copies of its parent. It reads events only, which
 * a killed session lacks for its last call, and counts one whenever the total differs from the one before.
 */
function withCodexRules({ begun, meta, events }: Rollout): [Tokens, string] {
  if ("parent_thread_id" in meta) return [[0, 0, 0, 0], "subagent"];
  const isFork = "forked_from_id" in meta;
  const counted = isFork ? events.filter(({ second }) => second !== begun) : events;
  const sum = counted.reduce((tokens, event) => plus(tokens, event.tokens, 1), [0, 0, 0, 0] as Tokens);
  return [sum, isFork ? "first second of a fork" : "events"];
}

async function readRollout(path: string): Promise<Rollout> {
  const text = readFileSync(path, "utf8");
  const { stats } = await parseTranscript("s", text);
  const [head = {}, ...lines] = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const events: Rollout["events"] = [];
  for (const { timestamp, payload } of lines) {
    const { total_token_usage: total, last_token_usage: last } = payload?.info ?? {};
    if (payload?.type !== "token_count" || total === undefined || JSON.stringify(total) === events.at(-1)?.total)
      continue;
    const { input_tokens: input, output_tokens: output, cached_input_tokens: cached = 0 } = last;
    const tokens: Tokens = [input - cached, output, cached, 0];
    events.push({ total: JSON.stringify(total), tokens, second: secondOf(timestamp) });
  }
  const { tokens_in, tokens_out, cache_read, cache_write } = stats;
  const ours: Tokens = [tokens_in, tokens_out, cache_read, cache_write];
  return { ours, begun: secondOf(head.timestamp), meta: head.payload ?? {}, events };
}

const secondOf = (time: unknown): string => String(time).slice(0, 19);

function codexCountedByCcusage(folder: string): Map<string, Tokens> {
  const program = join(REPOSITORY, "node_modules/.bin/ccusage");
  const argv = ["codex", "session", "--json", "--offline"];
  const env = { ...process.env, CODEX_HOME: folder };
  const { sessions } = JSON.parse(execFileSync(program, argv, { env, encoding: "utf8", maxBuffer: 1 << 28 }));
  return new Map(
    sessions.map(({ sessionFile, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }: CodexSession) => [
      sessionFile,
      [inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens],
    ]),
  );
}

interface CodexSession extends Omit<CcusageSession, "period" | "totalCost"> {
  sessionFile: string;
}
