/**
 * Blocks with the term, and what their hits will say but for the tool of a result, which needs its call.
 *
 * Texts are searched as redacted. Redaction takes text away and puts markers in, so a block whose own text lacks the term
 * has it afterwards only in a marker: only blocks that have it are redacted and searched again, unless the term can be in
 * a marker. (The name of a kind, as in `[REDACTED:kind]`, is not looked for.)
 */
import type { SourceUnit } from "../parse/draft.ts";
import { TimeSpan } from "../parse/times.ts";
import { givenTitle } from "../parse/titles.ts";
import { redactBlocks } from "../parse/redact-rows.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { ParsedContentBlock } from "../parse/model.ts";
import { CallBook, callOf } from "./find-calls.ts";
import { foldedPattern } from "../matching/folding.ts";
import { hitRole, type FindFilters, type Hit } from "./find-hit.ts";
import { isOwnRecall } from "./find-own-output.ts";
import { passageAround } from "../matching/passage.ts";
import { searchedTexts } from "./find-text.ts";
import type { LineMessage } from "./find-units.ts";

/** Whether a redacted text may have the term where the text itself has not. */
export function mayBeInMarker(term: string): boolean {
  return /[[\]]/.test(term) || "redacted:".includes(term.toLowerCase());
}

let loaded: Promise<Redactor> | undefined;

/** Loaded with the first block that has a term. */
async function redactor(): Promise<Redactor> {
  loaded ??= import("../redact/redactor.ts").then(({ createRedactor }) => createRedactor());
  return loaded;
}

type FoundText = Pick<Hit, "passage" | "matches" | "match_count">;
type Candidate = { hit: Omit<Hit, "passage" | "matches" | "match_count">; block: ParsedContentBlock };

/** Whether a session, by the times of its first and last entry, went on in the time that is asked for. */
export function isWithin(
  { first, last }: { first: string | null; last: string | null },
  { since, until }: Pick<FindFilters, "since" | "until">,
): boolean {
  if (since !== undefined && !(Date.parse(last ?? "") >= since.getTime())) return false;
  return until === undefined || Date.parse(first ?? "") < until.getTime();
}

export class MatchFinder {
  readonly calls = new CallBook();
  readonly hits: Hit[] = [];
  /** Blocks that are to be redacted and searched again. */
  #candidates: Candidate[] = [];
  readonly #takesAll: boolean;
  #title: { text: string; line: number; offset: number } | undefined;
  #span = new TimeSpan();
  readonly #pattern: RegExp;
  readonly #filters: FindFilters;

  constructor(term: string, filters: FindFilters) {
    this.#pattern = foldedPattern(term);
    this.#filters = filters;
    this.#takesAll = filters.raw !== true && mayBeInMarker(term);
  }

