/**
 * Turns units of a source into rows, part by part. The context that a part needs comes from the stored rows: the
 * messages that its pieces continue, the calls that its results answer, the blocks that it may repeat. So a session
 * produces the same rows however many parts it is read in, and a run leaves nothing to the next but a place in the
 * source.
 */
import { createHash, hash } from "node:crypto";
import { isOwnRecall } from "../calls/own-recall.ts";
import { hitRole } from "../parse/searched-texts.ts";
import { Assembler } from "../parse/assembler.ts";
import { NeedsWholeInput, type MessageDraft, type Source, type SourceUnit } from "../parse/message-draft.ts";
import { fingerprint } from "./fingerprint.ts";
import type { BlockOrigin, BuiltMessage } from "../parse/message-builder.ts";
import type { MessageMetadata, ParsedContentBlock, ToolCall, TranscriptMessage } from "../parse/model.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { entryOf } from "../parse/open-calls.ts";
import { type KindCount, type StoredBlock, type StoredMessage, storedUsage } from "../store/stored-model.ts";
import { storableKey, storableTime } from "../store/storable.ts";
import type { IndexLevel } from "./redact-units.ts";
import type { KnownRows, Store } from "../store/store.ts";

/** Inputs besides the units. */
export interface RowsOptions {
  store: Pick<Store, "known">;
  sessionId: string;
  source: Source;
  /** Byte where this run started reading; 0 for the start of the source. */
  resumedAt?: number;
  /** `figures` creates no rows for blocks; messages only count them. Default: content. */
  level?: IndexLevel;
}

export interface Rows {
  /** New messages, and those that the part changed. */
  messages: StoredMessage[];
  blocks: StoredBlock[];
  /** Number of blocks in the session so far. */
  blockCount: number;
}

const NOTHING: KnownRows = { messages: [], blocks: [], messageCount: 0, blockCount: 0 };

/** Returns the rows that the redacted units add or change; `before` is where the units begin in the source. */
export async function rowsOf(
  { store, sessionId, source, resumedAt = 0, level = "content" }: RowsOptions,
  given: readonly SourceUnit[],
  before: number,
): Promise<Rows> {
  const units = given.map(withStorableIds);
  const known = async (ids: readonly string[]): Promise<KnownRows> =>
    before === 0 ? NOTHING : await store.known(sessionId, before, ids);
  const ids = idsIn(units);
  const earlier = await known(ids);
  const part = new Part({ sessionId, source, resumedAt }, earlier);
  part.add(units);
  if (source.hasStableIds === true) part.count((await known(part.namesToCount())).blocks);
  await part.correlate(ids, known);
  return level === "figures" ? figuresOf(part.rows()) : part.rows();
}

/** Returns the messages with the number of their blocks by kind in place of the blocks. */
function figuresOf({ messages, blocks }: Rows): Rows {
  const ofMessage = Map.groupBy(blocks, ({ message_id: id }) => id);
  const counted = messages.map((row) => ({ ...row, block_counts: kindsOf(ofMessage.get(row.message_id) ?? []) }));
  return { messages: counted, blocks: [], blockCount: 0 };
}

function kindsOf(blocks: readonly StoredBlock[]): KindCount[] {
  const kinds = new Map<string, KindCount>();
  for (const { block_type, tool_name, status, kept } of blocks) {
    if (block_type === "text") continue;
    const key = `${block_type} ${status} ${kept} ${tool_name}`;
    entryOf(kinds, key, () => ({ block_type, tool_name, status, kept, count: 0 })).count += 1;
  }
  return [...kinds.values()];
}

/** Returns the unit with its ids as the store keeps them, so that they are compared with those of earlier rows. */
function withStorableIds(unit: SourceUnit): SourceUnit {
  const ids = unit.messages.flatMap((draft) => [
    draft.sourceId,
    draft.uuid,
    ...draft.blocks.map((block) => block.toolUseId),
  ]);
  if (ids.every((id) => storableId(id) === id)) return unit;
  const messages = unit.messages.map((draft) => ({
    ...draft,
    sourceId: storableId(draft.sourceId),
    uuid: storableId(draft.uuid),
    blocks: draft.blocks.map((block) => ({ ...block, toolUseId: storableId(block.toolUseId) })),
  }));
  return { ...unit, messages };
}

function storableId(id: string | undefined): string | undefined {
  return id === undefined ? undefined : storableKey(id);
}

