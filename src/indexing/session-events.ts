/** Units of a source into events of the store, not redacted yet. The same blocks that a scan looks through. */
import type { SourceUnit } from "../parse/draft.ts";
import { fingerprint, SeenSet } from "../parse/fingerprint.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import { CallBook, callOf } from "../scan/find-calls.ts";
import { hitRole } from "../scan/find-hit.ts";
import { isOwnRecall } from "../scan/find-own-output.ts";
import { searchedTexts, type SearchedBlock } from "../scan/find-text.ts";
import { LineMessages } from "../scan/find-units.ts";
import { storableTime } from "../store/storable.ts";
import type { StoredEvent } from "../store/model.ts";
import { eventId, idKey } from "./event-id.ts";
import type { OpenText } from "./open-texts.ts";
import { SessionFacts } from "./session-facts.ts";

/** An event whose content was not redacted yet. */
export interface RawEvent {
  /** Without content. Tool names and ids are raw. */
  event: StoredEvent;
  block: SearchedBlock;
  /** Characters of its texts. */
  size: number;
}

/** An event of a text alone, with another text. */
export function withText({ event }: Pick<RawEvent, "event">, text: string): RawEvent {
  const { block_type } = event;
  const none = { thinking_text: null, result_text: null, tool_name: null, tool_input: null, metadata: {} };
  return { event, size: text.length, block: { block_type, content_text: text, ...none } };
}

/** A result whose call was not met yet. */
export interface OpenResult {
  event_id: string;
  /** See `idKey`. */
  key: string;
  line: number;
  /** The tool that it names itself. */
  tool: string | null;
}

/** What is known of a result since its call was met. */
export interface LateName {
  event_id: string;
  tool_name: string | null;
  is_own: boolean;
}

/** What must be known of the lines before to go on with the next one. */
export interface Progress {
  /** Records and blocks that were met: files repeat them. */
  records: SeenSet;
  said: SeenSet;
  calls: CallBook;
  open: OpenResult[];
  /** How often each name of an event was given, by `idKey`. Of sources whose events have names. */
  names: Map<string, number>;
  /** Of transcripts of ours: see `OpenTexts`. */
  texts: Map<string, OpenText>;
  events: number;
  facts: SessionFacts;
}

export function noProgress(): Progress {
  return {
    records: new SeenSet(),
    said: new SeenSet(),
    calls: new CallBook(),
    open: [],
    names: new Map(),
    texts: new Map(),
    events: 0,
    facts: new SessionFacts(),
  };
}

export interface EventsOptions {
  sessionId: string;
  /** The source repeats itself: see `Source.repeats`. */
  repeats: boolean;
  /**
   * What events are known by. `place`: the byte where the line begins, in files that are only appended to. `name`: the
   * host's id of the message or part, where all else moves: in opencode's store, and in transcripts, which have the same
   * ids in either format.
   */
  idsBy: "place" | "name";
}

export class SessionEvents {
  readonly progress: Progress;
  readonly #options: EventsOptions;
  readonly #lines: LineMessages;
  #ready: RawEvent[] = [];
  #late: LateName[] = [];
  /** Characters of the texts of the events that are ready. */
  size = 0;
  /** Results of the line that is being read. */
  #lineResults: RawEvent[] = [];
  #line = 0;
  #offset = -1;
  #onLine = 0;

  constructor(options: EventsOptions, progress: Progress) {
    this.#options = options;
    this.progress = progress;
    this.#lines = new LineMessages(options.repeats, Number.POSITIVE_INFINITY, progress.said);
  }

  add(unit: SourceUnit): void {
    if (unit.line > this.#line) this.#endLine();
    this.#line = unit.line;
    this.progress.facts.add(unit);
    for (const { message, blocks } of this.#lines.of(unit)) {
      this.progress.facts.addMessage(message, blocks);
      for (const block of blocks) this.#addBlock(message, block);
    }
  }

  /** What the last run found out about results without a call, in a line that is read again, holds no more. */
  reopen(): void {
    for (const { event_id, tool } of this.progress.open)
      this.#late.push({ event_id, tool_name: tool, is_own: isOwnRecall(tool, null) });
  }

  get count(): number {
    return this.#ready.length;
  }

  /** What is ready since the last time. Only at the end of a line. */
  take(): { events: RawEvent[]; late: LateName[] } {
    this.#endLine();
    const taken = { events: this.#ready, late: this.#late };
    this.#ready = [];
    this.#late = [];
    this.size = 0;
    return taken;
  }

  #addBlock(message: TranscriptMessage, block: ParsedContentBlock): void {
    const made = callOf(block);
    const { id = null } = made ?? {};
    const call = made && this.progress.calls.add({ ...made, id: id === null ? null : idKey(id) });
    const texts = searchedTexts(block);
    const raw: RawEvent = {
      block,
      size: texts.reduce((sum, text) => sum + text.length, 0),
      event: {
        event_id: this.#idOf(message, block, texts),
        session_id: this.#options.sessionId,
        ordinal: this.progress.events,
        line_number: message.line_number,
        byte_offset: message.byte_offset,
        occurred_at: storableTime(message.timestamp),
        message_type: message.message_type,
        role: hitRole(message, block),
        block_type: block.block_type,
        tool_name: block.tool_name,
        tool_use_id: block.tool_use_id ?? block.tool_result_id,
        status: block.status,
        is_sidechain: message.is_sidechain,
        is_own: call?.isOwn === true || isOwnRecall(block.tool_name, null),
        content: "",
      },
    };
    this.progress.events += 1;
    this.#ready.push(raw);
    this.size += raw.size;
    if (block.block_type === "tool_result" && block.tool_result_id !== null) this.#lineResults.push(raw);
  }

  /** A call on the line of its result counts, wherever it stands there. */
  #endLine(): void {
    const { calls } = this.progress;
    this.#closeOpen();
    for (const { event } of this.#lineResults.splice(0)) {
      const key = idKey(event.tool_use_id ?? "");
      const call = calls.of(key, event.line_number);
      const { event_id, line_number: line, tool_name: tool } = event;
      if (call === undefined) this.progress.open.push({ event_id, key, line, tool });
      else Object.assign(event, named(tool, call));
    }
  }

  #closeOpen(): void {
    const { calls, open } = this.progress;
    if (open.length === 0) return;
    this.progress.open = open.filter(({ event_id, key, line, tool }) => {
      const call = calls.of(key, line);
      if (call === undefined) return true;
      this.#late.push({ event_id, ...named(tool, call) });
      return false;
    });
  }

  #idOf(message: TranscriptMessage, block: ParsedContentBlock, texts: readonly string[]): string {
    const { block_type: type, source_uuid: uuid } = block;
    const { sessionId, idsBy } = this.#options;
    if (idsBy === "place") {
      this.#onLine = message.byte_offset === this.#offset ? this.#onLine + 1 : 0;
      this.#offset = message.byte_offset;
      return eventId([sessionId, String(this.#offset), String(this.#onLine), type, uuid ?? ""]);
    }
    const id = uuid ?? block.tool_use_id ?? block.tool_result_id;
    const name = `${type} ${id === null ? `text ${texts.map(fingerprint).join(" ")}` : `id ${id}`}`;
    const { names } = this.progress;
    const key = idKey(name);
    const times = names.get(key) ?? 0;
    names.set(key, times + 1);
    return eventId([sessionId, name, String(times)]);
  }
}

function named(known: string | null, call: { tool: string | null; isOwn: boolean }) {
  const tool_name = call.tool ?? known;
  return { tool_name, is_own: call.isOwn || isOwnRecall(tool_name, null) };
}
