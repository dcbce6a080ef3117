/** Makes a conversation from the rows of the store. */
import { formatNamed } from "../agents/detect.ts";
import { hasContent } from "../indexing/is-current.ts";
import { baseId } from "../indexing/session-keys.ts";
import {
  type ConversationPlace,
  type ConversationReader,
  piecesAt,
  type ReadMessage,
  type ReadSummary,
} from "../parse/conversation.ts";
import { setCost } from "../parse/message-builder.ts";
import { isSuperseded, type ParsedContentBlock, type SessionMetadata, type TranscriptMessage } from "../parse/model.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { pricingOf } from "../parse/read-transcript.ts";
import { StatisticsCollector } from "../parse/statistics.ts";
import { TimeFilter, TimeSpan } from "../parse/times.ts";
import { beginsTurn } from "../parse/turns.ts";
import { type StoredBlock, type StoredMessage, type StoredSession, storedUsage } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { firstTimeOf } from "./stored-session.ts";

type StoredOptions = Pick<ParseOptions, "subagentCopies" | "between" | "pricing" | "signal">;

type RowsStore = Pick<Store, "messages" | "blocks" | "ordinalAt">;

/** Number of blocks that are read at once. */
const PAGE_BLOCKS = 200;

/** Blocks read before the one at a place: enough for the pieces that are wanted before it. */
const BLOCKS_BEFORE = 50;

/** Blocks are read page by page, so that memory grows with the number of messages only. */
export class StoredConversation implements ConversationReader {
  readonly #store: RowsStore;
  readonly #session: StoredSession;
  readonly #options: StoredOptions;
  /** The texts were redacted before they came into the store. */
  readonly #statistics = new StatisticsCollector(true);
  readonly #span = new TimeSpan();
  #aborted = false;

  constructor(store: RowsStore, session: StoredSession, options: StoredOptions = {}) {
    this.#store = store;
    this.#session = session;
    this.#options = options;
  }

  batches(from?: ConversationPlace): AsyncGenerator<ReadMessage[]> {
    const { format, lines } = this.#session.state;
    const all = this.#batches(from);
    const batches = formatNamed(format).lines === "text" ? withLastLines(all, lines) : all;
    return from === undefined ? batches : piecesAt(batches, from, { toEnd: false });
  }

