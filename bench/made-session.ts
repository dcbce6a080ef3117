/** One made-up session: see `generate-sessions.ts`. */
import { MadeAgent, type Fields } from "./made-agent.ts";
import type { Random, Texts } from "./made-texts.ts";

export interface SessionCounts {
  bytes: number;
  lines: number;
  /** Number of prompts typed by people. */
  prompts: number;
  /** Number of model calls. */
  answers: number;
  toolCalls: number;
  toolErrors: number;
  toolRejections: number;
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
}

export function noCounts(): SessionCounts {
  return {
    bytes: 0,
    lines: 0,
    prompts: 0,
    answers: 0,
    toolCalls: 0,
    toolErrors: 0,
    toolRejections: 0,
    tokensIn: 0,
    tokensOut: 0,
    cacheRead: 0,
    cacheWrite: 0,
  };
}

export interface Subagent {
  id: string;
  lines: readonly string[];
}

/** Probability that an agent's step starts a subagent. */
const SUBAGENTS = 0.006;

export class MadeSession {
  readonly id: string;
  readonly subagents: Subagent[] = [];
  readonly #random: Random;
  readonly #texts: Texts;
  readonly #cwd: string;
  readonly #counts: SessionCounts;

  constructor(random: Random, texts: Texts, cwd: string, counts: SessionCounts) {
    this.id = random.uuid();
    this.#random = random;
    this.#texts = texts;
    this.#cwd = cwd;
    this.#counts = counts;
  }

  /** Yields lines, with their ends, until there are this many bytes. Adds to the counts and to `subagents`. */
  *lines(bytes: number): Generator<string> {
    const random = this.#random;
    const agent = this.#agent({ isSidechain: false, sessionId: this.id }, "claude-opus-4-6");
    const end = this.#counts.bytes + bytes;
    yield* this.#written(agent.opening());
    while (this.#counts.bytes < end) {
      yield* this.#written(agent.prompt(random.size(150, 20, 20_000)));
      this.#counts.prompts += 1;
      for (let steps = random.size(6, 5, 60); steps > 0 && this.#counts.bytes < end; steps--) {
        if (random.chance(SUBAGENTS)) yield* this.#withSubagent(agent);
        else yield* this.#written(agent.step());
      }
      yield* this.#written(agent.closing());
    }
  }

  /** A subagent's lines count as written here, although they go to a separate file. */
  *#withSubagent(agent: MadeAgent): Generator<string> {
    const id = this.#random.characters(7, "0123456789abcdef");
    const own = this.#agent({ isSidechain: true, agentId: id, sessionId: this.id }, "claude-haiku-4-5-20251001");
    const lines = [...this.#written(own.prompt(600))];
    for (let steps = 2 + this.#random.below(6); steps > 0; steps--) lines.push(...this.#written(own.step()));
    lines.push(...this.#written(own.lastWords()));
    this.subagents.push({ id, lines });
    yield* this.#written(agent.delegation(id));
  }

  #agent(marks: Fields, model: string): MadeAgent {
    return new MadeAgent({
      random: this.#random,
      texts: this.#texts,
      counts: this.#counts,
      cwd: this.#cwd,
      marks,
      model,
    });
  }

  *#written(records: Iterable<Fields>): Generator<string> {
    for (const record of records) {
      const line = `${JSON.stringify(record)}\n`;
      this.#counts.lines += 1;
      this.#counts.bytes += Buffer.byteLength(line);
      yield line;
    }
  }
}
