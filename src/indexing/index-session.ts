/** Indexes one session: from where the last run ended, or from the start if that is not possible. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { NeedsWholeInput, type Source, type SourcePlace, type SourceUnit } from "../parse/message-draft.ts";
import { detectInput } from "../parse/detect-input.ts";
import { claudeCode } from "../parse/sources/claude-code.ts";
import { FirstPrompt } from "../parse/prompts.ts";
import { HEAD_BYTES } from "../parse/sources/sources.ts";
import type { Redactor } from "../redact/redactor.ts";
import { needsAgentProgress } from "../sessions/agent-progress.ts";
import { readHead } from "../sessions/file-ref.ts";
import { refusingContent } from "../sessions/refuse-content.ts";
import { readableBytes, refusalOptions, StoreSource } from "../sessions/open-session.ts";
import { outputReader } from "../sessions/session-kept-files.ts";
import { isAbsent, isReadFault, reasonOf } from "../sessions/reasons.ts";
import { placeOf, type SessionRef, type Unreadable } from "../sessions/session-ref.ts";
import { isSessionError } from "../transcripts-error.ts";
import { isFields } from "../parse/json-fields.ts";
import { given } from "../given.ts";
import { NOT_INDEXED, type StoredBlock, type StoredMessage, type StoredSession } from "../store/stored-model.ts";
import type { KnownRows, RowIds, SessionChange, Store } from "../store/store.ts";
import type { IndexLimits } from "./limits.ts";
import { hasContent, INDEX_RULES, isDone } from "./is-current.ts";
import { redactUnits, type IndexLevel, WordRedactor } from "./redact-units.ts";
import { countsOf, NO_COUNTS, SessionFacts, type ToldUnit } from "./session-facts.ts";
import { suffixedId } from "./session-keys.ts";
import { rowOf, wordsInRow } from "./session-row.ts";
import { rowsOf, type Rows } from "./session-rows.ts";
import { crcBetween, edgesOf, isSameStart, packCheck, unpackCheck, type SourceCheck } from "./source-check.ts";
import { lineFeedsIn } from "../transcript/format/lines.ts";

const START: SourcePlace = { line: 1, offset: 0 };

/** The part of a store that indexing a session needs. */
export type IndexStore = Pick<Store, "machine" | "session" | "known" | "currentIds" | "writeSession">;

export interface IndexRequest {
  store: IndexStore;
  redactor: Redactor;
  signal?: AbortSignal | undefined;
  limits: IndexLimits;
  sessionId: string;
  ref: SessionRef;
  /** The store had no session with this id when it was chosen. */
  isNew: boolean;
  /** Reads the session from the start, whatever is stored. */
  rebuild: boolean;
  /** With `figures`, a session whose content is stored still gets its content updated. */
  level: IndexLevel;
}

interface SessionOutcome {
  as: "new" | "changed" | "unchanged";
  /** Number of blocks written. */
  events: number;
  /** Number of bytes read. */
  bytes: number;
}

/** Another program wrote the session in the meantime. */
class ConcurrentWriteError extends Error {
  override readonly name = "ConcurrentWriteError";
}

/** `overtaken`: another program wrote the session in the meantime, so try again. */
export type Attempt = SessionOutcome | Unreadable | "overtaken";

/** Indexes a session. Returns every outcome as a value, except a failure of the store. */
export async function indexSession(request: IndexRequest): Promise<Attempt> {
  try {
    return await indexed(request);
  } catch (error) {
    if (error instanceof ConcurrentWriteError) return "overtaken";
    if (!isReadFault(error)) throw error;
    const [next, ...alternatives] = request.ref.alternatives;
    if (next !== undefined) return indexSession({ ...request, ref: { ...next, alternatives } });
    return { path: placeOf(request.ref), reason: faultOf(error) };
  }
}

function faultOf(error: unknown): string {
  if (!isSessionError(error)) return isAbsent(error) ? "it went away meanwhile" : reasonOf(error);
  return error.code === "gone" ? "it went away meanwhile" : reasonOf(error.cause ?? error);
}