  add({ message, blocks }: LineMessage): void {
    const isInTime = this.#isInTime(message.timestamp);
    for (const block of blocks) {
      const made = callOf(block);
      const call = made && this.calls.add(made);
      if (!isInTime || call?.isOwn === true) continue;
      const role = hitRole(message, block);
      if (!this.#isWanted(block, role)) continue;
      const found = this.#takesAll ? undefined : this.#search(block);
      if (!found && !this.#takesAll) continue;
      const hit = {
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
      if (this.#filters.raw === true && found) this.hits.push({ ...hit, ...found });
      else this.#candidates.push({ hit, block });
    }
  }

  /** Notes what a unit says of the session's title, of which the last one counts, and of its times. */
  note({ session, line, offset, timestamp, messages }: SourceUnit): void {
    const title = givenTitle(session?.title);
    // An event of a transcript of ours is found as what it is, a message.
    if (title !== null && messages.length > 0) this.#title = undefined;
    else if (title !== null) this.#title = { text: title.replaceAll(/\s+/g, " ").trim(), line, offset };
    for (const time of [timestamp, ...messages.map((message) => message.timestamp)]) {
      if (time !== undefined && time !== null) this.#span.add(time);
    }
  }

  /** Whether a title was noted that may have the term. What was noted is forgotten: there may be a later one. */
  takeTitle(): boolean {
    const text = this.#title?.text;
    this.#title = undefined;
    this.#span = new TimeSpan();
    this.#pattern.lastIndex = 0;
    return text !== undefined && (this.#takesAll || this.#pattern.test(text));
  }

  /** Makes a hit of the title that was noted last, if it has the term. It has the time at which the session began. */
  async settleTitle(hasLine: boolean): Promise<void> {
    const { role, tool, errorsOnly, raw } = this.#filters;
    if (this.#title === undefined || tool !== undefined || errorsOnly === true) return;
    const { first, last } = this.#span;
    if ((role !== undefined && role !== "system") || !isWithin({ first, last }, this.#filters)) return;
    const { text: given, line, offset } = this.#title;
    const [redacted] = raw === true ? [{ text: given }] : await (await redactor()).redact([{ text: given }]);
    const found = this.#searchTexts([redacted?.text ?? ""]);
    if (!found) return;
    this.hits.push({
      line_number: hasLine ? line : 0,
      byte_offset: hasLine ? offset : 0,
      timestamp: first,
      message_type: "system",
      role: "system",
      block_type: "title",
      tool_name: null,
      tool_use_id: null,
      ...found,
    });
  }

  /** Makes hits of what was added. To be called before the hits are used, and often enough that few blocks are kept. */
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
      const found = block && this.#search(block);
      if (found) this.hits.push({ ...hit, ...found });
    }
  }

  /** Ids of results that have the term. */
  resultIds(): Set<string> {
    const results = this.hits.filter(({ block_type }) => block_type === "tool_result");
    return new Set(results.map(({ tool_use_id }) => tool_use_id).filter((id) => id !== null));
  }

  /** The hits, with the tools that `calls` knows, without what this program printed. */
  *resolved(calls: CallBook): Generator<Hit> {
    const tool = this.#filters.tool?.toLowerCase();
    for (const hit of this.hits) {
      const isResult = hit.block_type === "tool_result" && hit.tool_use_id !== null;
      const call = isResult ? calls.of(hit.tool_use_id ?? "", hit.line_number) : undefined;
      const name = call?.tool ?? hit.tool_name;
      if (call?.isOwn === true || isOwnRecall(name, null)) continue;
      if (tool === undefined || name?.toLowerCase() === tool) yield { ...hit, tool_name: name };
    }
  }

  #isInTime(timestamp: string | null): boolean {
    const { since, until } = this.#filters;
    if (since === undefined && until === undefined) return true;
    const ms = Date.parse(timestamp ?? "");
    return ms >= (since?.getTime() ?? Number.NEGATIVE_INFINITY) && ms < (until?.getTime() ?? Number.POSITIVE_INFINITY);
  }

  #isWanted({ block_type, status }: ParsedContentBlock, role: Hit["role"]): boolean {
    const { role: wanted, tool, errorsOnly } = this.#filters;
    if (wanted !== undefined && role !== wanted) return false;
    if (tool !== undefined && role !== "tool") return false;
    return errorsOnly !== true || (block_type === "tool_result" && status === "error");
  }

  #search(block: ParsedContentBlock): FoundText | undefined {
    return this.#searchTexts(searchedTexts(block));
  }

  #searchTexts(texts: readonly string[]): FoundText | undefined {
    let count = 0;
    let first: { text: string; places: (readonly [number, number])[] } | undefined;
    for (const text of texts) {
      // Not by its content: two texts of a block may be alike.
      const isFirst = first === undefined;
      this.#pattern.lastIndex = 0;
      for (let match = this.#pattern.exec(text); match; match = this.#pattern.exec(text)) {
        count += 1;
        first ??= { text, places: [] };
        // A passage shows 200 characters: more matches than that never stand in it.
        if (isFirst && first.places.length < 200) first.places.push([match.index, this.#pattern.lastIndex]);
      }
    }
    if (!first) return undefined;
    const { text: passage, matches } = passageAround(first.text, first.places);
    return { passage, matches, match_count: count };
  }
}
