/** Indexes one session: reads it from its start, and writes the rows that changed. */
import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { hash } from "node:crypto";
import type { InputUnit } from "../parse/message-draft.ts";
import type { FormatTraits, OpenedContent } from "../parse/content.ts";
import type { Redactor } from "../redact/redactor.ts";
import { readHead } from "../sessions/file-ref.ts";
import { inFirstForm } from "../sessions/session-forms.ts";
import { openReadable } from "../sessions/open-session.ts";
import { isAbsent, isReadFault, reasonOf } from "../places/reasons.ts";
import { pathOf, type SessionRef, type Unreadable } from "../places/session-ref.ts";
import { isSessionError } from "../transcripts-error.ts";
import { isFields } from "../parse/json-fields.ts";
import { NOT_INDEXED, type StoredAnswer, type StoredBlock, type StoredSession } from "../store/stored-model.ts";
import type { RowIds, RowState, RowStates, SessionChange, Store } from "../store/store.ts";
import type { IndexLimits } from "./limits.ts";
import { hasContent, INDEX_RULES, type IndexLevel, isCurrent, markOf } from "./is-current.ts";
import { redactedBlocks, redactedFigures, redactedMessages, WordRedactor } from "./redact-stored-rows.ts";
import { SessionFacts } from "./session-facts.ts";
import { suffixedId } from "./session-keys.ts";
import { rowOf, wordsInRow } from "./session-row.ts";
import { SessionRows } from "./session-rows.ts";

/** The part of a store that indexing a session needs. */
export type IndexStore = Pick<Store, "machine" | "session" | "rowStates" | "blocks" | "figures" | "writeSession">;

export interface IndexRequest {
  store: IndexStore;
  redactor: Redactor;
  signal?: AbortSignal | undefined;
  limits: IndexLimits;
  sessionId: string;
  ref: SessionRef;
  /** The store had no session with this id when it was chosen. */
  isNew: boolean;
  level: IndexLevel;
}

export interface SessionOutcome {
  as: "new" | "changed" | "unchanged";
  /** Number of blocks written, those in `last` included. */
  events: number;
  /** Number of bytes read. */
  bytes: number;
  /** The last part of a session, which is left to the caller: many small sessions are written together. */
  last?: SessionChange;
}

/** Another program wrote the session in the meantime. */
class ConcurrentWriteError extends Error {
  override readonly name = "ConcurrentWriteError";
}

/** `overtaken`: another program wrote the session in the meantime, so try again. */
export type Attempt = SessionOutcome | Unreadable | "overtaken";

/** Indexes a session, except for its last part. Returns every outcome as a value, except a failure of the store. */
export async function indexSession(request: IndexRequest): Promise<Attempt> {
  const { ref } = request;
  try {
    return await inFirstForm(ref, (form) => indexed({ ...request, ref: { ...form, alternatives: ref.alternatives } }));
  } catch (error) {
    if (error instanceof ConcurrentWriteError) return "overtaken";
    if (!isReadFault(error)) throw error;
    return { path: pathOf(ref), reason: faultOf(error) };
  }
}

function faultOf(error: unknown): string {
  if (!isSessionError(error)) return isAbsent(error) ? "it went away meanwhile" : reasonOf(error);
  return error.code === "gone" ? "it went away meanwhile" : reasonOf(error.cause ?? error);
}

/** Rejects with a `ConcurrentWriteError`, with a `TranscriptsError`, or with the error of reading the source. */
async function indexed(request: IndexRequest): Promise<SessionOutcome> {
  const { store, sessionId, isNew, level } = request;
  const stored = await store.session(sessionId);
  // Another session with the agent's id was stored in the meantime.
  if (isNew && stored !== undefined && !isOfPlace(stored, request))
    return indexed({ ...request, sessionId: suffixedId(request.ref), isNew: false });
  if (stored !== undefined && isCurrent(request.ref, markOf(stored), level))
    return { as: "unchanged", events: 0, bytes: 0 };
  const isKnown = stored !== undefined && (level === "figures" ? stored.figures !== null : hasContent(stored));
  const as = isKnown ? "changed" : "new";
  const ref = await readHead(request.ref);
  // The size and time before reading: if the file changes meanwhile, the next run finds that.
  const dated = ref.path === null || ref.bytes === null ? ref : { ...ref, ...datedNow(ref.path) };
  const content = openReadable(dated, { chunkBytes: request.limits.chunkBytes });
  const { format, units } = await content.open({});
  return { as, ...(await new Indexing({ ...request, ref: dated }, stored, format).run(units)) };
}

function datedNow(path: string): Pick<SessionRef, "bytes" | "modifiedMs"> {
  const { size, mtimeMs } = statSync(path);
  return { bytes: size, modifiedMs: mtimeMs };
}

function isOfPlace({ path }: StoredSession, { ref }: IndexRequest): boolean {
  return [ref, ...ref.alternatives].some((form) => pathOf(form) === path);
}

type Done = Omit<SessionOutcome, "as">;

/** Bits of a hash that a number holds exactly, in hexadecimal digits. */
const HASH_DIGITS = 13;

