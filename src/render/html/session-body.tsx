/** Renders a session's conversation, entry by entry, with those of its subagents. */
import type { ComponentChildren, JSX } from "preact";
import type { ParsedContentBlock, TranscriptStats } from "../../parse/model.ts";
import { type MessageView, speakerOf, type Turn } from "../../parse/turns.ts";
import { blockView } from "./block-view.tsx";
import { entryClass, eventName, remarks, stamp } from "./entry-view.tsx";
import { oneLine } from "../../neutral-text.ts";
import { outlineOf, type PageSession } from "./outline.ts";
import { damageList } from "./overview.tsx";
import type { PageWriter } from "./page-writer.ts";
import { counted, dollars, duration } from "../../quantities.ts";
import { turnList, type TurnRow } from "./turn-list.tsx";
import { Anchors, type View } from "./view.ts";

/** Writes the list of turns, and the conversation in turns. */
export async function writeSession(
  writer: PageWriter,
  { turns, ...view }: Omit<View, "anchors"> & { turns: readonly TurnRow[] },
): Promise<void> {
  if (turns.length > 1) await writer.add(turnList(turns, view.clock));
  await writer.addTag('<div class="conversation" id="conversation" tabindex="-1">');
  await writeConversation(writer, { ...view, anchors: new Anchors() }, true);
  await writer.addTag("</div>");
}

/** Writes all entries: those of the page's session in turns, those of a subagent as a list. */
async function writeConversation(writer: PageWriter, view: View, inTurns: boolean): Promise<void> {
  const body = new SessionBody(writer, view, inTurns);
  for (const turn of view.outline.turns) await body.addTurn(turn);
  await body.addOtherChildren();
}

/** Returns whether a message has only withheld thinking. */
function isUnsaid({ blocks }: MessageView): boolean {
  return blocks.length > 0 && blocks.every(isWithheld);
}

function isWithheld({ block_type: type, thinking_text: text }: ParsedContentBlock): boolean {
  return type === "redacted_thinking" || (type === "thinking" && (text ?? "") === "");
}

class SessionBody {
  readonly #writer: PageWriter;
  readonly #view: View;
  readonly #inTurns: boolean;
  #inSidechain = false;
  #speaker = "";
  #model: string | null = null;

  constructor(writer: PageWriter, view: View, inTurns: boolean) {
    this.#writer = writer;
    this.#view = view;
    this.#inTurns = inTurns;
  }

  async addTurn(turn: Turn): Promise<void> {
    const { emptied, isSubagent } = this.#view.outline;
    const shown = turn.messages.filter((entry) => !emptied.has(entry.message.ordinal) && !isUnsaid(entry));
    if (shown.length === 0) return;
    if (this.#inTurns) await this.#beginTurn(turn);
    for (const entry of shown) {
      await this.#enterSidechain(entry.message.is_sidechain && !isSubagent, entry);
      await this.#addEntry(entry);
    }
    await this.#enterSidechain(false);
    if (this.#inTurns) await this.#writer.addTag("</section>");
  }

  async addOtherChildren(): Promise<void> {
    const { session, outline } = this.#view;
    for (const child of outline.otherChildren) await this.#addChild(child, session.children.indexOf(child));
  }

  async #beginTurn({ number, prompt }: Turn): Promise<void> {
    this.#speaker = "";
    if (prompt === undefined) {
      const name = number === 0 ? "Before the first prompt" : `Turn ${number}, continued`;
      await this.#writer.addTag(`<section class="turn" aria-label="${name}">`);
      if (number > 0) await this.#writer.add(<h2>{name}</h2>);
      return;
    }
    const { timestamp } = prompt.message;
    const date = timestamp === null ? undefined : this.#view.clock.dateAndTime(timestamp);
    await this.#writer.addTag(`<section class="turn" aria-labelledby="turn-${number}">`);
    const when = date === undefined ? null : <span class="quiet">{date}</span>;
    await this.#writer.add(
      <h2 id={`turn-${number}`}>
        {`Turn ${number}`}
        {when}
      </h2>,
    );
  }

