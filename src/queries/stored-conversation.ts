/** Makes a conversation from the rows of the store. */
import { given } from "../given.ts";
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
import {
  firstTimeOf,
  MAX_LINE,
  type StoredBlock,
  type StoredMessage,
  type StoredSession,
  storedUsage,
} from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { TranscriptsError } from "../transcripts-error.ts";

type StoredOptions = Pick<ParseOptions, "between" | "pricing" | "signal">;

type RowsStore = Pick<Store, "messages" | "blocks" | "ordinalAt">;

/** Number of rows that are read at once. */
const PAGE_ROWS = 200;
/** Blocks read before the one at a place: enough for the pieces that are wanted before it. */
const BLOCKS_BEFORE = 50;

/** Rows are read page by page, so that memory grows with the number of messages only. */
export class StoredConversation implements ConversationReader {
  readonly #store: RowsStore;
  readonly #session: StoredSession;
  readonly #options: StoredOptions;
  /** The texts were redacted before they came into the store. */
  readonly #statistics: StatisticsCollector;
  readonly #span = new TimeSpan();
  #aborted = false;

  constructor(store: RowsStore, session: StoredSession, options: StoredOptions = {}) {
    this.#store = store;
    this.#session = session;
    this.#options = options;
    const { tools } = formatNamed(session.state.format);
    this.#statistics = new StatisticsCollector({ isRedacted: true, ...given({ tools }) });
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
    const { session_id: id, agent_id } = this.#session;
    const start = from === undefined ? 0 : await this.#startOf(from);
    let turn = 0;
    const begin = (message: TranscriptMessage, blocks: readonly StoredBlock[]): ReadMessage => {
      if (!isSuperseded(message) && beginsTurn(message, agent_id !== null)) turn += 1;
      return this.#counted(pieceOf(message, blocks, turn));
    };
    let messages: MessageCursor | undefined;
    for await (const rows of pages((at) => this.#store.blocks(id, at), start)) {
      if (this.#options.signal?.aborted === true) {
        this.#aborted = true;
        break;
      }
      if (messages === undefined) {
        const first = start === 0 ? 0 : await this.#messageAt(rows[0]);
        messages = new MessageCursor(this.#store, this.#session, this.#options, first);
        turn = await this.#turnBefore(first);
      }
      const batch: ReadMessage[] = [];
      for (const blocks of piecesIn(rows)) {
        const { message_id, byte_offset } = blocks[0];
        for (const message of await messages.before(byte_offset, message_id)) batch.push(begin(message, []));
        const [message, isNew] = messages.of(message_id);
        if (message === undefined) continue;
        batch.push(isNew ? begin(message, blocks) : this.#counted(pieceOf(message, blocks, turn)));
      }
      yield batch;
    }
    messages ??= new MessageCursor(this.#store, this.#session, this.#options, 0);
    if (!this.#aborted) yield (await messages.before(Number.POSITIVE_INFINITY)).map((message) => begin(message, []));
    for (const message of messages.all()) this.#statistics.addUsage(message);
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
  async #startOf(place: ConversationPlace): Promise<number> {
    const { session_id: id } = this.#session;
    const line =
      "line" in place
        ? place.line
        : (await this.#store.messages(id, { from: place.ordinal, limit: 1 }))[0]?.line_number;
    const ordinal = await this.#store.ordinalAt(id, Math.min(line ?? MAX_LINE, MAX_LINE));
    return Math.max(0, ordinal - Math.max(BLOCKS_BEFORE, 2 * place.before));
  }

  /** Returns the ordinal of the first message that does not begin before a block. */
  async #messageAt(block: StoredBlock | undefined): Promise<number> {
    const { session_id: id } = this.#session;
    const [message] = block === undefined ? [] : await this.#store.messages(id, { ids: [block.message_id] });
    return (message?.ordinal ?? 0) + (block?.block_order === 0 ? 0 : 1);
  }

  async #turnBefore(ordinal: number): Promise<number> {
    if (ordinal === 0) return 0;
    const { session_id: id, agent_id } = this.#session;
    const said = (await this.#store.messages(id, { prompts: true, before: ordinal })).map(modelMessage);
    return said.filter((message) => !isSuperseded(message) && beginsTurn(message, agent_id !== null)).length;
  }
}

/** The messages of a session, in order, with their costs. */
class MessageCursor {
  readonly #rows: AsyncGenerator<StoredMessage[]>;
  /** Messages that were met, by id; undefined for one that is left out. */
  readonly #met = new Map<string, TranscriptMessage | undefined>();
  readonly #begun = new Set<string>();
  readonly #row: (id: string) => Promise<StoredMessage[]>;
  readonly #times: TimeFilter;
  readonly #pricing: StoredOptions["pricing"];
  #next: StoredMessage[] = [];
  #isEnd = false;

  constructor(store: RowsStore, session: StoredSession, options: StoredOptions, first: number) {
    const { session_id: id } = session;
    this.#rows = pages((at) => store.messages(id, at), first);
    this.#row = (messageId) => store.messages(id, { ids: [messageId] });
    this.#times = new TimeFilter(options.between);
    this.#pricing = options.pricing;
  }

  /** Takes the messages that begin before a place, and before the message with the id if it is another that was not met. */
  async before(offset: number, id?: string): Promise<TranscriptMessage[]> {
    const taken: TranscriptMessage[] = [];
    const take = async (row: StoredMessage): Promise<void> => {
      this.#next.shift();
      if (this.#met.has(row.message_id)) return;
      const message = await this.#add(row);
      this.#begun.add(row.message_id);
      if (message !== undefined) taken.push(message);
    };
    for (let row = await this.#peek(); row !== undefined && row.byte_offset < offset; row = await this.#peek())
      await take(row);
    if (id === undefined || this.#met.has(id)) return taken;
    const next = await this.#peek();
    const [wanted] = next?.message_id === id ? [next] : await this.#row(id);
    if (wanted === undefined) return taken;
    for (let row = next; row !== undefined && row.ordinal < wanted.ordinal; row = await this.#peek()) await take(row);
    await this.#add(wanted);
    return taken;
  }

  /** Returns a message that was met, and whether this is its first piece. */
  of(id: string): [message: TranscriptMessage | undefined, isNew: boolean] {
    const isNew = !this.#begun.has(id);
    this.#begun.add(id);
    return [this.#met.get(id), isNew];
  }

  all(): TranscriptMessage[] {
    return [...this.#met.values()].filter((message) => message !== undefined);
  }

  async #peek(): Promise<StoredMessage | undefined> {
    while (this.#next.length === 0 && !this.#isEnd) {
      const { done, value } = await this.#rows.next();
      this.#isEnd = done === true;
      this.#next = done === true ? [] : [...value];
    }
    return this.#next[0];
  }

  async #add(row: StoredMessage): Promise<TranscriptMessage | undefined> {
    const isIn = this.#times.isNextIn(row.occurred_at);
    const message = isIn ? modelMessage(row) : undefined;
    const price = await pricingOf(this.#pricing);
    if (message !== undefined) setCost(message, storedUsage(row), row.recorded_cost_usd, price);
    this.#met.set(row.message_id, message);
    return message;
  }
}

function withoutContent({ session_id: id }: StoredSession): TranscriptsError {
  const next =
    "`transcripts stats` shows them. `transcripts index` keeps the content of sessions whose files are there.";
  return new TranscriptsError(
    "gone",
    `Only the totals of session ${id} were kept, and its file cannot be read here.`,
    next,
  );
}

/** Yields rows in order, page by page, from an ordinal on. */
async function* pages<Row extends { ordinal: number }>(
  read: (page: { from: number; limit: number }) => Promise<Row[]>,
  first: number,
): AsyncGenerator<Row[]> {
  let limit = PAGE_ROWS;
  for (let from = first; ;) {
    const page = await read({ from, limit });
    const last = page.at(-1)?.ordinal ?? from;
    const isEnd = page.length < limit;
    // A dropped row may have the ordinal of another.
    yield isEnd ? page : page.filter(({ ordinal }) => ordinal < last);
    if (isEnd) return;
    if (last === from) limit *= 2;
    from = last;
  }
}

/** Groups the blocks that one entry of the source has of a message. */
function piecesIn(rows: readonly StoredBlock[]): [StoredBlock, ...StoredBlock[]][] {
  const pieces: [StoredBlock, ...StoredBlock[]][] = [];
  for (const row of rows) {
    const piece = pieces.at(-1);
    if (piece !== undefined && isSameEntry(piece[0], row)) piece.push(row);
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
    blocks: rows.map((row) => modelBlock(row, message)),
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

function modelBlock(stored: StoredBlock, message: TranscriptMessage): ParsedContentBlock {
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
    // The label of a message is for all of its blocks.
    metadata: { ...stored.metadata, ...droppedMark(stored.superseded && !isSuperseded(message)) },
  };
}

function droppedMark(superseded: boolean): { superseded?: true } {
  return superseded ? { superseded: true } : {};
}
