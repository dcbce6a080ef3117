/** Made-up Claude Code sessions with all that makes real ones hard: see the census of session files. */
import fc from "fast-check";

type Fields = Record<string, unknown>;

interface Step {
  kind: (typeof KINDS)[number];
  text: string;
  /** Chooses among what the kind offers. */
  choice: number;
  pieces: readonly number[];
  /** Lines by which the step is written too late. */
  delay: number;
}

const KINDS = [
  "prompt",
  "answer",
  "answer",
  "answer",
  "result",
  "result",
  "result",
  "meta",
  "skipped",
  "summary",
  "system",
  "queued",
  "unknown",
  "without uuid",
] as const;
const TOOLS = ["Bash", "Read", "Edit", "Task", "mcp__x__y", "__proto__", "constructor"];
const MODELS = ["claude-sonnet-4-5-20250929", "claude-opus-4-6", "<synthetic>", "no-such-model", "__proto__"];
const SKIPPED = ["progress", "file-history-snapshot", "queue-operation", "last-prompt", "ai-title", "mode"];
const STOPS = [null, null, "tool_use", "end_turn"];

/** Texts that a line reader could stumble over. */
const oddText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "",
    "\u2028\u2029\u0085",
    '{"type":"user","uuid":"inner","message":{"content":"x"}}',
    "}{",
    '\\"',
    "\\",
    "\ufffd",
    "\ufeff",
    "\ud83d\ude00",
    "\ud83d",
    "\0",
    "\r\n",
    "<tool_use_error>no</tool_use_error>",
    "[Request interrupted by user]",
    "x".repeat(300),
  ),
);

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  text: oddText,
  choice: fc.nat(1_000),
  pieces: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 5 }),
  delay: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
});

/** The lines of a session, each without its end. */
export const sessionLines = (maxSteps = 25): fc.Arbitrary<string[]> =>
  fc.array(step, { maxLength: maxSteps }).map((steps) => new SessionScribe().write(steps));

const pick = <T>(from: readonly T[], choice: number): T | undefined => from[choice % from.length];

/** Writes lines in an order of its own: those of a step with a delay come between those of the steps after it. */
class SessionScribe {
  readonly #placed: { at: number; text: string }[] = [];
  readonly #calls: string[] = [];
  #lines = 0;
  #answers = 0;

  write(steps: readonly Step[]): string[] {
    for (const each of steps) this.#writeStep(each);
    return this.#placed.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
  }

  #writeStep(step: Step): void {
    const { kind, text, choice } = step;
    if (kind === "answer") this.#answer(step);
    else if (kind === "result") this.#result(step);
    else if (kind === "prompt") this.#user(step, { content: choice % 2 === 0 ? text : [{ type: "text", text }] });
    else if (kind === "meta") this.#user(step, { content: text }, { isMeta: true });
    else if (kind === "without uuid") this.#user(step, { content: text }, { uuid: undefined });
    else this.#put(step, this.#other(step));
  }

  #other({ kind, text, choice }: Step): Fields {
    if (kind === "summary") return { type: "summary", summary: text, leafUuid: `leaf-${choice}` };
    if (kind === "system")
      return this.#common("system", { subtype: "turn_duration", durationMs: choice, content: text });
    if (kind === "unknown") return this.#common(pick(["zzz", "__proto__", "toString"], choice) ?? "", { text });
    if (kind === "queued") return this.#common("attachment", { attachment: { type: "queued_command", prompt: text } });
    return { type: pick(SKIPPED, choice), aiTitle: text, sessionId: "S" };
  }

  /** An answer of several lines, each with a block and all of the usage so far. */
  #answer(step: Step): void {
    this.#answers += 1;
    const id = `msg_${this.#answers}`;
    const side = step.choice % 5 === 0 ? { isSidechain: true, agentId: `a${step.choice % 3}` } : {};
    let output = 1;
    for (const [at, piece] of step.pieces.entries()) {
      output += piece;
      const content = piece % 11 === 0 ? this.#textContent(piece, step.text) : [this.#block(piece, step.text)];
      const usage = { input_tokens: step.choice, output_tokens: output, cache_read_input_tokens: 7 };
      const model = pick(MODELS, step.choice);
      const message = { id, role: "assistant", model, content, stop_reason: pick(STOPS, piece), usage };
      const record = this.#common("assistant", { message, requestId: `req_${step.choice}`, ...side });
      this.#put({ ...step, delay: step.delay * at }, record);
    }
  }

  #textContent(piece: number, text: string): unknown {
    return pick([text, null, [], [text], { type: "text", text }], Math.trunc(piece / 11));
  }

  #block(piece: number, text: string): Fields {
    const choice = piece % 10;
    if (choice < 4) return this.#call(piece, text);
    if (choice < 6) return { type: "text", text: `${text} ${piece}` };
    if (choice === 6) return { type: "thinking", thinking: text, signature: `s${piece}` };
    if (choice === 7) return { type: "thinking", thinking: "", signature: `s${piece}` };
    if (choice === 8) return { type: "redacted_thinking", data: `d${piece}` };
    return {
      type: pick(["illumination", "image", "__proto__"], piece),
      source: { media_type: "image/png", data: text },
    };
  }

  #call(piece: number, text: string): Fields {
    const id = `toolu_${this.#calls.length}`;
    this.#calls.push(id);
    return { type: "tool_use", id, name: pick(TOOLS, piece), input: { command: text, ["__proto__"]: piece } };
  }

  /** Of a call before, of one to come, or of none. */
  #result(step: Step): void {
    const id = pick([...this.#calls, `toolu_${this.#calls.length}`, "toolu_none"], step.choice) ?? "";
    const forms = [step.text, [{ type: "text", text: step.text }], null, { odd: step.text }, [{ type: "image" }], 7];
    const block = { type: "tool_result", tool_use_id: id, content: pick(forms, step.pieces[0] ?? 0) };
    const error = step.choice % 4 === 0 ? { is_error: true } : {};
    const kept = [{ interrupted: true }, "Error: no", undefined][step.choice % 3];
    this.#user(step, { content: [{ ...block, ...error }] }, kept === undefined ? {} : { toolUseResult: kept });
  }

  #user(step: Step, message: Fields, more: Fields = {}): void {
    this.#put(step, this.#common("user", { message: { role: "user", ...message }, ...more }));
  }

  #common(type: string, more: Fields): Fields {
    this.#lines += 1;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + ((this.#lines * 7_919) % 600) * 1_000).toISOString();
    return { type, uuid: `u-${this.#lines}`, sessionId: "S", cwd: "/w", version: "2.1.120", timestamp, ...more };
  }

  #put({ delay }: Step, record: Fields): void {
    this.#placed.push({ at: this.#placed.length + delay, text: JSON.stringify(record) });
  }
}
