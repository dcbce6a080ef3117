/**
 * The figures of a session that says nothing twice: those of the parser, without rows for blocks, which are most of
 * its work.
 */
import { Assembler } from "../parse/assembler.ts";
import type { BlockDraft, MessageDraft, SourceUnit } from "../parse/draft.ts";
import type { Fields } from "../parse/json-fields.ts";
import type { SourceName } from "../parse/model.ts";
import type { Pricing } from "../parse/pricing.ts";
import { CallFigures } from "./call-figures.ts";
import { PlainLines } from "./plain-lines.ts";
import { type SessionScan, usageRecords } from "./session-scan.ts";

export class Figures {
  readonly #assembler: Assembler;
  readonly #calls = new CallFigures();
  readonly #plain = new PlainLines(this.#calls);
  readonly #thinking = { thinking_blocks: 0, withheld_thinking_blocks: 0 };
  /** Names of records, calls, results and pieces of answers. */
  readonly #said = new Set<string>();
  /** The last record that was not plain. */
  #like: Fields | undefined;
  #errors = 0;
  #ids = 0;
  /** Something came again. Whether it is a repeat, which does not count, only the whole parse can tell. */
  hasRepeats = false;

  constructor(pricing: Pricing) {
    this.#assembler = new Assembler({
      sessionId: "",
      maxInlineContentBytes: Number.POSITIVE_INFINITY,
      generateId: () => String((this.#ids += 1)),
      pricing,
      repeats: false,
      windowUnits: Number.POSITIVE_INFINITY,
      countRedactions: false,
      onProblem: () => {
        this.#errors += 1;
      },
    });
  }

  /** Whether the record is one of those that need no unit, and so was added. */
  addPlain(record: Fields): boolean {
    return this.#plain.add(record, this.#like, this.#noteName);
  }

  /** Takes the blocks of the unit's messages away. `record` is what it was made of, if that is all of its line. */
  add(unit: SourceUnit, record?: Fields): void {
    for (const message of unit.messages) {
      for (const block of message.blocks) this.#addBlock(block, message);
      message.blocks = message.userKind === "human" ? message.blocks.filter(({ type }) => type === "text") : [];
    }
    this.#assembler.add(unit);
    if (unit.session !== undefined && record !== undefined) this.#like = record;
  }

  /** A record's own name. */
  note(uuid: string | undefined): void {
    if (uuid !== undefined) this.#noteName(uuid);
  }

  /** Undefined if only the whole parse can tell. */
  scan(source: SourceName): SessionScan | undefined {
    const calls = this.#calls.ended();
    if (this.hasRepeats || !calls) return undefined;
    for (const timestamp of this.#plain.times()) this.#assembler.add({ ...NOTHING, timestamp });
    const messages = this.#assembler.take(true).map(({ message }) => message);
    const { metadata, lines } = this.#assembler;
    const stats = { ...this.#assembler.stats, ...calls, ...this.#thinking };
    this.#plain.addTo(stats, lines);
    return { source, stats, metadata, lines, error_count: this.#errors, usage: usageRecords(messages) };
  }

  #addBlock({ type, toolUseId, toolName = "", status, metadata }: BlockDraft, message: MessageDraft): void {
    const name = toolUseId ?? message.sourceId;
    // What repeats of it would be known by: see `Source.repeats`.
    if (name !== undefined) this.#noteName(`${type} ${name}`);
    if (type === "tool_use") this.#calls.begin(toolUseId, toolName, message.uuid);
    else if (type === "tool_result") {
      this.#calls.end(toolUseId, status ?? "completed", message.metadata?.source_tool_assistant_uuid);
    } else if (type === "thinking" || type === "redacted_thinking") {
      this.#thinking.thinking_blocks += 1;
      if (metadata?.withheld === true) this.#thinking.withheld_thinking_blocks += 1;
    }
  }

  readonly #noteName = (name: string): void => {
    const before = this.#said.size;
    this.#said.add(name);
    if (this.#said.size === before) this.hasRepeats = true;
  };
}

/** No line at all: only its time is put in. */
const NOTHING = { line: 0, offset: 0, lines: 0, outcome: { as: "used" }, messages: [], problems: [] } as const;