/** Rejects with a `ConcurrentWriteError`, with a `TranscriptsError`, or with the error of reading the source. */
async function indexed(asked: IndexRequest): Promise<SessionOutcome> {
  const { store, sessionId, isNew } = asked;
  const stored = await store.session(sessionId);
  const request: IndexRequest = stored !== undefined && hasContent(stored) ? { ...asked, level: "content" } : asked;
  // Another session with the agent's id was stored in the meantime, for example by another machine.
  if (isNew && stored !== undefined && !isOfPlace(stored, request))
    return indexed({ ...request, sessionId: suffixedId(request.ref, store.machine), isNew: false });
  if (await isDone(asked, stored)) return { as: "unchanged", events: 0, bytes: 0 };
  const isKnown =
    stored !== undefined && (hasContent(stored) || (request.level === "figures" && stored.figures !== null));
  const as = isKnown ? "changed" : "new";
  const ref = await readHead(request.ref);
  if (ref.path === null || ref.bytes === null) {
    const indexing = new Indexing({ ...request, ref }, stored, 0);
    if (ref.database === null) {
      const { source = claudeCode, rest } = await detectInput(readableBytes(ref));
      return { as, ...(await indexing.whole(source, rest)) };
    }
    return { as, ...(await indexing.whole(new StoreSource(ref, ref.database), NO_CHUNKS)) };
  }
  const file = openSync(ref.path, "r");
  try {
    const { size, mtimeMs } = fstatSync(file);
    const dated = { ...ref, bytes: size, modifiedMs: mtimeMs };
    const indexing = new Indexing({ ...request, ref: dated }, stored, size);
    return { as, ...(await indexing.file(file)) };
  } finally {
    closeSync(file);
  }
}

function isOfPlace({ machine_id, host, path }: StoredSession, { ref, store: { machine } }: IndexRequest): boolean {
  const isOwn = machine_id === machine.id && (machine_id !== null || host === machine.host);
  return isOwn && [ref, ...ref.alternatives].some((form) => placeOf(form) === path);
}

type Done = Omit<SessionOutcome, "as">;

/** Values to write besides the rows. */
interface Progress {
  mark: SourcePlace;
  /** Whether everything up to the end of the source was read. */
  isWhole: boolean;
  /** Undefined for a source that is always read whole. */
  check: Omit<SourceCheck, "facts"> | undefined;
  /**
   * The last line was indexed before its line feed was written. It may have changed rows before the mark, and these
   * changes would stay even if the finished line is invalid. So the next run reads the source from its start.
   */
  goesOn?: boolean;
  /** See `SourceOptions.agentProgress`; for figures. */
  agentProgress?: boolean;
  facts: SessionFacts;
}

const NO_CHUNKS: AsyncIterable<Uint8Array> = (async function* () {})();

/** Ids of the rows that a run has read so far. */
class SeenRows {
  readonly #messages = new Set<string>();
  readonly #blocks = new Set<string>();

  get isEmpty(): boolean {
    return this.#messages.size === 0 && this.#blocks.size === 0;
  }

  addIds({ messages, blocks }: RowIds): void {
    for (const id of messages) this.#messages.add(id);
    for (const id of blocks) this.#blocks.add(id);
  }

