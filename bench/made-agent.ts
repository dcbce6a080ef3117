/** Generates the messages and calls of an agent in a made-up session, as records of Claude Code. */
import type { SessionCounts } from "./made-session.ts";
import { madeCall, madeResult, type MadeCall } from "./made-tools.ts";
import type { Random, Texts } from "./made-texts.ts";

export type Fields = Record<string, unknown>;

interface AgentSetting {
  random: Random;
  texts: Texts;
  counts: SessionCounts;
  cwd: string;
  /** Fields of each record. */
  marks: Fields;
  model: string;
}

/** From this version on, the last line of an answer has its true usage. */
const VERSION = "2.1.80";
const START_MS = Date.UTC(2026, 0, 5, 8);
const DAY_MS = 24 * 60 * 60 * 1000;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export class MadeAgent {
  readonly #setting: AgentSetting;
  #timeMs: number;
  #parent: string | null = null;
  #context = 12_000;

  constructor(setting: AgentSetting) {
    this.#setting = setting;
    this.#timeMs = START_MS + setting.random.below(60) * DAY_MS + setting.random.below(DAY_MS / 2);
  }

  /** Yields the records before the first prompt. */
  *opening(): Generator<Fields> {
    const { random, texts, marks } = this.#setting;
    yield { type: "permission-mode", permissionMode: "default", sessionId: marks["sessionId"] };
    if (random.chance(0.2)) yield { type: "summary", summary: texts.prose(60), leafUuid: random.uuid() };
  }

  *prompt(length: number): Generator<Fields> {
    const { random, texts } = this.#setting;
    yield {
      type: "file-history-snapshot",
      messageId: random.uuid(),
      isSnapshotUpdate: false,
      snapshot: this.#snapshot(),
    };
    yield this.#record("user", { message: { role: "user", content: texts.prose(length) }, permissionMode: "default" });
  }

  /** Yields one model call with its tool calls. */
  *step(): Generator<Fields> {
    const { random, counts } = this.#setting;
    const calls = Array.from({ length: random.chance(0.12) ? 2 : 1 }, () => madeCall(random, this.#setting.texts));
    const lines = [...this.#answer(calls, "tool_use")];
    const uuids = lines.map(({ uuid }) => uuid);
    // Hooks and other calls add lines in between.
    if (random.chance(0.09)) lines.splice(1, 0, this.#progress());
    yield* lines;
    if (random.chance(0.26)) for (let left = 1 + random.below(4); left > 0; left--) yield this.#progress();
    for (const [at, call] of calls.entries()) {
      const { block, toolUseResult, ending } = madeResult(call, random, this.#setting.texts);
      counts.toolCalls += 1;
      if (ending === "error") counts.toolErrors += 1;
      if (ending === "rejected") counts.toolRejections += 1;
      const source = uuids[uuids.length - calls.length + at];
      yield this.#record("user", {
        message: { role: "user", content: [block] },
        toolUseResult,
        sourceToolAssistantUUID: source,
      });
    }
  }

  /** Yields a call that started a subagent, and its answer. */
  *delegation(agentId: string): Generator<Fields> {
    const { random, texts, counts } = this.#setting;
    const id = `toolu_01${random.characters(22, BASE64.slice(0, 62))}`;
    const prompt = texts.prose(600);
    yield* this.#answer(
      [{ id, name: "Task", input: { description: "Look around", prompt, subagent_type: "Explore" } }],
      "tool_use",
    );
    counts.toolCalls += 1;
    const content = [{ type: "text", text: texts.prose(random.size(1_500, 4, 20_000)) }];
    const toolUseResult = {
      status: "completed",
      prompt,
      agentId,
      content,
      totalDurationMs: 41_000,
      totalTokens: 20_000,
    };
    const block = { tool_use_id: id, type: "tool_result", content };
    yield this.#record("user", { message: { role: "user", content: [block] }, toolUseResult });
  }

  /** Yields the end of a turn. */
  *closing(): Generator<Fields> {
    yield* this.lastWords();
    yield this.#record("system", {
      subtype: "turn_duration",
      durationMs: this.#setting.random.below(900_000),
      isMeta: false,
    });
    if (!this.#setting.random.chance(0.3)) return;
    const content = this.#setting.texts.prose(this.#setting.random.size(300, 20, 9_000));
    yield this.#record("attachment", { attachment: { type: "task_reminder", content } });
  }

  *lastWords(): Generator<Fields> {
    yield* this.#answer([], "end_turn");
  }

  /** Yields the lines of one answer: one block each, all with the same usage except for the growing output. */
  *#answer(calls: readonly MadeCall[], stop: string): Generator<Fields> {
    const { random, texts, counts, model } = this.#setting;
    const blocks: Fields[] = [];
    if (random.chance(0.45)) blocks.push(this.#thinking());
    if (calls.length === 0 || random.chance(0.35))
      blocks.push({ type: "text", text: texts.prose(random.size(400, 5, 5_000)) });
    blocks.push(...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })));
    const tokens = {
      tokensIn: 1 + random.below(12),
      tokensOut: random.size(250, 6, 8_000),
      cacheRead: this.#context,
      cacheWrite: random.size(900, 8, 20_000),
    };
    this.#context = Math.min(this.#context + tokens.cacheWrite, 160_000);
    counts.answers += 1;
    counts.tokensIn += tokens.tokensIn;
    counts.tokensOut += tokens.tokensOut;
    counts.cacheRead += tokens.cacheRead;
    counts.cacheWrite += tokens.cacheWrite;
    const id = `msg_01${random.characters(22, BASE64.slice(0, 62))}`;
    const requestId = `req_011${random.characters(21, BASE64.slice(0, 62))}`;
    for (const [at, block] of blocks.entries()) {
      const isLast = at === blocks.length - 1;
      const usage = {
        input_tokens: tokens.tokensIn,
        cache_creation_input_tokens: tokens.cacheWrite,
        cache_read_input_tokens: tokens.cacheRead,
        cache_creation: { ephemeral_5m_input_tokens: tokens.cacheWrite, ephemeral_1h_input_tokens: 0 },
        output_tokens: isLast ? tokens.tokensOut : Math.min(tokens.tokensOut, 1 + at),
        service_tier: "standard",
      };
      const ending = { stop_reason: isLast ? stop : null, stop_sequence: null };
      yield this.#record("assistant", {
        message: { model, id, type: "message", role: "assistant", content: [block], ...ending, usage },
        requestId,
      });
    }
  }

  #thinking(): Fields {
    const { random, texts } = this.#setting;
    const isWithheld = random.chance(0.3);
    const signature = random.characters(8, BASE64) + SIGNATURE.slice(0, random.size(600, 3, SIGNATURE.length));
    return { type: "thinking", thinking: isWithheld ? "" : texts.prose(random.size(500, 4, 40_000)), signature };
  }

  #progress(): Fields {
    const { random, texts } = this.#setting;
    const output = texts.code(random.size(80, 20, 4_000));
    const data = {
      type: "bash_progress",
      output,
      fullOutput: output,
      elapsedTimeSeconds: random.below(90),
      totalLines: 3,
    };
    return this.#record("progress", {
      data,
      toolUseID: `bash-progress-${random.below(99)}`,
      parentToolUseID: "toolu_01x",
    });
  }

  #snapshot(): Fields {
    const backup = { backupFileName: this.#setting.random.uuid(), version: 1, backupTime: this.#time() };
    return {
      messageId: this.#setting.random.uuid(),
      trackedFileBackups: { "src/main.ts": backup },
      timestamp: this.#time(),
    };
  }

  #record(type: string, fields: Fields): Fields {
    const { random, cwd, marks } = this.#setting;
    const uuid = random.uuid();
    const parentUuid = this.#parent;
    this.#parent = uuid;
    this.#timeMs += random.size(1_500, 20, 600_000);
    const base = { userType: "external", cwd, ...marks, version: VERSION, gitBranch: "main", slug: "made-up-session" };
    return { parentUuid, ...base, type, ...fields, uuid, timestamp: this.#time() };
  }

  #time(): string {
    return new Date(this.#timeMs).toISOString();
  }
}

/** Signatures only need to look random. */
const SIGNATURE = Array.from({ length: 4_000 }, (_, at) => BASE64[(at * at * 7 + at * 13) % 64]).join("");
