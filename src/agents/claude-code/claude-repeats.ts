/**
 * Finds the new blocks of a session, and the answers that they belong to.
 *
 * Claude Code repeats itself: in every line of an answer, when it records a session into the same file again, and after
 * a compaction. The lines of an answer share the provider's id, but some gateways give every answer the same id, and
 * exports may have replaced ids. So an id that comes again is a repeat, a continuation or another answer.
 */
import { hash } from "node:crypto";
import { jsonText } from "../../parse/json-fields.ts";
import type { BlockDraft, MessageDraft, UsageDraft } from "../../parse/message-draft.ts";
import { keyByTime } from "../../parse/usage-ledger.ts";

/** Stands for the id of an answer that has none. */
const NO_ID = "";

/** Answer of which more may come. */
interface Answer {
  /** Names it: `MessageDraft.answerId`. */
  key: string;
  lane: string;
  requestId: string | undefined;
  usage: UsageDraft | undefined;
  stopReason: string | undefined;
  /** Number of prompts before its last piece. */
  prompts: number;
  /** One of its calls has a result. */
  isAnswered: boolean;
}

export class ClaudeRepeats {
  /** Hashes of blocks, each with the name of its answer, record or call. */
  readonly #seen = new Set<string>();
  /** Number of calls minus that of their results, by call id: some providers restart the numbering in each answer. */
  readonly #waiting = new Map<string, number>();
  /** Latest answer with an id. */
  readonly #latest = new Map<string, Answer>();
  /** Answers by their lines, times and calls, each with the id. */
  readonly #byTrace = new Map<string, Answer>();
  readonly #byCall = new Map<string, Answer>();
  /** Ids of requests, after that of the answer, that different answers have: exports may have replaced both. */
  readonly #sharedRequests = new Set<string>();
  /** Number of prompts so far, by agent. */
  readonly #prompts = new Map<string, number>();

  /** Leaves only the new blocks in a draft and sets its `answerId`. Returns undefined if all of it is a repeat. */
  newIn(draft: MessageDraft): MessageDraft | undefined {
    const { type, sourceId, usage } = draft;
    // Some gateways give no id. Then the pieces of an answer share its usage.
    const id = sourceId ?? (usage === undefined ? undefined : NO_ID);
    return type === "assistant" && id !== undefined ? this.#newInAnswer(draft, id) : this.#newInRecord(draft);
  }

  #newInRecord(draft: MessageDraft): MessageDraft | undefined {
    const { type, userKind, uuid } = draft;
    // Texts in place of uuids, as in anonymized files, may be the same in many records.
    const name = uuid !== undefined && /^[\w-]+$/.test(uuid) ? uuid : undefined;
    const blocks =
      draft.blocks.length === 0 && name !== undefined ? this.#onlyOnce(draft, name) : this.#new(draft, name);
    if (blocks === undefined) return undefined;
    for (const { toolUseId: call } of blocks) {
      const answer = call === undefined ? undefined : this.#byCall.get(call);
      if (answer !== undefined) answer.isAnswered = true;
    }
    if (type === "user" && userKind === "human") {
      const lane = laneOf(draft);
      this.#prompts.set(lane, this.#promptsIn(lane) + 1);
    }
    draft.blocks = blocks;
    return draft;
  }

  /** For a record without blocks, of which its uuid and kind are all that a repeat can show. */
  #onlyOnce({ type, metadata }: MessageDraft, name: string): BlockDraft[] | undefined {
    const identity = sha1(`empty\n${name}\n${type}\n${metadata?.subtype ?? ""}`);
    if (this.#seen.has(identity)) return undefined;
    this.#seen.add(identity);
    return [];
  }

  #newInAnswer(draft: MessageDraft, id: string): MessageDraft | undefined {
    const traces = tracesOf(draft, id);
    const repeated = this.#repeated(draft, traces);
    if (repeated !== undefined) {
      if ((draft.usage?.tokensOut ?? 0) <= (repeated.usage?.tokensOut ?? 0)) return undefined;
      // A copy may have a later count of its tokens.
      draft.answerId = repeated.key;
      draft.blocks = [];
      return draft;
    }
    const latest = this.#latest.get(id);
    const answer = latest !== undefined && this.#continues(draft, id, latest) ? latest : begun(draft, id);
    const request = `${id}\n${draft.requestId ?? ""}`;
    if (latest !== undefined && answer !== latest && this.#sharesRequest(draft, latest))
      this.#sharedRequests.add(request);
    this.#latest.set(id, answer);
    answer.prompts = this.#promptsIn(answer.lane);
    answer.requestId ??= draft.requestId;
    if (this.#sharedRequests.has(request)) draft.requestId = undefined;
    // Gateways may give every answer the same id.
    if (draft.requestId === undefined) draft.copyKey = keyByTime(id, draft.timestamp ?? null);
    answer.usage = draft.usage ?? answer.usage;
    answer.stopReason = draft.metadata?.stop_reason ?? answer.stopReason;
    for (const trace of traces) if (!this.#byTrace.has(trace)) this.#byTrace.set(trace, answer);
    for (const call of callsIn(draft)) this.#byCall.set(call, answer);
    draft.answerId = answer.key;
    draft.blocks = this.#new(draft, answer.key) ?? [];
    return draft;
  }

  /** Returns the answer that has all these blocks already, from the same line, time or call. */
  #repeated(draft: MessageDraft, traces: readonly string[]): Answer | undefined {
    return traces
      .map((trace) => this.#byTrace.get(trace))
      .find((answer) => answer !== undefined && this.#hasAll(answer, draft));
  }

  /** Returns whether a piece that begins an answer has the id of the request of a different one, which it is no copy of. */
  #sharesRequest(draft: MessageDraft, answer: Answer): boolean {
    if (draft.requestId === undefined || draft.requestId !== answer.requestId) return false;
    const isSame = draft.usage === undefined || answer.usage === undefined || isSameInput(draft.usage, answer.usage);
    return !isSame || !this.#hasAll(answer, draft);
  }

  #hasAll({ key }: Answer, { blocks }: MessageDraft): boolean {
    return blocks.every((block) => this.#seen.has(identityOf(block, key) ?? ""));
  }

  #continues(
    { requestId, usage, metadata, uuid, parentUuid, blocks }: MessageDraft,
    id: string,
    answer: Answer,
  ): boolean {
    const now = usage && mainCall(usage);
    const before = answer.usage && mainCall(answer.usage);
    // All lines with a stop reason have the final count.
    if (now && before && answer.stopReason !== undefined) {
      if (answer.stopReason !== metadata?.stop_reason || now.tokensOut !== before.tokensOut) return false;
    }
    if (id === NO_ID && !(now && before && inputOf(now) > 0 && isSameInput(now, before))) return false;
    if (uuid !== parentUuid && this.#byTrace.get(lineTrace(id, parentUuid ?? "")) === answer) return true;
    if (requestId !== undefined && answer.requestId !== undefined && requestId !== answer.requestId) return false;
    if (now && before && inputOf(now) > 0 && inputOf(before) > 0 && !isSameInput(now, before)) return false;
    // After the result of one of its calls, an answer only goes on with parallel calls.
    if (answer.isAnswered && blocks.some(({ type }) => type === "text" || type === "thinking")) return false;
    return answer.prompts === this.#promptsIn(answer.lane);
  }

  #promptsIn(lane: string): number {
    return this.#prompts.get(lane) ?? 0;
  }

  /** Returns the new blocks; undefined if there were only repeats. Within one piece, equal blocks all count. */
  #new({ blocks }: MessageDraft, name: string | undefined): BlockDraft[] | undefined {
    const identities = blocks.map((block) => identityOf(block, name));
    const news = blocks.filter((block, at) => this.#isNew(block, this.#seen.has(identities[at] ?? "")));
    for (const identity of identities) if (identity !== undefined) this.#seen.add(identity);
    return news.length === 0 && blocks.length > 0 ? undefined : news;
  }

  #isNew({ type, toolUseId: id }: BlockDraft, isKnown: boolean): boolean {
    if (id === undefined || (type !== "tool_use" && type !== "tool_result")) return !isKnown;
    const waiting = this.#waiting.get(id) ?? 0;
    if (isKnown && (type === "tool_use" || waiting <= 0)) return false;
    const still = type === "tool_use" ? waiting + 1 : waiting - 1;
    if (still === 0) this.#waiting.delete(id);
    else this.#waiting.set(id, still);
    return true;
  }
}