function idsIn(units: readonly SourceUnit[]): string[] {
  const ids = units.flatMap(({ messages }) =>
    messages.flatMap(({ sourceId, uuid, metadata, blocks }) => {
      const calls = blocks.map(({ toolUseId }) => toolUseId);
      return [sourceId, uuid, metadata?.source_tool_assistant_uuid, ...calls];
    }),
  );
  return [...new Set(ids.filter((id) => id !== undefined))];
}

interface NewBlock {
  block: ParsedContentBlock;
  origin: BlockOrigin;
}

class Part {
  readonly #sessionId: string;
  readonly #source: Source;
  readonly #resumedAt: number;
  readonly #known: KnownRows;
  /** New messages, and those to which the part adds, once each. */
  readonly #messages = new Map<string, TranscriptMessage>();
  readonly #built = new Map<string, BuiltMessage>();
  readonly #stored = new Map<string, StoredMessage>();
  readonly #knownBlocks = new Map<string, StoredBlock>();
  readonly #new: NewBlock[] = [];
  readonly #changed = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #partners = new Map<string, string>();
  /** Hashes of new records without blocks, by place and uuid. */
  readonly #records = new Map<string, number>();
  /** Number of known blocks per known message. */
  readonly #blockCounts = new Map<string, number>();
  #ids = 0;

  constructor({ sessionId, source, resumedAt }: Required<Omit<RowsOptions, "store" | "level">>, known: KnownRows) {
    this.#sessionId = sessionId;
    this.#source = source;
    this.#resumedAt = resumedAt;
    this.#known = known;
    this.#remember(known);
    for (const { message_id: id } of known.blocks) {
      if (id !== null) this.#blockCounts.set(id, (this.#blockCounts.get(id) ?? 0) + 1);
    }
  }

