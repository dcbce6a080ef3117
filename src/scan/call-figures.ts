/** How the calls of a session ended, where no call id is used twice. */
import type { ToolStats, ToolStatus, TranscriptStats } from "../parse/model.ts";
import { SUBAGENT_TOOLS } from "../parse/statistics.ts";

/** A call without a result yet. */
interface OpenCall {
  tool: ToolStats;
  line: string | undefined;
}

/** A result without a call yet. */
interface EarlyResult {
  status: ToolStatus;
  line: string | undefined;
}

export class CallFigures {
  readonly #tools = new Map<string, ToolStats>();
  readonly #open = new Map<string, OpenCall>();
  readonly #early = new Map<string, EarlyResult>();
  readonly #callsWithoutId: OpenCall[] = [];
  readonly #resultsWithoutId: EarlyResult[] = [];
  readonly #counts = {
    tool_use_count: 0,
    tool_error_count: 0,
    tool_rejected_count: 0,
    tool_interrupted_count: 0,
    subagent_count: 0,
  };

  /** `line` is the uuid of the line that it stands on. */
  begin(id: string | undefined, toolName: string, line: string | undefined): void {
    const tool = this.#tools.get(toolName) ?? { calls: 0, errors: 0 };
    this.#tools.set(toolName, tool);
    tool.calls += 1;
    this.#counts.tool_use_count += 1;
    if (SUBAGENT_TOOLS.has(toolName)) this.#counts.subagent_count += 1;
    const result = id === undefined ? undefined : this.#early.get(id);
    if (id === undefined) this.#callsWithoutId.push({ tool, line });
    else if (!result) this.#open.set(id, { tool, line });
    else {
      this.#early.delete(id);
      if (result.status === "error") tool.errors += 1;
    }
  }

  /** `line` is the uuid of the line that it names for its call. */
  end(id: string | undefined, status: ToolStatus, line: string | undefined): void {
    if (status === "error") this.#counts.tool_error_count += 1;
    else if (status === "rejected") this.#counts.tool_rejected_count += 1;
    else if (status === "interrupted") this.#counts.tool_interrupted_count += 1;
    const call = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined) this.#resultsWithoutId.push({ status, line });
    else if (!call) this.#early.set(id, { status, line });
    else {
      this.#open.delete(id);
      if (status === "error") call.tool.errors += 1;
    }
  }

  /** Undefined if a result names the line of a call that has none: see `correlateToolCalls`. */
  ended(): Partial<TranscriptStats> | undefined {
    const calls = [...this.#open.values(), ...this.#callsWithoutId];
    const results = [...this.#early.values(), ...this.#resultsWithoutId];
    const lines = new Set(calls.map(({ line }) => line));
    if (results.some(({ line }) => line !== undefined && lines.has(line))) return undefined;
    const unnamed = this.#tools.get("");
    if (unnamed) unnamed.errors += results.filter(({ status }) => status === "error").length;
    return { ...this.#counts, tool_pending_count: calls.length, tools: Object.fromEntries(this.#tools) };
  }
}
