/** Reads a session as a stream of entries: one per text, thought, call and result, in file order. */
import type { InputUnit } from "../parse/message-draft.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import { beginsTurn } from "../parse/turns.ts";
import { hitRole, type HitRole } from "../parse/searched-texts.ts";
import type { LineMessage } from "../parse/line-messages.ts";
import type { ReadingOptions } from "../sessions/reading-options.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { readSessionLines } from "./read-session.ts";

export interface Entry {
  message: TranscriptMessage;
  block: ParsedContentBlock;
  /** Number of prompts up to here, 0 before the first. */
  turn: number;
  role: HitRole;
  /** Tool of a call, or of a result whose call came before it. */
  tool: string | null;
  /** Identifies the entry within its unit, whether or not the unit is complete yet. */
  key: string;
}

/** A unit read at once: a line, an entry of a markdown transcript, or a message of an export. */
export interface Unit {
  /** Unique within its session. */
  id: string;
  line: number;
  lastLine: number;
  entries: Entry[];
  /** The unit cannot change any more, because its file is only appended to. */
  isFixed: boolean;
  /** The input ended within it. */
  isTorn: boolean;
}

/** Yields the units of a session in which something was said or done. Throws a `TranscriptsError`. */
export async function* unitsOf(ref: SessionRef, { signal, ...reading }: ReadingOptions = {}): AsyncGenerator<Unit> {
  const { format, lines } = await readSessionLines(ref, reading);
  const session = new SessionWalk(ref, format.lines !== "none");
  for await (const { unit, messages } of lines) {
    signal?.throwIfAborted();
    const made = session.unit(unit, messages);
    if (made) yield made;
  }
}

class SessionWalk {
  readonly #isFixed: boolean;
  /** In a subagent's file, the prompts of its parent begin the turns. */
  readonly #isSubagent: boolean;
  readonly #tools = new Map<string, string>();
  #turn = 0;
  #line = 0;
  #onLine = 0;

  constructor(ref: SessionRef, isFixed: boolean) {
    this.#isFixed = isFixed;
    this.#isSubagent = ref.agentId !== null;
  }

  unit(unit: InputUnit, messages: readonly LineMessage[]): Unit | undefined {
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
    if (beginsTurn(message, this.#isSubagent)) this.#turn += 1;
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

  /** Returns the line, with a counter if several units are on it. */
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
