/** A session's conversation, entry by entry, with those of its subagents in their places. */
import { h } from "preact";
import type { ParsedContentBlock } from "../parse/model.ts";
import { blockView } from "./block-view.ts";
import { Stamp, entryClass, eventName, remarks, speakerOf } from "./entry-view.ts";
import { beginsTurn, outlineOf } from "./outline.ts";
import { Damage } from "./overview.ts";
import type { PageEntry, PageSession } from "./page-session.ts";
import type { PageWriter } from "./page-writer.ts";
import { SubagentSummary } from "./subagent-summary.ts";
import type { View } from "./view.ts";

/** Writes all entries: those of the page's own session in turns, those of a subagent one after the other. */
export async function writeConversation(writer: PageWriter, view: View, inTurns: boolean): Promise<void> {
  const body = new SessionBody(writer, view, inTurns);
  for await (const entry of view.session.messages) await body.add(entry);
  await body.end();
}

/** Nothing but thinking that the provider keeps to itself. */
function isUnsaid({ blocks }: PageEntry): boolean {
  return blocks.length > 0 && blocks.every(isWithheld);
}

function isWithheld({ block_type: type, thinking_text: text }: ParsedContentBlock): boolean {
  return type === "redacted_thinking" || (type === "thinking" && (text ?? "") === "");
}

class SessionBody {
  readonly #writer: PageWriter;
  readonly #view: View;
  readonly #inTurns: boolean;
  #turn = 0;
  #isOpen = false;
  #inSidechain = false;
  #speaker = "";
  #model: string | null = null;

  constructor(writer: PageWriter, view: View, inTurns: boolean) {
    this.#writer = writer;
    this.#view = view;
    this.#inTurns = inTurns;
  }

  async add(entry: PageEntry): Promise<void> {
    const { outline } = this.#view;
    if (outline.emptied.has(entry.message.ordinal) || isUnsaid(entry)) return;
    const begins = beginsTurn(entry, outline.isSubagent);
    await this.#enterSidechain(entry.message.is_sidechain && !outline.isSubagent, entry);
    if (this.#inTurns && !this.#inSidechain && (begins || !this.#isOpen)) await this.#beginTurn(begins);
    await this.#addEntry(entry);
  }

  async end(): Promise<void> {
    await this.#enterSidechain(false);
    if (this.#isOpen) await this.#writer.addTag("</section>");
    const { session, outline } = this.#view;
    for (const child of outline.otherChildren) await this.#addChild(child, session.children.indexOf(child));
  }

  async #beginTurn(begins: boolean): Promise<void> {
    if (this.#isOpen) await this.#writer.addTag("</section>");
    this.#isOpen = true;
    this.#speaker = "";
    const turn = begins ? this.#view.outline.turns[this.#turn] : undefined;
    if (turn === undefined) {
      await this.#writer.addTag('<section class="turn" aria-label="Before the first prompt">');
      return;
    }
    this.#turn += 1;
    const { number, timestamp } = turn;
    const { clock } = this.#view;
    const date = timestamp === null ? undefined : clock.dateAndTime(timestamp);
    await this.#writer.addTag(`<section class="turn" aria-labelledby="turn-${number}">`);
    await this.#writer.add(
      h(
        "h2",
        { id: `turn-${number}` },
        `Turn ${number}`,
        date === undefined ? null : h("span", { class: "quiet" }, date),
      ),
    );
  }

  /** Messages of a subagent that stand in the file of the session that started it. */
  async #enterSidechain(isSidechain: boolean, first?: PageEntry): Promise<void> {
    if (isSidechain === this.#inSidechain) return;
    this.#inSidechain = isSidechain;
    this.#speaker = "";
    if (!isSidechain) return this.#writer.addTag("</div></details>");
    await this.#writer.addTag('<details class="subagent">');
    const title = first?.blocks.find((block) => block.content_text !== null)?.content_text ?? "";
    await this.#writer.add(h(SubagentSummary, { title, stats: null }));
    await this.#writer.addTag('<div class="nested">');
  }

  async #addEntry({ message, blocks, amends }: PageEntry): Promise<void> {
    const { anchors, clock, outline } = this.#view;
    const speaker = speakerOf(message, this.#inSidechain || !this.#inTurns || outline.isSubagent);
    const name = entryClass(speaker, message, blocks, speaker === this.#speaker && speaker !== "User");
    this.#speaker = speaker;
    const id = anchors.claimMessage(message);
    await this.#writer.addTag(id === undefined ? `<article class="${name}">` : `<article class="${name}" id="${id}">`);
    await this.#writer.add(
      h(Stamp, { speaker, message, anchor: anchors.message(message), clock, model: this.#newModel(message.model) }),
    );
    await this.#writer.addTag('<div class="content">');
    const event = amends === true ? null : eventName(message);
    if (event !== null) await this.#writer.add(event);
    for (const block of blocks) {
      const shown = await blockView(this.#view, message, block);
      if (shown !== null) await this.#writer.add(shown);
      for (const child of outline.calls.get(block.id)?.children ?? []) {
        await this.#addChild(child, this.#view.session.children.indexOf(child));
      }
    }
    if (amends !== true) await this.#writer.add(...remarks(message, blocks.length));
    await this.#writer.addTag("</div></article>");
  }

  /** The model's name when it is another than that of the answer before; in a session with one model it goes without saying. */
  #newModel(model: string | null): string | null {
    if (model === null || model === this.#model || Object.keys(this.#view.session.stats.models).length < 2) return null;
    this.#model = model;
    return model;
  }

  async #addChild(session: PageSession, index: number): Promise<void> {
    const { anchors, clock } = this.#view;
    const outline = await outlineOf(session);
    const title = session.title ?? session.stats.initial_prompt ?? "";
    await this.#writer.addTag('<details class="subagent">');
    await this.#writer.add(h(SubagentSummary, { title, stats: session.stats }));
    await this.#writer.addTag(`<div class="nested" id="${anchors.session(index)}">`);
    if (session.errors.length > 0) await this.#writer.add(h(Damage, { errors: session.errors }));
    await writeConversation(this.#writer, { session, outline, clock, anchors: anchors.within(index) }, false);
    await this.#writer.addTag("</div></details>");
  }
}