type RowsToWrite = Pick<SessionChange, "messages" | "blocks" | "superseded" | "figures">;

/** One run over a session. */
class Indexing {
  readonly #request: IndexRequest;
  readonly #stored: StoredSession | undefined;
  readonly #format: FormatTraits;
  readonly #words: WordRedactor;
  readonly #facts: SessionFacts;
  readonly #rows: SessionRows;
  /** Rows that the store has. */
  #states: RowStates = { messages: new Map(), blocks: new Map() };
  readonly #seen = { messages: new Set<string>(), blocks: new Set<string>() };
  #prompt: { raw: string; redacted: string } | undefined;
  #revision: number;
  #written = 0;

  constructor(request: IndexRequest, stored: StoredSession | undefined, format: FormatTraits) {
    const { sessionId, redactor, store } = request;
    this.#request = request;
    this.#stored = stored;
    this.#format = format;
    this.#words = new WordRedactor(redactor);
    this.#facts = new SessionFacts({
      hasLines: format.lines !== "none",
      isRedacted: format.isRedacted === true,
    });
    const salt = `${store.machine.hashKey} ${INDEX_RULES}\n`;
    const seal = (content: string): number =>
      Number.parseInt(hash("sha1", Buffer.from(salt + content)).slice(0, HASH_DIGITS), 16);
    this.#rows = new SessionRows({ sessionId, format, seal });
    this.#revision = stored?.state.revision ?? 0;
  }

  /** Reads the units to their end, and writes in transactions of limited size. */
  async run(batches: OpenedContent["units"]): Promise<Done> {
    const { store, sessionId, ref, limits, signal, level } = this.#request;
    if (this.#revision > 0 && level === "content") this.#states = await store.rowStates(sessionId);
    let bytes = ref.bytes ?? 0;
    const part = { chars: 0, units: 0 };
    for await (const units of batches) {
      signal?.throwIfAborted();
      for (const unit of units) {
        this.#facts.add(unit);
        this.#rows.add(unit);
        part.chars += sizeOf(unit);
        part.units += 1;
        if (ref.bytes === null) bytes += sizeOf(unit);
        if (part.chars < limits.textChars && part.units < limits.events) continue;
        await this.#writePart(await this.#changedRows());
        part.chars = part.units = 0;
      }
    }
    const last = await this.#last(await this.#changedRows());
    return { events: this.#written, bytes, last };
  }

  /** Returns what is new since the last time and differs from the stored rows. */
  async #changedRows(): Promise<Pick<RowsToWrite, "messages" | "blocks">> {
    // Lets other work of this thread go on.
    await setImmediate();
    const { redactor, level } = this.#request;
    if (level === "figures") {
      this.#rows.dropBlocks();
      return { messages: [], blocks: [] };
    }
    const taken = this.#rows.takeBlocks();
    for (const { row } of taken.blocks) this.#seen.blocks.add(row.event_id);
    const { messages: ofMessages, blocks: ofBlocks } = this.#states;
    const changed = taken.blocks.filter(({ row }) => ofBlocks.get(row.event_id)?.raw_hash !== row.raw_hash);
    const blocks = await redactedBlocks(redactor, this.#words, changed);
    this.#written += blocks.length;
    // Blocks refer to the rows of their messages.
    const begun = blocks.length === 0 ? [] : taken.messages.filter(({ message_id: id }) => !ofMessages.has(id));
    return { messages: begun, blocks };
  }

  async #writePart({ messages, blocks }: Pick<RowsToWrite, "messages" | "blocks">): Promise<void> {
    if (blocks.length === 0) return;
    const { redactor, store, sessionId } = this.#request;
    const rows = { messages: await redactedMessages(redactor, this.#words, messages), blocks };
    const [done] = await store.writeSession(await this.#change(rows, false));
    if (done !== true) throw new ConcurrentWriteError(`Session ${sessionId} was written by another program.`);
    this.#revision += 1;
    for (const message of rows.messages) this.#states.messages.set(message.message_id, message);
    for (const { content: _, ...block } of blocks) this.#states.blocks.set(block.event_id, block);
  }

  /** Returns the last part of the session, which has its figures and its mark. */
  async #last({ blocks }: Pick<RowsToWrite, "blocks">): Promise<SessionChange> {
    this.#rows.finish();
    const rows = this.#request.level === "figures" ? { messages: [], blocks } : await this.#lastRows(blocks);
    const figures = await redactedFigures(this.#words, this.#rows.figures());
    const ids = new Set(figures.answers.map(sourceIdOf));
    figures.answers.push(...(await this.#droppedAnswers(ids)));
    return this.#change({ ...rows, figures }, true);
  }

  /** Returns the rows to be written last. */
  async #lastRows(blocks: readonly StoredBlock[]): Promise<RowsToWrite> {
    const all = this.#rows.messages();
    for (const { message_id: id } of all) this.#seen.messages.add(id);
    const changed = all.filter(({ message_id: id, raw_hash, superseded }) => {
      const state = this.#states.messages.get(id);
      return state?.raw_hash !== raw_hash || state.superseded !== superseded;
    });
    const messages = await redactedMessages(this.#request.redactor, this.#words, changed);
    const dropped = this.#rows.superseded();
    const labelled = blocks.map((row) => ({ ...row, superseded: dropped.has(row.event_id) }));
    const others = await this.#otherBlocks(blocks, dropped);
    return { messages, blocks: [...labelled, ...others], superseded: this.#superseded(dropped) };
  }

  /**
   * Returns answers that the source no longer has. Without the provider's id, one may be a current one in an earlier form.
   * One on a side chain may be a copy from a subagent, which has its own file by now.
   */
  async #droppedAnswers(current: ReadonlySet<string | undefined>): Promise<StoredAnswer[]> {
    const { store, sessionId } = this.#request;
    if ((this.#stored?.figures ?? null) === null) return [];
    const before = await store.figures(sessionId);
    return (before?.answers ?? [])
      .filter((answer) => answer.key !== null && !answer.is_sidechain && !current.has(sourceIdOf(answer)))
      .map(({ calls: _calls, messages: _messages, ...answer }) => answer);
  }

  /**
   * Returns the stored rows, except those that are written now, of calls and results whose fields changed, and of blocks
   * that are part of the conversation again.
   */
  async #otherBlocks(written: readonly StoredBlock[], dropped: ReadonlySet<string>): Promise<StoredBlock[]> {
    const { store, sessionId } = this.#request;
    const fields = this.#rows.callFields();
    await this.#words.add(Array.from(fields.values(), ({ tool_name: name }) => name));
    const now = new Set(written.map(({ event_id: id }) => id));
    for (const id of now) fields.delete(id);
    for (const [id, found] of fields) {
      found.tool_name = this.#words.clean(found.tool_name);
      const state = this.#states.blocks.get(id);
      const isSame =
        state?.tool_name === found.tool_name && state.status === found.status && state.is_own === found.is_own;
      if (isSame) fields.delete(id);
    }
    const isBack = ([id, { superseded }]: [string, RowState]): boolean =>
      superseded && this.#seen.blocks.has(id) && !dropped.has(id) && !now.has(id);
    const ids = new Set([...fields.keys(), ...[...this.#states.blocks].filter(isBack).map(([id]) => id)]);
    if (ids.size === 0) return [];
    const rows = await store.blocks(sessionId, { ids: [...ids] });
    return rows.map((row) => ({ ...row, ...fields.get(row.event_id), superseded: dropped.has(row.event_id) }));
  }

  /** Returns the ids of stored rows that the source no longer has, and of blocks that the agent dropped. */
  #superseded(dropped: ReadonlySet<string>): RowIds {
    const newly = (states: ReadonlyMap<string, RowState>, seen: ReadonlySet<string>): string[] =>
      [...states].flatMap(([id, { superseded }]) => (superseded || (seen.has(id) && !dropped.has(id)) ? [] : [id]));
    const { messages, blocks } = this.#states;
    return { messages: newly(messages, this.#seen.messages), blocks: newly(blocks, this.#seen.blocks) };
  }

  /** `isEnd`: the source was read to its end. */
  async #change(rows: RowsToWrite, isEnd: boolean): Promise<SessionChange> {
    const { store, sessionId, ref, level } = this.#request;
    await this.#words.add([...wordsInRow(ref), ...this.#facts.words]);
    const facts = { facts: this.#facts, prompt: await this.#firstPrompt() };
    const row = rowOf(sessionId, ref, facts, (word) => this.#words.clean(word), store.machine);
    const mark = {
      rules: INDEX_RULES,
      source_bytes: ref.bytes ?? 0,
      // A time of zero never matches, so the next run sees that the source was not read to its end.
      source_modified_ms: isEnd ? ref.modifiedMs : 0,
    };
    const revision = this.#revision + 1;
    const state =
      level === "figures"
        ? { ...(this.#stored?.state ?? NOT_INDEXED), revision }
        : {
            ...mark,
            revision,
            lines: this.#facts.lines,
            events: this.#rows.blockCount,
            format: this.#format.name,
            copied_revision: 0,
          };
    const figures = isEnd ? mark : (this.#stored?.figures ?? null);
    return { session: { ...row, state, figures }, expected: this.#revision, ...rows };
  }

  async #firstPrompt(): Promise<string | null> {
    const { prompt: raw } = this.#facts;
    if (raw === null) return null;
    if (this.#prompt?.raw !== raw) {
      const [redacted] = await this.#request.redactor.redact([{ text: raw, cut: true }]);
      this.#prompt = { raw, redacted: redacted?.text ?? "" };
    }
    return this.#prompt.redacted;
  }
}

/** Returns the provider's id of an answer; its key has it unless `source_id` differs. */
function sourceIdOf({ key, source_id }: StoredAnswer): string | undefined {
  return source_id ?? key?.split("\n")[0];
}

function sizeOf({ messages }: InputUnit): number {
  let size = 0;
  for (const { blocks } of messages) {
    for (const { text, input } of blocks) {
      size += text?.length ?? 100;
      if (!isFields(input)) continue;
      for (const name in input) {
        const value = input[name];
        if (typeof value === "string") size += value.length;
      }
    }
  }
  return size;
}
