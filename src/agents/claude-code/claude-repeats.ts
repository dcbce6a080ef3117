/**
 * Finds the new blocks of a session, and the answers that they belong to. Claude Code repeats itself: in every line of an
 * answer, and when it records a session into the same file again. A block is a repeat if its answer, its call or its record
 * has it already. An answer has the ids of the provider, and a line that is written again the same uuid.
 */
import type { MessageDraft, UsageDraft } from "../../parse/message-draft.ts";
import { SeenBlocks } from "../../parse/seen-blocks.ts";
import { keyByTime } from "../../parse/usage-ledger.ts";

/** Answer of which more may come. */
interface Answer {
  /** Names it: `MessageDraft.answerId`. */
  key: string;
  requestId: string | undefined;
  /** Another answer has the same ids, which were replaced, as in an anonymized export. */
  isShared: boolean;
  usage: UsageDraft | undefined;
  stopReason: string | undefined;
  /** Number of prompts, and of results, before its last piece. */
  prompts: number;
  results: number;
}

export class ClaudeRepeats {
  readonly #seen = new SeenBlocks();
  /** Latest answer with an id. */
  readonly #latest = new Map<string, Answer>();
  /** Answers by their lines and times, each with the id. */
  readonly #byTrace = new Map<string, Answer>();
  #prompts = 0;
  #results = 0;

  /** Leaves only the new blocks in a draft and sets its `answerId`. Returns undefined if all of it is a repeat. */
  newIn(draft: MessageDraft): MessageDraft | undefined {
    const { type, sourceId, blocks, usage, userKind } = draft;
    // Some gateways give no id. Then the pieces of an answer share its usage.
    const isAnswer = type === "assistant" && (sourceId !== undefined || usage !== undefined);
    const answer = isAnswer ? this.#answerOf(draft) : undefined;
    const counted = answer?.usage?.tokensOut ?? -1;
    draft.blocks = this.#seen.fresh(blocks, answer?.key ?? nameOf(draft));
    const isRepeat = draft.blocks.length === 0 && (blocks.length > 0 || this.#isKnownLine(draft));
    if (answer !== undefined) this.#note(answer, draft);
    else if (!isRepeat && userKind === "human") this.#prompts += 1;
    else if (!isRepeat && userKind === "tool_result") this.#results += 1;
    // A copy may have a later count of its tokens.
    return isRepeat && (usage?.tokensOut ?? -1) <= counted ? undefined : draft;
  }

  #answerOf(draft: MessageDraft): Answer {
    const { sourceId: id = "", uuid = "", parentUuid, requestId } = draft;
    // A line whose parent is one of its lines goes on with it.
    const known = [...tracesOf(draft), `${id}\n${parentUuid ?? ""}`].flatMap(
      (trace) => this.#byTrace.get(trace) ?? [],
    )[0];
    const latest = this.#latest.get(id);
    const earlier = known ?? (latest !== undefined && this.#continues(draft, latest) ? latest : undefined);
    if (earlier !== undefined) return earlier;
    const isShared = requestId !== undefined && requestId === latest?.requestId;
    const begun = {
      key: `${id}\n${uuid}`,
      requestId,
      isShared,
      usage: undefined,
      stopReason: undefined,
      prompts: 0,
      results: 0,
    };
    this.#latest.set(id, begun);
    return begun;
  }

  /** Some gateways give every answer the same id, and none to its request. */
  #continues({ requestId, usage, metadata, blocks }: MessageDraft, answer: Answer): boolean {
    const [now, before] = [usage && mainCall(usage), answer.usage && mainCall(answer.usage)];
    // Some gateways report a different input count before there is any output.
    const isCounted = before?.tokensOut !== 0 || now?.tokensOut === 0;
    if (now && before && isCounted && inputOf(now) !== inputOf(before)) return false;
    if (requestId !== undefined && answer.requestId !== undefined) return requestId === answer.requestId;
    // All lines with a stop reason have the final count.
    const isFinal = now && before && answer.stopReason !== undefined;
    if (isFinal && (answer.stopReason !== metadata?.stop_reason || now.tokensOut !== before.tokensOut)) return false;
    // After the result of a call, an answer only goes on with parallel calls.
    const hasText = blocks.some(({ type }) => type === "text" || type === "thinking");
    return answer.prompts === this.#prompts && (answer.results === this.#results || !hasText);
  }

  #note(answer: Answer, draft: MessageDraft): void {
    const { sourceId: id = "", usage, metadata } = draft;
    for (const trace of tracesOf(draft)) if (!this.#byTrace.has(trace)) this.#byTrace.set(trace, answer);
    if (answer.isShared) draft.requestId = undefined;
    if (draft.requestId === undefined) draft.copyKey = keyByTime(id, draft.timestamp ?? null);
    if ((usage?.tokensOut ?? -1) >= (answer.usage?.tokensOut ?? 0)) answer.usage = usage;
    answer.requestId ??= draft.requestId;
    answer.stopReason = metadata?.stop_reason ?? answer.stopReason;
    answer.prompts = this.#prompts;
    answer.results = this.#results;
    draft.answerId = answer.key;
  }

  /** A record without blocks has only its uuid and kind to show that it is a repeat. */
  #isKnownLine(draft: MessageDraft): boolean {
    const name = nameOf(draft);
    return name !== undefined && !this.#seen.isFresh(`${name}\n${draft.type}\n${draft.metadata?.subtype ?? ""}`);
  }
}

/** Returns the uuid of a record. Texts in its place, as in anonymized files, may be the same in many records. */
function nameOf({ uuid }: MessageDraft): string | undefined {
  return uuid !== undefined && /^[\w-]+$/.test(uuid) ? uuid : undefined;
}

/** Returns what a line that is written again has, too. */
function tracesOf({ sourceId: id = "", uuid, timestamp }: MessageDraft): string[] {
  return [uuid, timestamp].flatMap((trace) => (trace === undefined ? [] : `${id}\n${trace}`));
}

type Counts = Pick<UsageDraft, "tokensIn" | "tokensOut" | "cacheRead" | "cacheWrite">;

/** Extra calls, such as those of an advisor, may be counted on later lines only. */
function mainCall(usage: UsageDraft): Counts {
  return usage.calls?.[0] ?? usage;
}

function inputOf({ tokensIn, cacheRead, cacheWrite }: Counts): string {
  return `${tokensIn} ${cacheRead} ${cacheWrite}`;
}