  /** Opens or closes the section for messages of a subagent in the file of the session that started it. */
  async #enterSidechain(isSidechain: boolean, first?: MessageView): Promise<void> {
    if (isSidechain === this.#inSidechain) return;
    this.#inSidechain = isSidechain;
    this.#speaker = "";
    if (!isSidechain) return this.#writer.addTag("</div></details>");
    await this.#writer.addTag('<details class="subagent">');
    const title = first?.blocks.find((block) => block.content_text !== null)?.content_text ?? "";
    await this.#writer.add(subagentSummary(title));
    await this.#writer.addTag('<div class="nested">');
  }

  async #addEntry({ message, blocks }: MessageView): Promise<void> {
    const { anchors, clock, outline } = this.#view;
    const speaker = speakerOf(message, this.#inSidechain || !this.#inTurns || outline.isSubagent);
    const name = entryClass(speaker, message, blocks, speaker === this.#speaker && speaker !== "User");
    this.#speaker = speaker;
    const id = anchors.claimMessage(message);
    await this.#writer.addTag(id === undefined ? `<article class="${name}">` : `<article class="${name}" id="${id}">`);
    const model = this.#newModel(message.model);
    await this.#writer.add(stamp(message, { speaker, anchor: anchors.message(message), clock, model }));
    await this.#writer.addTag('<div class="content">');
    const event = eventName(message);
    if (event !== null) await this.#writer.add(event);
    for (const block of blocks) {
      const shown = await blockView(this.#view, message, block);
      if (shown !== null) await this.#writer.add(shown);
      for (const child of outline.calls.get(block.id)?.children ?? []) {
        await this.#addChild(child, this.#view.session.children.indexOf(child));
      }
    }
    await this.#writer.add(...remarks(message, blocks.length));
    await this.#writer.addTag("</div></article>");
  }

  /** Returns the model's name if it differs from that of the previous answer; never in a session with one model. */
  #newModel(model: string | null): string | null {
    if (model === null || model === this.#model || Object.keys(this.#view.session.stats.models).length < 2) return null;
    this.#model = model;
    return model;
  }

  async #addChild(session: PageSession, index: number): Promise<void> {
    const title = session.metadata.title ?? session.stats.initial_prompt ?? "";
    if (session.href !== undefined) return this.#writer.add(childLink(session.href, title, session.stats));
    const { anchors, clock } = this.#view;
    const outline = outlineOf(session);
    await this.#writer.addTag('<details class="subagent">');
    await this.#writer.add(subagentSummary(title, <span class="ending">{figures(session.stats)}</span>));
    await this.#writer.addTag(`<div class="nested" id="${anchors.session(index)}">`);
    const damage = damageList(session.errors);
    if (damage !== null) await this.#writer.add(damage);
    await writeConversation(this.#writer, { session, outline, clock, anchors: anchors.within(index) }, false);
    await this.#writer.addTag("</div></details>");
  }
}

const MAX_TITLE_CHARS = 160;

/** Renders the visible line of a collapsed subagent session. `title`: its title or prompt; may be empty. */
function subagentSummary(title: string, ending: ComponentChildren = null) {
  return (
    <summary>
      <span class="tool">Subagent</span>
      <span class="target">{oneLine(title, MAX_TITLE_CHARS)}</span>
      {ending}
    </summary>
  );
}

/** Renders the session of a subagent that has a page of its own. */
function childLink(href: string, title: string, stats: TranscriptStats): JSX.Element {
  return (
    <a class="subagent link" href={href}>
      <span class="tool">Subagent</span>
      <span class="target">{oneLine(title, MAX_TITLE_CHARS)}</span>
      <span class="ending">{figures(stats)}</span>
    </a>
  );
}

function figures(stats: TranscriptStats): string {
  const parts = [counted(stats.total_messages, "message"), counted(stats.tool_use_count, "call")];
  if (stats.tool_error_count > 0) parts.push(`${stats.tool_error_count} failed`);
  if (stats.duration_ms > 0) parts.push(duration(stats.duration_ms));
  if (stats.cost_estimate_usd !== null)
    parts.push((stats.cost_is_estimate ? "~" : "") + dollars(stats.cost_estimate_usd));
  return parts.join(", ");
}