  add(units: readonly SourceUnit[]): void {
    this.#checkEntries(units);
    const assembler = new Assembler({
      sessionId: this.#sessionId,
      maxInlineContentBytes: Number.POSITIVE_INFINITY,
      generateId: () => `new ${(this.#ids += 1)}`,
      pricing: () => null,
      countRedactions: false,
      onProblem: () => undefined,
      firstOrdinal: this.#known.messageCount,
      onBlock: (block, origin) => this.#new.push({ block, origin }),
    });
    for (const message of this.#known.messages) {
      const { message_type: type, source_id: id, uuid } = message;
      if (type !== "assistant" || id === null) continue;
      const isShared = this.#source.hasStableIds !== true;
      assembler.restore(this.#restored(message), isShared ? `${id}\n${uuid ?? ""}` : id);
    }
    for (const unit of units) {
      for (const { uuid, blocks } of unit.messages) {
        if (blocks.length > 0) continue;
        const isRecord = this.#source.hasStableIds !== true && uuid !== undefined;
        const identity = unit.identity ?? (isRecord ? hash("sha1", uuid) : undefined);
        if (identity !== undefined) this.#records.set(`${unit.offset} ${uuid ?? null}`, recordHash(identity));
      }
      for (const draft of unit.messages) this.#checkAnswer(draft);
      assembler.add(unit);
    }
    for (const built of assembler.finish()) {
      this.#messages.set(built.message.id, built.message);
      this.#built.set(built.message.id, built);
    }
  }

  /**
   * Throws `NeedsWholeInput` if an earlier run read one of the entries or of their parts: when read in one go, a repeat
   * has no rows, and what continues a part is added to its first entry.
   */
  #checkEntries(units: readonly SourceUnit[]): void {
    if (this.#source.hasStableIds !== true) return this.#checkRecords(units);
    const hashes = new Set(units.map(({ identity }) => (identity === undefined ? null : recordHash(identity))));
    const parts = new Set(units.flatMap(({ messages }) => messages.flatMap(partsOf)));
    const isAgain = (row: StoredMessage | StoredBlock): boolean =>
      (row.record_hash !== null && hashes.has(row.record_hash)) || ("block_type" in row && parts.has(partOf(row)));
    for (const row of [...this.#known.messages, ...this.#known.blocks]) {
      if (row.byte_offset < this.#resumedAt && isAgain(row))
        throw new NeedsWholeInput("An entry comes again that was read before.");
    }
  }

  /**
   * Throws `NeedsWholeInput` if an earlier run read a record, an answer or a result that comes again. What it repeats and
   * what it continues is only known from the start of the file.
   */
  #checkRecords(units: readonly SourceUnit[]): void {
    const earlier = [...this.#known.messages, ...this.#known.blocks].filter((row) => row.byte_offset < this.#resumedAt);
    const ids = new Set<string | null>(
      earlier.flatMap((row) =>
        "source_id" in row
          ? [row.uuid, row.message_type === "assistant" ? row.source_id : null]
          : [row.source_uuid, row.block_type === "tool_result" ? row.tool_use_id : null],
      ),
    );
    const isAgain = ({ sourceId, uuid, blocks }: MessageDraft): boolean =>
      [sourceId, uuid, ...blocks.map(({ toolUseId }) => toolUseId)].some((id) => id !== undefined && ids.has(id));
    if (units.some(({ messages }) => messages.some(isAgain)))
      throw new NeedsWholeInput("A record may be one that was read before.");
  }

  /**
   * Throws `NeedsWholeInput` if an answer in a transcript goes on that an earlier run read: it has the sum of its model
   * calls, of which only those after the start are known.
   */
  #checkAnswer({ type, sourceId, usage, costUsd }: MessageDraft): void {
    if (type !== "assistant" || sourceId === undefined || this.#source.hasStableIds !== true) return;
    if (usage === undefined && costUsd === undefined) return;
    const earlier = this.#known.messages.find((row) => row.message_type === type && row.source_id === sourceId);
    if (earlier === undefined || earlier.byte_offset >= this.#resumedAt) return;
    if (earlier.tokens_in !== null || earlier.recorded_cost_usd !== null)
      throw new NeedsWholeInput("An answer goes on whose model calls were counted before.");
  }

  /** Returns names of new blocks that earlier blocks may have too. */
  namesToCount(): string[] {
    return [...new Set(this.#new.map(({ block }) => nameOf(block)))];
  }

  /** Counts how often each name was used by earlier blocks, so that new ones get the next number. */
  count(blocks: readonly StoredBlock[]): void {
    for (const { identity } of blocks) {
      if (identity !== null) this.#counts.set(identity, (this.#counts.get(identity) ?? 0) + 1);
    }
  }

  /** Matches calls and results, both stored and new. */
  async correlate(asked: readonly string[], known: (ids: readonly string[]) => Promise<KnownRows>): Promise<void> {
    const others = new Set(this.#known.blocks.map(({ tool_use_id: id }) => id).filter((id) => id !== null));
    for (const id of asked) others.delete(id);
    if (others.size > 0) this.#remember(await known([...others]));
    const before = [...this.#knownBlocks.values()].filter(isOfCall);
    const now = this.#new.filter(({ block }) => isOfCall(block));
    const messages = [...this.#stored.values()].map(modelMessage);
    for (const message of this.#messages.values()) {
      if (!this.#stored.has(message.id)) messages.push(message);
    }
    const blocks = [...before.map(modelBlock), ...now.map(({ block }) => block)];
    const found = correlateToolCalls(
      messages.toSorted((a, b) => a.ordinal - b.ordinal),
      blocks,
    );
    const inputs = new Map(blocks.map((block) => [block.id, block]));
    for (const call of found) this.#note(call, inputs);
  }

  #note({ use, result, status }: ToolCall, blocks: Map<string, ParsedContentBlock>): void {
    const call = use && blocks.get(use.block_id);
    if (call) {
      const stored = this.#knownBlocks.get(call.id);
      if (stored && stored.status !== status) this.#change(stored, { status });
    }
    const answer = result && blocks.get(result.block_id);
    if (!answer) return;
    const stored = this.#knownBlocks.get(answer.id);
    // Claude Code has no tool names in its results: the stored name is the earlier call's.
    const given = stored && this.#source.hasStableIds !== true ? null : answer.tool_name;
    const tool = call?.tool_name ?? given;
    const isOwn =
      isOwnRecall(tool, null) || (call !== undefined && call !== null && isOwnRecall(call.tool_name, call.tool_input));
    if (stored && (stored.tool_name !== tool || stored.is_own !== isOwn))
      this.#change(stored, { tool_name: tool, is_own: isOwn });
    if (call) this.#partners.set(answer.id, call.id);
  }

  #change(block: StoredBlock, changed: Partial<StoredBlock>): void {
    this.#knownBlocks.set(block.event_id, { ...block, ...changed });
    this.#changed.add(block.event_id);
  }

  rows(): Rows {
    const blocks: StoredBlock[] = [];
    const calls = new Map(this.#new.map(({ block }) => [block.id, block]));
    const firsts = new Map<string, string>();
    const atPlace = placeCounter();
    for (const { block, origin } of this.#new) {
      const { id, identity } = this.#idOf(block, origin, atPlace(origin.place.offset));
      if (!firsts.has(block.message_id)) firsts.set(block.message_id, id);
      const partner = this.#partners.get(block.id);
      const call = partner === undefined ? undefined : (calls.get(partner) ?? this.#knownCall(partner));
      const message = this.#messages.get(block.message_id) ?? origin.message;
      const tool = block.tool_name ?? call?.tool_name ?? null;
      blocks.push({
        event_id: id,
        message_id: block.message_id,
        session_id: this.#sessionId,
        ordinal: this.#known.blockCount + blocks.length,
        block_order: block.block_order,
        line_number: block.line_number,
        byte_offset: origin.place.offset,
        occurred_at: storableTime(origin.piece.timestamp ?? null),
        message_type: message.message_type,
        role: hitRole(message, block),
        block_type: block.block_type,
        source_uuid: block.source_uuid,
        tool_name: call?.tool_name ?? tool,
        tool_use_id: block.tool_use_id ?? block.tool_result_id,
        answers_uuid: block.block_type === "tool_result" ? (message.metadata.source_tool_assistant_uuid ?? null) : null,
        is_error: block.is_error,
        exit_code: block.exit_code,
        status: block.status,
        is_sidechain: message.is_sidechain,
        is_own:
          isOwnRecall(tool, block.block_type === "tool_use" ? block.tool_input : null) ||
          (call !== undefined && isOwnRecall(call.tool_name, call.tool_input)),
        ...contentOf(block),
        metadata: block.metadata,
        identity,
        record_hash: origin.place.record === undefined ? null : recordHash(origin.place.record),
        superseded: false,
      });
    }
    const ids = this.#messageIds(firsts);
    for (const block of blocks) block.message_id = ids.get(block.message_id ?? "") ?? block.message_id;
    for (const id of this.#changed) {
      const block = this.#knownBlocks.get(id);
      if (block) blocks.push(block);
    }
    const messages = [...this.#messages.values()].map((message) => this.#messageRow(message, ids));
    return { messages, blocks, blockCount: this.#known.blockCount + this.#new.length };
  }

  /** `firsts`: ids of the first blocks by message. */
  #messageIds(firsts: ReadonlyMap<string, string>): Map<string, string> {
    const ids = new Map<string, string>();
    const atPlace = placeCounter();
    for (const message of this.#messages.values()) {
      if (this.#stored.has(message.id)) continue;
      const { message_type, source_id, byte_offset: offset } = message;
      const before = atPlace(offset);
      const isJoined = message_type === "assistant" && source_id !== null;
      const first = this.#source.hasStableIds === true ? "" : ` ${message.uuid ?? ""}`;
      const name = isJoined ? `source ${source_id}${first}` : (firsts.get(message.id) ?? `place ${offset} ${before}`);
      ids.set(message.id, eventId([this.#sessionId, "message", name]));
    }
    return ids;
  }

  #messageRow(message: TranscriptMessage, ids: Map<string, string>): StoredMessage {
    const { id, timestamp, cost_usd: _, metadata, ...row } = message;
    const { cost_is_recorded, cost_is_estimate: _estimate, ...told } = metadata;
    const usage = this.#built.get(id)?.usage;
    return {
      ...row,
      message_id: ids.get(id) ?? id,
      occurred_at: storableTime(timestamp),
      recorded_cost_usd: cost_is_recorded === true ? message.cost_usd : null,
      usage_calls: usage === undefined ? null : (usage.calls ?? []),
      record_hash: this.#records.get(`${row.byte_offset} ${row.uuid}`) ?? null,
      block_counts: [],
      metadata: told,
      superseded: false,
    };
  }

  #idOf(block: ParsedContentBlock, { place }: BlockOrigin, onPlace: number): { id: string; identity: string | null } {
    if (this.#source.hasStableIds !== true) {
      const id = [this.#sessionId, String(place.offset), String(onPlace), block.block_type, block.source_uuid ?? ""];
      return { id: eventId(id), identity: null };
    }
    const name = nameOf(block);
    const times = this.#counts.get(name) ?? 0;
    this.#counts.set(name, times + 1);
    return { id: eventId([this.#sessionId, name, String(times)]), identity: name };
  }

  #remember({ messages, blocks }: KnownRows): void {
    for (const message of messages) this.#stored.set(message.message_id, message);
    for (const block of blocks) this.#knownBlocks.set(block.event_id, block);
  }

  #knownCall(id: string): ParsedContentBlock | undefined {
    const stored = this.#knownBlocks.get(id);
    return stored && modelBlock(stored);
  }

  #restored(stored: StoredMessage): BuiltMessage {
    return {
      message: modelMessage(stored),
      blockCount: this.#blockCounts.get(stored.message_id) ?? 0,
      usage: storedUsage(stored),
      recordedCostUsd: stored.recorded_cost_usd ?? undefined,
    };
  }
}

/** Returns a function that returns how many before it were called with the same place, one after another. */
function placeCounter(): (offset: number) => number {
  let place = -1;
  let count = 0;
  return (offset) => {
    count = offset === place ? count + 1 : 0;
    place = offset;
    return count;
  };
}

/** Returns the parts of a draft's blocks, as `partOf` returns them. */
function partsOf({ uuid, metadata, blocks }: MessageDraft): string[] {
  const id = uuid ?? metadata?.source_tool_assistant_uuid;
  return id === undefined ? [] : blocks.map(({ type }) => `${type} ${storableKey(id)}`);
}

function partOf({ block_type, source_uuid, answers_uuid }: StoredBlock): string {
  return `${block_type} ${source_uuid ?? answers_uuid}`;
}

/** Names a block by its host's id, or by its text. */
function nameOf({ block_type, source_uuid, tool_use_id, tool_result_id, ...block }: ParsedContentBlock): string {
  const id = source_uuid ?? tool_use_id ?? tool_result_id;
  const text = [block.content_text, block.thinking_text, block.result_text].find((each) => each !== null) ?? "";
  return idKey(`${block_type} ${id === null ? `text ${fingerprint(text)}` : `id ${id}`}`);
}

function isOfCall({ block_type }: Pick<StoredBlock, "block_type">): boolean {
  return block_type === "tool_use" || block_type === "tool_result";
}

function contentOf(block: ParsedContentBlock): Pick<StoredBlock, "kept" | "content"> {
  if (!isKept(block)) return { kept: "none", content: "" };
  if (block.block_type === "tool_use") return { kept: "all", content: jsonOf(block.tool_input) };
  return { kept: "all", content: textOf(block) ?? "" };
}

/** Returns true if a block has anything to keep. */
function isKept(block: ParsedContentBlock): boolean {
  return block.block_type === "tool_use" || (block.metadata.withheld !== true && textOf(block) !== null);
}

function textOf({ content_text, thinking_text, result_text }: ParsedContentBlock): string | null {
  return content_text ?? thinking_text ?? result_text;
}

/** Returns the input as JSON; inputs can be nested deeper than `JSON.stringify` can go. */
function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? "null";
  } catch {
    return "null";
  }
}

/** Converts a row to the model. */
export function modelMessage(stored: StoredMessage): TranscriptMessage {
  const { message_id, occurred_at, recorded_cost_usd, metadata, ...kept } = stored;
  const { usage_calls: _, superseded: _s, record_hash: _h, block_counts: _b, ...row } = kept;
  const told: MessageMetadata = { ...metadata, ...(recorded_cost_usd === null ? {} : { cost_is_recorded: true }) };
  return { ...row, id: message_id, timestamp: occurred_at, cost_usd: recorded_cost_usd, metadata: told };
}

export function modelBlock(stored: StoredBlock): ParsedContentBlock {
  const { block_type, content, kept, tool_use_id } = stored;
  const text = (type: string): string | null => (block_type === type && kept !== "none" ? content : null);
  const isUse = block_type === "tool_use";
  const isResult = block_type === "tool_result";
  const input: unknown = isUse && kept === "all" ? JSON.parse(content) : null;
  return {
    id: stored.event_id,
    message_id: stored.message_id ?? "",
    session_id: stored.session_id,
    block_order: stored.block_order,
    line_number: stored.line_number,
    source_uuid: stored.source_uuid,
    block_type,
    content_text: text(block_type === "document" ? "document" : "text"),
    thinking_text: block_type === "thinking" ? content : null,
    tool_name: stored.tool_name,
    tool_use_id: isUse ? tool_use_id : null,
    tool_input: input,
    tool_result_id: isResult ? tool_use_id : null,
    is_error: stored.is_error,
    exit_code: stored.exit_code,
    result_text: text("tool_result"),
    status: stored.status,
    metadata: stored.metadata,
  };
}

// Ids of events, and hashes of ids that may contain anything.

/** Returns a UUID (version 8) derived from the values that identify an event. */
function eventId(parts: readonly string[]): string {
  const hex = hash("sha1", JSON.stringify(parts));
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3] ?? "8";
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}

/** Returns the first 52 bits of the identity of an entry. */
function recordHash(identity: string): number {
  return Number.parseInt(identity.slice(0, 13), 16);
}

/** Hashes a call's id to 64 bits. The hash is stored instead of the id, which may contain a secret. */
function idKey(id: string): string {
  return createHash("sha1").update(id).digest("hex").slice(0, 16);
}