  /** Begins somewhat before the place. */
  async *#batches(from?: ConversationPlace): AsyncGenerator<ReadMessage[]> {
    if (!hasContent(this.#session)) throw withoutContent(this.#session);
    const { session_id: id } = this.#session;
    const messages = await this.#messages();
    const places = new Map(messages.map((message, place) => [message.id, place]));
    const start = from === undefined ? 0 : await this.#ordinalAt(from, messages);
    const isSubagent = this.#session.agent_id !== null;
    let [begun, turn] = [0, 0];
    const begin = (message: TranscriptMessage, blocks: readonly StoredBlock[]): ReadMessage => {
      begun += 1;
      if (!isSuperseded(message) && beginsTurn(message, isSubagent)) turn += 1;
      return this.#counted(pieceOf(message, blocks, turn));
    };
    // Those without blocks come before the ones that begin after them.
    const beginUpTo = (end: number): ReadMessage[] => messages.slice(begun, end).map((message) => begin(message, []));
    try {
      for await (const rows of blockPages(this.#store, id, start)) {
        if (this.#options.signal?.aborted === true) {
          this.#aborted = true;
          return;
        }
        const batch: ReadMessage[] = [];
        if (begun === 0 && start > 0) {
          const offset = rows[0]?.byte_offset ?? Infinity;
          while ((messages[begun]?.byte_offset ?? Infinity) < offset) beginUpTo(begun + 1);
        }
        for (const blocks of piecesIn(rows)) {
          const place = places.get(blocks[0]?.message_id ?? "");
          const message = place === undefined ? undefined : messages[place];
          if (place === undefined || message === undefined) continue;
          batch.push(...beginUpTo(place));
          batch.push(place >= begun ? begin(message, blocks) : this.#counted(pieceOf(message, blocks, turn)));
        }
        yield batch;
      }
      yield beginUpTo(messages.length);
    } finally {
      // Counts those that were not asked for.
      beginUpTo(messages.length);
      for (const message of messages) this.#statistics.addUsage(message);
    }
  }

  summary(): ReadSummary {
    const { counts, state, ended_at, active_ms, first_prompt } = this.#session;
    const isPart = this.#options.between !== undefined;
    const [first, last] = isPart ? [this.#span.first, this.#span.last] : [firstTimeOf(this.#session), ended_at];
    const durationMs = first === null || last === null ? 0 : Date.parse(last) - Date.parse(first);
    return {
      format: state.format,
      stats: {
        ...this.#statistics.stats({ durationMs, activeMs: isPart ? this.#span.activeMs : active_ms }),
        initial_prompt: first_prompt,
      },
      errors: [],
      error_count: counts.damaged,
      lines: {
        total: state.lines,
        used: state.lines - counts.unknown_lines,
        blank: 0,
        skipped: {},
        unknown: counts.unknown_lines,
        failed: 0,
      },
      unknown_lines: [],
      metadata: { ...metadataOf(this.#session), firstTimestamp: first, lastTimestamp: last },
      aborted: this.#aborted,
    };
  }

  #counted(piece: ReadMessage): ReadMessage {
    this.#statistics.add(piece.message, piece.blocks);
    if (piece.timestamp !== null) this.#span.add(piece.timestamp);
    return piece;
  }

  /** Returns the ordinal of a block before a place, with enough others between. */
  async #ordinalAt(place: ConversationPlace, messages: readonly TranscriptMessage[]): Promise<number> {
    const line = "line" in place ? place.line : messages.find(({ ordinal }) => ordinal >= place.ordinal)?.line_number;
    if (line === undefined) return 0;
    const ordinal = await this.#store.ordinalAt(this.#session.session_id, line);
    return Math.max(0, ordinal - BLOCKS_BEFORE);
  }

  /** Returns the messages asked for, with their costs. */
  async #messages(): Promise<TranscriptMessage[]> {
    const { session_id: id, state } = this.#session;
    const { subagentCopies = false, between, pricing } = this.#options;
    const price = await pricingOf(pricing);
    const times = new TimeFilter(between);
    const isLeftOut = state.subagent_copies && !subagentCopies ? isCopy : () => false;
    const rows = (await this.#store.messages(id)).filter((row) => !isLeftOut(row) && times.isNextIn(row.occurred_at));
    return rows.map((row) => {
      const message = modelMessage(row);
      setCost(message, storedUsage(row), row.recorded_cost_usd ?? undefined, price);
      return message;
    });
  }
}

/** Message of a subagent that Claude Code copied into the session's own file. */
function isCopy({ is_sidechain, cwd }: StoredMessage): boolean {
  return is_sidechain && cwd === null;
}

function withoutContent({ session_id: id }: StoredSession): TranscriptsError {
  const next =
    "`transcripts stats` shows them. `transcripts index` keeps the content of sessions whose files are there.";
  return new TranscriptsError("gone", `Only the figures of session ${id} were kept, and its file is gone.`, next);
}

/** Yields blocks in the order of the source, page by page. */
async function* blockPages(store: RowsStore, sessionId: string, start: number): AsyncGenerator<StoredBlock[]> {
  let limit = PAGE_BLOCKS;
  for (let from = start; ;) {
    const page = await store.blocks(sessionId, { from, limit });
    const last = page.at(-1)?.ordinal ?? from;
    const isEnd = page.length < limit;
    // A dropped block may have the ordinal of another.
    yield isEnd ? page : page.filter(({ ordinal }) => ordinal < last);
    if (isEnd) return;
    if (last === from) limit *= 2;
    from = last;
  }
}

/** Groups the blocks that one entry of the source has of a message. */
function piecesIn(rows: readonly StoredBlock[]): StoredBlock[][] {
  const pieces: StoredBlock[][] = [];
  for (const row of rows) {
    const piece = pieces.at(-1);
    if (piece?.[0] !== undefined && isSameEntry(piece[0], row)) piece.push(row);
    else pieces.push([row]);
  }
  return pieces;
}

function isSameEntry(a: StoredBlock, b: StoredBlock): boolean {
  return a.message_id === b.message_id && a.byte_offset === b.byte_offset && a.source_uuid === b.source_uuid;
}

function pieceOf(message: TranscriptMessage, rows: readonly StoredBlock[], turn: number): ReadMessage {
  const [first] = rows;
  const line = first?.line_number ?? message.line_number;
  return {
    message,
    blocks: rows.map(modelBlock),
    line,
    lastLine: line,
    turn,
    offset: first?.byte_offset ?? message.byte_offset,
    timestamp: first === undefined ? message.timestamp : first.occurred_at,
    uuid: first === undefined ? message.uuid : first.source_uuid,
  };
}

/** An entry of several lines extends to the next one, the last one to line `end`. */
async function* withLastLines(batches: AsyncIterable<ReadMessage[]>, end: number): AsyncGenerator<ReadMessage[]> {
  let last: ReadMessage[] = [];
  for await (const batch of batches) {
    const pieces = [...last, ...batch];
    for (const [at, piece] of pieces.entries())
      piece.lastLine = Math.max(piece.line, (pieces[at + 1]?.line ?? end + 1) - 1);
    last = pieces.splice(-1);
    yield pieces;
  }
  yield last;
}

function metadataOf(session: StoredSession): Omit<SessionMetadata, "firstTimestamp" | "lastTimestamp"> {
  const { session_id, agent_id: agentId, parent_id: parent, given_title: title } = session;
  return {
    // The file of a subagent may name the session that started it as its own.
    sessionId: agentId === null ? baseId(session_id) : parent,
    parentSessionId: agentId === null ? parent : null,
    agentId,
    title,
    cwd: session.cwd,
    version: session.agent_version,
    gitBranch: session.git_branch,
  };
}

/** Returns the row of the model, with the keys in the order that the parser gives them. */
function modelMessage(row: StoredMessage): TranscriptMessage {
  const { recorded_cost_usd: recorded, superseded } = row;
  return {
    id: row.message_id,
    session_id: row.session_id,
    ordinal: row.ordinal,
    line_number: row.line_number,
    byte_offset: row.byte_offset,
    message_type: row.message_type,
    role: row.role,
    user_kind: row.user_kind,
    source_id: row.source_id,
    uuid: row.uuid,
    parent_uuid: row.parent_uuid,
    request_id: row.request_id,
    model: row.model,
    provider: row.provider,
    timestamp: row.occurred_at,
    cwd: row.cwd,
    tokens_in: row.tokens_in,
    tokens_out: row.tokens_out,
    cache_read: row.cache_read,
    cache_write: row.cache_write,
    cost_usd: recorded,
    has_text: row.has_text,
    has_thinking: row.has_thinking,
    has_tool_use: row.has_tool_use,
    has_tool_result: row.has_tool_result,
    is_sidechain: row.is_sidechain,
    agent_id: row.agent_id,
    metadata: { ...row.metadata, ...droppedMark(superseded) },
  };
}

function modelBlock(stored: StoredBlock): ParsedContentBlock {
  const { block_type, content, kept, tool_use_id } = stored;
  const text = (type: string): string | null => (block_type === type && kept !== "none" ? content : null);
  const isUse = block_type === "tool_use";
  const isResult = block_type === "tool_result";
  const input: unknown = isUse && kept === "all" ? JSON.parse(content) : null;
  return {
    id: stored.event_id,
    message_id: stored.message_id,
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
    metadata: { ...stored.metadata, ...droppedMark(stored.superseded) },
  };
}

function droppedMark(superseded: boolean): { superseded?: true } {
  return superseded ? { superseded: true } : {};
}
