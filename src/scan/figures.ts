/**
 * The figures of a session that says nothing twice: those of the parser, without rows for blocks, which are most of
 * its work.
 */
import { Assembler } from "../parse/assembler.ts";
import type { SourceUnit } from "../parse/draft.ts";
import type { Fields } from "../parse/json-fields.ts";
import type { Pricing } from "../parse/pricing.ts";
import { Answers } from "./answers.ts";
import { BlockFigures } from "./block-figures.ts";
import { PlainLines } from "./plain-lines.ts";
import { type SessionScan, usageRecords } from "./session-scan.ts";

export class Figures {
  readonly #assembler: Assembler;
  readonly #answers = new Answers();
  readonly #blocks = new BlockFigures();
  readonly #plain = new PlainLines(this.#blocks, this.#answers);
  /** The last record that was read whole and says something of its session. */
  #like: Fields | undefined;
  #errors = 0;
  #ids = 0;

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

  get hasRepeats(): boolean {
    return this.#blocks.hasRepeats;
  }

  /** Whether a plain line holds a subagent's message, which is in no figure. */
  get hasAgentProgress(): boolean {
    return this.#plain.hasAgentProgress;
  }

  /** Whether the record is one of those that need no unit, and so was added. */
  addPlain(record: Fields): boolean {
    return this.#plain.add(record, this.#like);
  }

  /** Takes the unit's messages over. `record` is what it was made of, if that is all of its line. */
  add(unit: SourceUnit, record?: Fields): void {
    for (const message of unit.messages) {
      for (const block of message.blocks) this.#blocks.add(block, message);
      message.blocks = message.userKind === "human" ? message.blocks.filter(({ type }) => type === "text") : [];
      if (message.type === "assistant") this.#answers.add(message);
    }
    this.#assembler.add({ ...unit, messages: unit.messages.filter(({ type }) => type !== "assistant") });
    // A title says nothing of the rest.
    if (unit.session && unit.session.title === undefined && record) this.#like = record;
  }

  /** Each record must be named, but for those that were added as plain. */
  addLine(uuid: string | undefined): void {
    this.#blocks.addLine(uuid);
  }

  /** Undefined if only the whole parse can tell. */
  scan(): SessionScan | undefined {
    const blocks = this.#blocks.stats();
    if (!blocks) return undefined;
    const answers = this.#answers.unit();
    this.#assembler.add(answers);
    for (const timestamp of this.#plain.times()) this.#assembler.add({ ...answers, messages: [], timestamp });
    const messages = this.#assembler.take(true).map(({ message }) => message);
    const { metadata, lines } = this.#assembler;
    const stats = { ...this.#assembler.stats, ...blocks };
    this.#plain.addTo(stats, lines);
    return { source: "claude-code", stats, metadata, lines, error_count: this.#errors, usage: usageRecords(messages) };
  }
}