function begun(draft: MessageDraft, id: string): Answer {
  const { uuid = "", requestId, usage } = draft;
  const lane = laneOf(draft);
  return {
    key: `${id}\n${uuid}`,
    lane,
    requestId,
    usage,
    stopReason: undefined,
    prompts: 0,
    isAnswered: false,
  };
}

/** Identifies a block among those of an answer, a record or a call; undefined if equal blocks may all be genuine. */
function identityOf(block: BlockDraft, name: string | undefined): string | undefined {
  const { type, toolUseId, toolName, text = "", input, isError, identity = text, metadata } = block;
  if (type === "tool_result" && toolUseId !== undefined)
    return sha1(`${type}\n${toolUseId}\n${isError ?? ""}\n${text}`);
  if (name === undefined) return undefined;
  const content =
    type === "tool_use"
      ? `${toolUseId}\n${toolName}\n${jsonText(input)}`
      : type === "text" || type === "thinking" || type === "redacted_thinking"
        ? identity
        : jsonText(metadata);
  return sha1(`${type}\n${name}\n${content}`);
}

function sha1(text: string): string {
  return hash("sha1", text, "base64");
}

function laneOf({ isSidechain = false, agentId = "" }: MessageDraft): string {
  return `${isSidechain} ${agentId}`;
}

function callsIn({ blocks }: MessageDraft): string[] {
  return blocks.flatMap(({ type, toolUseId }) => (type === "tool_use" ? (toolUseId ?? []) : []));
}

function lineTrace(id: string, uuid: string): string {
  return `${id} line ${uuid}`;
}

function tracesOf(draft: MessageDraft, id: string): string[] {
  const { uuid, timestamp } = draft;
  return [
    ...(uuid === undefined ? [] : [lineTrace(id, uuid)]),
    ...(timestamp === undefined ? [] : [`${id} at ${timestamp}`]),
    ...callsIn(draft).map((call) => `${id} call ${call}`),
  ];
}

type Counts = Pick<UsageDraft, "tokensIn" | "tokensOut" | "cacheRead" | "cacheWrite">;

/** Extra calls, such as those of an advisor, may be counted on later lines only. */
function mainCall(usage: UsageDraft): Counts {
  return usage.calls?.[0] ?? usage;
}

function inputOf({ tokensIn, cacheRead, cacheWrite }: Counts): number {
  return tokensIn + cacheRead + cacheWrite;
}

function isSameInput(a: Counts, b: Counts): boolean {
  return a.tokensIn === b.tokensIn && a.cacheRead === b.cacheRead && a.cacheWrite === b.cacheWrite;
}
