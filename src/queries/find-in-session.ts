/**
 * Searches one session: the common reader reads it, and each block is checked like the entries of the store. Texts are
 * searched as redacted.
 *
 * Redaction only removes text and adds markers, so a block without a term can only gain it in a marker: unless the term
 * can be in a marker, only blocks with the term are redacted and searched again. (The kind in `[REDACTED:kind]` is not
 * searched.)
 */
import { chunksOf } from "../transcript/format/formats.ts";
import { contentOf, type Input } from "../agents/detect.ts";
import { fileName } from "../calls/file-paths.ts";
import { usesFile } from "../agents/all-tools.ts";
import { passageAround } from "../matching/passage.ts";
import { isWithin } from "../search/collect.ts";
import { leastTerms, TermMatcher } from "../search/matching-texts.ts";
import type { InputUnit } from "../parse/message-draft.ts";
import type { ReadOptions, SessionContent } from "../parse/content.ts";
import { type LineMessage, readLines } from "../parse/line-messages.ts";
import type { BlockType, MessageType, ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import { redactBlocks } from "../parse/redact-rows.ts";
import { TimeSpan } from "../parse/times.ts";
import { callsByBlock, correlateToolCalls } from "../parse/tool-calls.ts";
import { givenTitle } from "../parse/titles.ts";
import type { Redactor } from "../redact/redactor.ts";
import { hitRole, type HitRole, searchedTexts } from "../parse/searched-texts.ts";
import { isOwnRecall } from "../calls/own-recall.ts";
import { refusingContent } from "../sessions/refuse-content.ts";
import { mayBeInMarker } from "./byte-filter.ts";

export type { HitRole } from "../parse/searched-texts.ts";

export interface FindFilters {
  /** Only lines at this time or later; leaves out those without a time. */
  since?: Date;
  /** Only lines before this time; leaves out those without a time. */
  until?: Date;
  role?: HitRole;
  /** Only calls of this tool and their results; case is ignored. */
  tool?: string;
  /** Only results of calls that failed; without a term, calls that failed. */
  errorsOnly?: boolean;
  /**
   * Only a session with a call that read or changed this file: an absolute path, or a last part of one, such as a name.
   * Without a term, finds those calls.
   */
  file?: string;
}

/** A block with the term. */
export interface Hit {
  /** The block's line, from 1. `byte_offset` is where the line begins, from 0. */
  line_number: number;
  byte_offset: number;
  /** Time of the line. */
  timestamp: string | null;
  message_type: MessageType;
  role: HitRole;
  /** `title`: the session's title; its line is 0 if the source has it on no line. */
  block_type: BlockType | "title";
  /** Tool of a call or result; null if a result's call is not in the session. */
  tool_name: string | null;
  tool_use_id: string | null;
  /** One line around the first match. */
  passage: string;
  /** Matches in the passage: start and end in UTF-16 units. */
  matches: (readonly [start: number, end: number])[];
  /** Number of matches in the block. */
  match_count: number;
  /** From or to a subagent, in the file of the session that started it. */
  is_sidechain?: true;
}

export interface FindQuery extends FindFilters {
  /** Not empty; may be left out with `file`. Case is ignored: see `foldedPattern`. */
  term?: string;
}

export interface TermsQuery extends FindFilters {
  /** Terms from `searchedTerms`. With several, a block needs all but one. */
  terms: readonly string[];
  /** Finds the calls that use `file`, whose name is the only term. */
  calls?: boolean;
}

export interface TermsHit extends Hit {
  /** Number of matches per term. */
  counts: number[];
}

/**
 * Yields blocks with the term, in input order: message texts, thinking, names and inputs of tools, and results, as text
 * rather than JSON. A block that the session repeats is found once; output of this program's own searches is never
 * found. Content never makes it throw, unless it is another program's; an error of the input itself is passed on.
 */
export async function* findInSession(
  input: Input,
  { term, ...filters }: FindQuery,
  options: ReadOptions = {},
): AsyncGenerator<Hit> {
  const { file } = filters;
  if (term === "" || (term === undefined && file === undefined))
    throw new RangeError("The term to find is empty. Give at least one character.");
  const calls = term === undefined;
  const terms = [term ?? fileName(file ?? "")];
  const chunks = typeof input === "function" ? input() : chunksOf(input);
  const content = contentOf(refusingContent(chunks, "The file", { mayBeEmpty: true, mayBeUnknown: true }));
  const { hits } = await findTerms(content, { ...filters, terms, calls }, options);
  for (const { counts: _, ...hit } of hits) yield hit;
}

export interface FoundTerms {
  hits: TermsHit[];
  /** Number of damaged places, where text may be missing. */
  damaged: number;
}

/** Like `findInSession`, for several terms. */
export async function findTerms(
  content: SessionContent,
  query: TermsQuery,
  options: ReadOptions = {},
): Promise<FoundTerms> {
  const finder = new MatchFinder(query);
  const { format, lines } = await readLines(content, options);
  let damaged = 0;
  for await (const { unit, messages } of lines) {
    damaged += unit.problems.length;
    finder.note(unit);
    for (const message of messages) finder.add(message);
    if (finder.waiting >= MOST_WAITING) await finder.settle();
  }
  await finder.settle();
  // An export has the title outside of the messages, so it is on no line.
  await finder.settleTitle(format.lines !== "none");
  return { hits: [...finder.resolved()], damaged };
}

let loaded: Promise<Redactor> | undefined;

/** Created for the first block that has a term. */
async function redactor(): Promise<Redactor> {
  loaded ??= import("../redact/redactor.ts").then(({ createRedactor }) => createRedactor());
  return loaded;
}

/** Blocks that are redacted and searched again together. */
const MOST_WAITING = 200;

/** A hit with the id of its block; a title has none. */
interface FoundHit extends TermsHit {
  block_id: string | null;
}

type FoundText = Pick<TermsHit, "passage" | "matches" | "match_count" | "counts">;

interface Candidate {
  hit: Omit<FoundHit, keyof FoundText>;
  block: ParsedContentBlock;
}

class MatchFinder {
  /** Calls and results without their content, to find which belong together. */
  readonly #messages: TranscriptMessage[] = [];
  readonly #blocks: ParsedContentBlock[] = [];
  /** Calls of this program's own searches, by block. */
  readonly #own = new Set<string>();
  readonly #hits: FoundHit[] = [];
  #candidates: Candidate[] = [];
  #title: { text: string; line: number; offset: number } | undefined;
  readonly #span = new TimeSpan();
  readonly #matcher: TermMatcher;
  /** Redaction may add a term to a text that lacks it. */
  readonly #isInMarker: boolean;
  readonly #filters: Omit<TermsQuery, "terms">;
  #hasFile = false;

  constructor({ terms, ...filters }: TermsQuery) {
    this.#matcher = new TermMatcher(terms, leastTerms(terms));
    this.#isInMarker = terms.some(mayBeInMarker);
    this.#filters = filters;
  }

  get waiting(): number {
    return this.#candidates.length;
  }

  add({ message, blocks }: LineMessage): void {
    const isInTime = this.#isInTime(message.timestamp);
    for (const block of blocks) {
      const isUse = block.block_type === "tool_use";
      const isOwn = isUse && isOwnRecall(block.tool_name, block.tool_input);
      if (isOwn) this.#own.add(block.id);
      if (isUse || block.block_type === "tool_result") this.#noteCall(message, block);
      const isOfFile = isUse && !isOwn && this.#usesFile(block, message.cwd);
      if (!isInTime || isOwn || (this.#filters.calls === true && !isOfFile)) continue;
      const role = hitRole(message, block);
      if (!this.#isWanted(block, role)) continue;
      const found = this.#search(searchedTexts(block));
      if (!found && !this.#isInMarker) continue;
      const hit = {
        block_id: block.id,
        line_number: message.line_number,
        byte_offset: message.byte_offset,
        timestamp: message.timestamp,
        message_type: message.message_type,
        role,
        block_type: block.block_type,
        tool_name: block.tool_name,
        tool_use_id: block.tool_use_id ?? block.tool_result_id,
        ...(message.is_sidechain ? { is_sidechain: true as const } : {}),
      };
      this.#candidates.push({ hit, block });
    }
  }

  /** Records the title in a unit, of which the last one counts, and its times. */
  note({ session, line, offset, timestamp, messages }: InputUnit): void {
    const title = givenTitle(session?.title);
    // In our own transcripts the title is an event, which is found as a message.
    if (title !== null && messages.length > 0) this.#title = undefined;
    else if (title !== null) this.#title = { text: title.replaceAll(/\s+/g, " ").trim(), line, offset };
    if (timestamp !== undefined) this.#span.add(timestamp);
    for (const message of messages) if (message.timestamp !== undefined) this.#span.add(message.timestamp);
  }

  /** Adds a hit for the last title if it has the terms, with the time at which the session began. */
  async settleTitle(hasLine: boolean): Promise<void> {
    const { role, tool, errorsOnly, calls } = this.#filters;
    if (this.#title === undefined || calls === true || tool !== undefined || errorsOnly === true) return;
    const { first, last } = this.#span;
    if ((role !== undefined && role !== "system") || !isWithin({ first, last }, this.#filters)) return;
    const { text: given, line, offset } = this.#title;
    if (!this.#search([given]) && !this.#isInMarker) return;
    const [redacted] = await (await redactor()).redact([{ text: given }]);
    const hit = {
      block_id: null,
      line_number: hasLine ? line : 0,
      byte_offset: hasLine ? offset : 0,
      timestamp: first,
      message_type: "system",
      role: "system",
      block_type: "title",
      tool_name: null,
      tool_use_id: null,
    } as const;
    this.#keep(hit, this.#search([redacted?.text ?? ""]));
  }

  /** Turns the added blocks into hits. */
  async settle(): Promise<void> {
    const candidates = this.#candidates;
    if (candidates.length === 0) return;
    this.#candidates = [];
    const blocks = await redactBlocks(
      candidates.map(({ block }) => block),
      await redactor(),
    );
    for (const [at, { hit }] of candidates.entries()) {
      const block = blocks[at];
      if (block) this.#keep(hit, this.#search(searchedTexts(block)));
    }
  }

  /** Yields the hits with the tools that results belong to, and without this program's own output. */
  *resolved(): Generator<TermsHit> {
    const { file, calls, errorsOnly } = this.#filters;
    if (file !== undefined && !this.#hasFile) return;
    const tool = this.#filters.tool?.toLowerCase();
    const found = callsByBlock(correlateToolCalls(this.#messages, this.#blocks));
    for (const { block_id: id, ...hit } of this.#hits) {
      const call = id === null ? undefined : found.get(id);
      const name = call?.tool_name ?? hit.tool_name;
      if (this.#own.has(call?.use?.block_id ?? "") || isOwnRecall(name, null)) continue;
      if (calls === true && errorsOnly === true && call?.status !== "error") continue;
      if (tool === undefined || name?.toLowerCase() === tool) yield { ...hit, tool_name: name };
    }
  }

  #noteCall(message: TranscriptMessage, block: ParsedContentBlock): void {
    if (this.#messages.at(-1) !== message) this.#messages.push(message);
    this.#blocks.push({ ...block, tool_input: null, result_text: null });
  }

  #keep(hit: Candidate["hit"], found: FoundText | undefined): void {
    if (found) this.#hits.push({ ...hit, ...found });
  }

  #usesFile({ tool_name: tool, tool_input: input }: ParsedContentBlock, cwd: string | null): boolean {
    const { file } = this.#filters;
    const isOfFile = file !== undefined && usesFile(file, tool, input, cwd);
    this.#hasFile ||= isOfFile;
    return isOfFile;
  }

  #isInTime(timestamp: string | null): boolean {
    const { since, until } = this.#filters;
    if (since === undefined && until === undefined) return true;
    const ms = Date.parse(timestamp ?? "");
    return ms >= (since?.getTime() ?? Number.NEGATIVE_INFINITY) && ms < (until?.getTime() ?? Number.POSITIVE_INFINITY);
  }

  #isWanted({ block_type, status }: ParsedContentBlock, role: Hit["role"]): boolean {
    const { role: wanted, tool, errorsOnly, calls } = this.#filters;
    if (wanted !== undefined && role !== wanted) return false;
    if (tool !== undefined && role !== "tool") return false;
    return errorsOnly !== true || calls === true || (block_type === "tool_result" && status === "error");
  }

  #search(texts: readonly string[]): FoundText | undefined {
    const match = this.#matcher.matchTexts(texts);
    if (!match) return undefined;
    const { text: passage, matches } = passageAround(match.text, match.places);
    return { passage, matches, match_count: match.count, counts: match.counts };
  }
}