  among({ messages, blocks }: KnownRows): KnownRows {
    return {
      messages: messages.filter(({ message_id: id }) => this.#messages.has(id)),
      blocks: blocks.filter(({ event_id: id }) => this.#blocks.has(id)),
      messageCount: this.#messages.size,
      blockCount: this.#blocks.size,
    };
  }

  missingIn({ messages, blocks }: RowIds): RowIds {
    return {
      messages: messages.filter((id) => !this.#messages.has(id)),
      blocks: blocks.filter((id) => !this.#blocks.has(id)),
    };
  }
}

/** Returns the rows that differ from the stored ones. */
function differing(rows: Rows, stored: KnownRows): Pick<Rows, "messages" | "blocks"> {
  const messages = new Map(stored.messages.map((row) => [row.message_id, row]));
  const blocks = new Map(stored.blocks.map((row) => [row.event_id, row]));
  return {
    messages: rows.messages.filter((row) => !isSame(row, messages.get(row.message_id))),
    blocks: rows.blocks.filter((row) => !isSame(row, blocks.get(row.event_id))),
  };
}

class Indexing {
  readonly #request: IndexRequest;
  readonly #stored: StoredSession | undefined;
  readonly #words: WordRedactor;
  readonly #size: number;
  /** Facts from the units before the mark. `#open` has the units after it, which the next run reads again. */
  #settled = new SessionFacts();
  #open: ToldUnit[] = [];
  /** Prompt as the source has it, with its secrets; only its rank if it is from an earlier run. */
  #prompt = new FirstPrompt();
  #revision: number;
  #written = 0;

  /** `size`: of a file, in bytes. */
  constructor(request: IndexRequest, stored: StoredSession | undefined, size: number) {
    this.#request = request;
    this.#stored = stored;
    this.#words = new WordRedactor(request.redactor);
    this.#size = size;
    this.#revision = stored?.state.revision ?? 0;
  }

  /** Indexes an open file, from the last mark on if it only grew. */
  async file(file: number): Promise<Done> {
    const { ref, rebuild, level, limits } = this.#request;
    const start = bytesOf(file, 0, this.#size, HEAD_BYTES);
    const { source = claudeCode } = await detectInput(refusingContent(start, placeOf(ref), refusalOptions(ref)));
    const agentProgress = await needsAgentProgress(ref);
    if (source.isAppended !== true || level === "figures")
      return this.whole(source, bytesOf(file, 0, this.#size, limits.chunkBytes), agentProgress);
    const state = this.#stored?.state;
    const check = state?.rules === INDEX_RULES && !rebuild ? unpackCheck(state.check) : undefined;
    const reading = { file, source, agentProgress };
    const isSame =
      state !== undefined &&
      check !== undefined &&
      check.facts !== "" &&
      this.#stored?.source === ref.source &&
      check.kind === source.name &&
      check.agentProgress === agentProgress &&
      isSameStart(file, { done: state.done_bytes, read: state.source_bytes, size: this.#size }, check);
    if (!isSame) return this.#appended(reading, START, 0);
    await this.#goOnWith(SessionFacts.unpack(check.facts));
    try {
      return await this.#appended(reading, { line: state.done_lines + 1, offset: state.done_bytes }, check.crc);
    } catch (error) {
      if (!(error instanceof NeedsWholeInput)) throw error;
      await this.#goOnWith(new SessionFacts());
      return await this.#appended(reading, START, 0);
    }
  }

  /** Continues with facts from the units before the mark. */
  async #goOnWith(facts: SessionFacts): Promise<void> {
    await this.#words.add(wordsInRow(this.#request.ref));
    this.#settled = facts;
    this.#open = [];
    this.#prompt = new FirstPrompt(facts.prompt, facts.promptRank);
  }

  /** Indexes a source that is only appended to, part by part. `crc` covers the bytes before `start`. */
  async #appended(
    { file, source, agentProgress }: { file: number; source: Source; agentProgress: boolean },
    start: SourcePlace,
    crc: number,
  ): Promise<Done> {
    const { store, sessionId, limits, signal } = this.#request;
    const options = { readOutput: outputReader(this.#request.ref), agentProgress, start };
    const parts = new Parts(start, limits);
    let rewritesFrom = this.#revision > 0 ? start.offset : undefined;
    let checked = { offset: start.offset, crc };
    const write = async ({ units, mark, torn = [], goesOn = false }: PartEnd, isWhole: boolean): Promise<void> => {
      checked = { offset: mark.offset, crc: crcBetween(file, checked.offset, mark.offset, checked.crc) };
      const edges = edgesOf(file, mark.offset, isWhole ? this.#size : mark.offset);
      const check = { kind: source.name, agentProgress, crc: checked.crc, edges };
      const told = await this.#told(source, units);
      const facts = this.#factsWith(told, mark);
      facts.addCounts(countsOf(torn, false));
      const before = rewritesFrom ?? units[0]?.offset ?? this.#size;
      const redacted = told.map(({ unit }) => unit);
      const rows = await rowsOf({ store, sessionId, source, resumedAt: start.offset }, redacted, before);
      await this.#write({ ...rows, ...given({ rewritesFrom }) }, { mark, isWhole, check, goesOn, facts });
      rewritesFrom = undefined;
    };
    // The next line will begin after the last line feed.
    const end = { line: start.line, offset: this.#size };
    let isEnded = true;
    const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        end.line += lineFeedsIn(chunk);
        isEnded = chunk.at(-1) === LINE_FEED;
        yield chunk;
      }
    };
    const bytes = bytesOf(file, start.offset, this.#size, limits.chunkBytes);
    for await (const units of source.read(counted(bytes), options)) {
      signal?.throwIfAborted();
      if (start.offset > 0) checkTypes(units);
      parts.add(units);
      const due = parts.takeDue();
      if (due) await write(due, false);
    }
    await write(parts.takeAll(isEnded ? end : undefined), true);
    return { events: this.#written, bytes: this.#size - start.offset };
  }

  /**
   * Indexes a source that may have been rewritten, part by part and from its start: writes only the rows that differ from
   * the stored ones.
   */
  async whole(source: Source, chunks: AsyncIterable<Uint8Array>, agentProgress = false): Promise<Done> {
    const { store, sessionId, level, limits, signal, ref } = this.#request;
    const parts = new Parts(START, limits);
    const seen = new SeenRows();
    const marked: SourceUnit[] = [];
    const isFirst = this.#revision === 0;
    const current = (ids: readonly string[]): Promise<KnownRows> =>
      store.known(sessionId, Number.MAX_SAFE_INTEGER, ids);
    // Other stored rows may be outdated.
    const known: Store["known"] = async (_id, _before, ids) => seen.among(await current(ids));
    const write = async ({ units }: PartEnd, isWhole: boolean): Promise<void> => {
      for (const told of await this.#told(source, units)) {
        this.#settled.add(told, source.name !== "opencode-export");
        marked.push(told.unit);
      }
      // Figures are written in one part: their rows lack what the next part would need.
      if (level === "figures" && !isWhole) return;
      const rows = await rowsOf({ store: { known }, sessionId, source, level }, marked.splice(0), seen.isEmpty ? 0 : 1);
      const messageIds = rows.messages.map((row) => row.message_id);
      seen.addIds({ messages: messageIds, blocks: rows.blocks.map((row) => row.event_id) });
      const progress = { mark: START, isWhole, agentProgress, facts: this.#settled, check: undefined };
      if (isFirst) {
        await this.#write(rows, progress);
        return;
      }
      const changed = differing(rows, await current(messageIds));
      // Stored rows that were not read are outdated.
      const superseded = isWhole ? seen.missingIn(await store.currentIds(sessionId)) : undefined;
      await this.#write({ ...rows, ...changed, ...given({ superseded }) }, progress);
    };
    let bytes = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    const options = { readOutput: outputReader(ref), agentProgress };
    for await (const units of source.read(counted(), options)) {
      signal?.throwIfAborted();
      for (const unit of units) bytes += ref.database === null ? 0 : sizeOf(unit);
      parts.add(units);
      const due = parts.takeDue();
      if (due) await write(due, false);
    }
    await write(parts.takeAll(START), true);
    return { events: this.#written, bytes };
  }

  /** Returns the facts from all units so far. */
  #factsWith(units: readonly ToldUnit[], mark: SourcePlace): SessionFacts {
    for (const unit of units) this.#open.push(unit);
    const behind = this.#open.findIndex(({ unit }) => unit.offset >= mark.offset);
    const before = this.#open.splice(0, behind === -1 ? this.#open.length : behind);
    for (const unit of before) this.#settled.add(unit, true);
    const facts = SessionFacts.unpack(this.#settled.pack());
    for (const unit of this.#open) facts.add(unit, true);
    return facts;
  }

  async #told(source: Source, raw: readonly SourceUnit[]): Promise<ToldUnit[]> {
    await setImmediate();
    const { redactor, level } = this.#request;
    const units = await redactUnits(redactor, this.#words, raw, level);
    const told: ToldUnit[] = [];
    for (const [at, unit] of units.entries()) {
      const own = raw[at];
      const counts = own === undefined ? NO_COUNTS : countsOf([own], source.isRedacted === true);
      const { rank } = this.#prompt;
      for (const draft of own?.messages ?? []) {
        this.#prompt.add(draft, () => draft.blocks.flatMap(({ type, text }) => (type === "text" ? (text ?? "") : [])));
      }
      const { text, rank: found } = this.#prompt;
      if (text === null || found === rank) told.push({ unit, counts });
      else {
        const [redacted] = await redactor.redact([{ text, cut: true }]);
        told.push({ unit, counts, prompt: { text: redacted?.text ?? "", rank: found } });
      }
    }
    return told;
  }

  async #write(
    { blockCount, ...rows }: Rows & Pick<SessionChange, "superseded" | "rewritesFrom">,
    { mark, isWhole, check, goesOn = false, agentProgress = false, facts }: Progress,
  ): Promise<void> {
    const { store, sessionId, ref, level } = this.#request;
    await this.#words.add(wordsInRow(ref));
    const row = rowOf(sessionId, ref, facts, (word) => this.#words.clean(word), store.machine);
    const source = {
      rules: INDEX_RULES,
      source_bytes: isWhole ? this.#size : mark.offset,
      // A time of zero never matches, so the next run sees that the source was not read to its end.
      source_modified_ms: isWhole ? ref.modifiedMs : 0,
    };
    const state = {
      ...source,
      revision: this.#revision + 1,
      done_bytes: mark.offset,
      done_lines: mark.line - 1,
      events: blockCount,
      check: check === undefined ? "" : packCheck({ ...check, facts: goesOn ? "" : this.#settled.pack() }),
    };
    const done = await store.writeSession({
      session:
        level === "figures"
          ? { ...row, state: { ...NOT_INDEXED, revision: state.revision }, figures: { ...source, agentProgress } }
          : { ...row, state, figures: null },
      expected: this.#revision,
      ...rows,
    });
    if (!done) throw new ConcurrentWriteError(`Session ${sessionId} was written by somebody else.`);
    this.#revision += 1;
    this.#written += rows.blocks.length;
  }
}

interface PartEnd {
  units: SourceUnit[];
  /** Where the next run begins to read. */
  mark: SourcePlace;
  /** Units that are not used, since their line is not whole. */
  torn?: SourceUnit[];
  /** See `Progress`. */
  goesOn?: boolean;
}

/** Collects units into parts that end at the end of a line, each small enough for one transaction. */
class Parts {
  readonly #limits: IndexLimits;
  #units: SourceUnit[] = [];
  #size = 0;
  /** Start of the next part if no more units are added to this one. */
  mark: SourcePlace;

  constructor(start: SourcePlace, limits: IndexLimits) {
    this.#limits = limits;
    this.mark = start;
  }

  add(units: readonly SourceUnit[]): void {
    for (const unit of units) {
      this.#units.push(unit);
      this.#size += sizeOf(unit);
    }
  }

  /** Takes all units except those of the last line, once there are enough of them. */
  takeDue(): PartEnd | undefined {
    if (this.#size < this.#limits.textChars && this.#units.length < this.#limits.events) return undefined;
    const last = this.#units.at(-1);
    const end = this.#units.findIndex(({ line }) => line === last?.line);
    const before = this.#units[end - 1];
    if (last === undefined || before === undefined) return undefined;
    const units = this.#units.splice(0, end);
    this.#size = this.#units.reduce((sum, unit) => sum + sizeOf(unit), 0);
    return { units, mark: this.#advance(before.resume ?? { line: last.line, offset: last.offset }) };
  }

  /**
   * Takes all units. `end` is the end of the source if its last line is complete; otherwise the next run reads that
   * line again.
   */
  takeAll(end: SourcePlace | undefined): PartEnd {
    const units = this.#units.splice(0);
    const last = units.at(-1);
    const ofLast = units.filter(({ line }) => line === last?.line);
    // A last line without a line feed counts if it parses without problems.
    const isUsed = end !== undefined || ofLast.every(({ problems }) => problems.length === 0);
    const unused = isUsed ? [] : units.splice(units.length - ofLast.length);
    const torn = tornTail([...units, ...unused]);
    const tail = torn ?? last;
    const isTorn = end === undefined || torn !== undefined;
    const goesOn = end === undefined && isUsed && last !== undefined;
    return { units, torn: unused, goesOn, mark: this.#advance(last?.resume ?? (isTorn ? placeIn(tail) : end)) };
  }

  #advance(mark: SourcePlace | undefined): SourcePlace {
    // An unfinished unit may have begun before this part. What the first line begins with, such as a byte order mark, is
    // only seen from the start.
    if (mark !== undefined && mark.line > 1 && mark.offset > this.mark.offset) this.mark = mark;
    return this.mark;
  }
}

/** Returns the first of the unusable units at the end, which may be the beginning of an entry that is still being written. */
function tornTail(units: readonly SourceUnit[]): SourceUnit | undefined {
  const end = units.slice(units.findLastIndex(({ outcome: { as } }) => as !== "failed" && as !== "blank") + 1);
  return end.find(({ outcome }) => outcome.as === "failed");
}

function placeIn(unit: SourceUnit | undefined): SourcePlace | undefined {
  return unit && { line: unit.line, offset: unit.offset };
}

/** Throws `NeedsWholeInput` for a record of unknown type, because no row says whether an earlier run counted it. */
function checkTypes(units: readonly SourceUnit[]): void {
  if (units.some(({ outcome, identity }) => outcome.as === "unknown" && identity !== undefined))
    throw new NeedsWholeInput("A line of unknown type may be one that was counted before.");
}

function sizeOf({ messages }: SourceUnit): number {
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

const LINE_FEED = 10;

/** Yields chunks that do not share memory, because readers keep them. */
async function* bytesOf(file: number, from: number, to: number, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to;) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, to - at));
    const length = readSync(file, buffer, 0, buffer.length, at);
    if (length === 0) return;
    at += length;
    yield buffer.subarray(0, length);
    await setImmediate();
  }
}

/** Returns true if the stored row equals the new one, ignoring nulls, which keep the stored value. */
function isSame(row: StoredMessage | StoredBlock, stored: StoredMessage | StoredBlock | undefined): boolean {
  if (stored === undefined) return false;
  const known = new Map<string, unknown>(Object.entries(stored));
  return Object.entries(row).every(([name, value]: [string, unknown]) => {
    const before = known.get(name);
    if (value === null || value === before) return true;
    return typeof value === "object" && JSON.stringify(value) === JSON.stringify(before);
  });
}
