/** A session as a stream of entries: one for each text, thought, call and result, in the order of the file. */
import { createHash } from "node:crypto";
import type { SourceUnit } from "../../parse/draft.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../../parse/model.ts";
import { isPrompt } from "../../parse/prompts.ts";
import { claudeCode } from "../../parse/sources/claude-code.ts";
import { detectSource } from "../../parse/sources/index.ts";
import { hitRole, type HitRole } from "../../scan/find-hit.ts";
import { begin } from "../../scan/find-input.ts";
import { LineMessages, sourceOptions, type LineMessage } from "../../scan/find-units.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { outputReader } from "../../sessions/output-reader.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";

export interface Entry {
  message: TranscriptMessage;
  block: ParsedContentBlock;
  /** From 1: how often a person has spoken until here. 0 before that. */
  turn: number;
  role: HitRole;
  /** Of a call and of a result, where the call came before it. */
  tool: string | null;
  /** The same for the same entry of its unit whenever it is read, be the unit complete or not. */
  key: string;
}

/** What is read in one piece: a line, an entry of a markdown transcript, a message of an export. */
export interface Unit {
  /** Names it within its session. */
  id: string;
  line: number;
  lastLine: number;
  entries: Entry[];
  /** It cannot change any more: its file is only appended to. */
  isFixed: boolean;
  /** The input ended within it. */
  isTorn: boolean;
}

/** The units of a session that say something. `agentProgress`: see `needsAgentProgress`. Throws a `SessionError`. */
export async function* unitsOf(
  ref: SessionRef,
  { agentProgress = false, signal }: { agentProgress?: boolean; signal?: AbortSignal } = {},
): AsyncGenerator<Unit> {
  const { head, chunks } = await begin(openReadable(ref));
  const source = detectSource(head) ?? claudeCode;
  const readOutput = outputReader(ref);
  const options = { ...sourceOptions({ agentProgress, ...(readOutput ? { readOutput } : {}) }), windowLines: 0 };
  const lines = new LineMessages(source.repeats ?? false);
  const session = new SessionWalk(ref, source.name !== "opencode-export");
  for await (const units of source.read(chunks, options)) {
    signal?.throwIfAborted();
    for (const unit of units) {
      const made = session.unit(unit, lines.of(unit));
      if (made) yield made;
    }
  }
}

class SessionWalk {
  readonly #isFixed: boolean;
  /** In the file of a subagent, its master's words begin the turns. */
  readonly #isSubagent: boolean;
  readonly #tools = new Map<string, string>();
  #turn = 0;
  #line = 0;
  #onLine = 0;

  constructor(ref: SessionRef, isFixed: boolean) {
    this.#isFixed = isFixed;
    this.#isSubagent = ref.agentId !== null;
  }

  unit(unit: SourceUnit, messages: readonly LineMessage[]): Unit | undefined {
    const [first] = messages;
    if (first === undefined) return undefined;
    const counts = new Map<string, number>();
    const entries = messages.flatMap((each) => this.#entries(each, counts));
    if (entries.length === 0) return undefined;
    return {
      id: this.#isFixed ? this.#place(unit.line) : (first.message.source_id ?? this.#place(unit.line)),
      line: unit.line,
      lastLine: unit.line + Math.max(unit.lines, 1) - 1,
      entries,
      isFixed: this.#isFixed,
      isTorn: unit.problems.some(({ code }) => code === "torn_line"),
    };
  }

  #entries({ message, blocks }: LineMessage, counts: Map<string, number>): Entry[] {
    if (isPrompt(message) && (this.#isSubagent || !message.is_sidechain)) this.#turn += 1;
    return blocks.map((block) => {
      const id = block.tool_use_id ?? block.tool_result_id;
      const kind = `${block.block_type} ${id ?? ""}`;
      const count = counts.get(kind) ?? 0;
      counts.set(kind, count + 1);
      return {
        message,
        block,
        turn: this.#turn,
        role: hitRole(message, block),
        tool: this.#toolOf(block, id),
        key: `${kind} ${count}`,
      };
    });
  }

  /** The line, and which of the units on it this is where several stand on one. */
  #place(line: number): string {
    this.#onLine = line === this.#line ? this.#onLine + 1 : 0;
    this.#line = line;
    return this.#onLine === 0 ? String(line) : `${line}.${this.#onLine}`;
  }

  #toolOf({ block_type, tool_name }: ParsedContentBlock, id: string | null): string | null {
    if (id === null) return tool_name;
    if (block_type === "tool_use" && tool_name !== null) this.#tools.set(id, tool_name);
    return tool_name ?? this.#tools.get(id) ?? null;
  }
}

/** Tells whether a unit that cannot change is still the one that it was: some characters of base64url. */
export function unitDigest({ id, entries }: Unit): string {
  return shortHash(
    entries
      .map(({ key, block }) =>
        [key, block.content_text, block.thinking_text, block.result_text, JSON.stringify(block.tool_input)].join("\0"),
      )
      .concat(id)
      .join("\0"),
    6,
  );
}

export function shortHash(text: string, chars: number): string {
  return createHash("sha256").update(text.toWellFormed()).digest("base64url").slice(0, chars);
}
