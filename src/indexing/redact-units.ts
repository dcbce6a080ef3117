/** Removes secrets from the units of a source. Sessions reach the store only through here. */
import { isFields } from "../parse/json-fields.ts";
import type { BlockDraft, MessageDraft, SourceUnit } from "../parse/message-draft.ts";
import { fingerprint } from "./fingerprint.ts";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";

/** Ids in exactly the formats that agents generate: a longer or freer one could contain a secret. */
const PLAIN_ID =
  /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?:msg|req|toolu)_(?:bdrk_|vrtx_)?01[\da-z]{22}|(?:msg|ses|prt)_[\da-f]{12}[\da-z]{14}|call_[\da-z]{24}|agent-[\da-f]{6,17})$/i;

type Words = Map<string, string | undefined>;

/** Redacts words that are repeated often, such as names and folders, once each. */
export class WordRedactor {
  readonly #redactor: Redactor;
  readonly #words: Words = new Map();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Redacts the words that are new. */
  async add(words: Iterable<string | null | undefined>): Promise<void> {
    const fresh = new Set<string>();
    for (const word of words) {
      if (word === null || word === undefined || this.#words.has(word) || PLAIN_ID.test(word)) continue;
      fresh.add(word);
    }
    const redacted = await redactJson(this.#redactor, [...fresh]);
    for (const [at, word] of [...fresh].entries()) {
      const value = redacted[at]?.value;
      this.#words.set(word, typeof value === "string" ? value : undefined);
    }
  }

  /** Returns the word without secrets. Throws if it was not added. */
  clean<T extends string | null | undefined>(word: T): T | string {
    if (word === null || word === undefined) return word;
    const clean = this.#words.get(word);
    if (clean !== undefined || PLAIN_ID.test(word)) return clean ?? word;
    throw new Error("Refused to store a text that was not redacted.");
  }
}

/** `figures` stores messages without the texts, inputs and results of their blocks. */
export type IndexLevel = "figures" | "content";

/**
 * Returns copies of the units with secrets removed from texts, names, ids, folders and metadata. For figures, whose rows
 * have no blocks, a block has its input as it is and a mark instead of its text, by which repeats are recognised.
 */
export async function redactUnits(
  redactor: Redactor,
  words: WordRedactor,
  units: readonly SourceUnit[],
  level: IndexLevel,
): Promise<SourceUnit[]> {
  const drafts = units.flatMap(({ messages }) => messages);
  const blocks = drafts.flatMap((draft) => draft.blocks);
  await words.add([
    ...drafts.flatMap(wordsOf),
    ...blocks.flatMap(({ toolName, toolUseId }) => [toolName, toolUseId]),
    ...units.flatMap(({ session }) => Object.values(session ?? {})),
  ]);
  const isWhole = level === "content";
  const values = [...drafts.map(({ metadata }) => metadata ?? null), ...(isWhole ? blocks.map(valueOf) : [])];
  const redacted = await redactJson(redactor, values);
  let [nextDraft, nextBlock] = [0, drafts.length];
  const valueAt = (at: number): unknown => redacted[at]?.value;
  return units.map((unit) => ({
    ...unit,
    messages: unit.messages.map((draft) => {
      const metadata = valueAt(nextDraft++);
      const cleaned = draft.blocks.map((block) =>
        isWhole ? withValue(block, words, valueAt(nextBlock++)) : withMark(block, words),
      );
      return cleanDraft(draft, words, metadata, cleaned);
    }),
    ...(unit.session === undefined ? {} : { session: cleanSession(unit.session, words) }),
  }));
}

function wordsOf(draft: MessageDraft): (string | undefined)[] {
  const { sourceId, uuid, parentUuid, requestId, model, provider, cwd, agentId, usage } = draft;
  return [sourceId, uuid, parentUuid, requestId, model, provider, cwd, agentId, ...modelsIn(usage)];
}

function modelsIn(usage: MessageDraft["usage"]): (string | undefined)[] {
  return usage?.calls?.map(({ model }) => model) ?? [];
}

function cleanDraft(draft: MessageDraft, words: WordRedactor, metadata: unknown, blocks: BlockDraft[]): MessageDraft {
  const { usage } = draft;
  const calls = usage?.calls?.map((call) => ({ ...call, model: words.clean(call.model) }));
  return {
    ...draft,
    sourceId: words.clean(draft.sourceId),
    uuid: words.clean(draft.uuid),
    parentUuid: words.clean(draft.parentUuid),
    requestId: words.clean(draft.requestId),
    model: words.clean(draft.model),
    provider: words.clean(draft.provider),
    cwd: words.clean(draft.cwd),
    agentId: words.clean(draft.agentId),
    usage: usage && calls ? { ...usage, calls } : usage,
    metadata: isFields(metadata) ? metadata : undefined,
    blocks,
  };
}

/**
 * Returns the parts of a block that contain text. A call's input is kept whole, because its keys say what its texts
 * are.
 */
function valueOf({ text, input, metadata }: BlockDraft): unknown {
  return { text: text ?? null, input: input ?? null, metadata: metadata ?? null };
}

function withValue(block: BlockDraft, words: WordRedactor, value: unknown): BlockDraft {
  if (!isFields(value)) throw new Error("Refused to store a block that was not redacted.");
  const { text, input, metadata } = value;
  return {
    ...block,
    text: typeof text === "string" ? text : undefined,
    input: block.input === undefined ? undefined : input,
    toolName: words.clean(block.toolName),
    toolUseId: words.clean(block.toolUseId),
    metadata: isFields(metadata) ? metadata : undefined,
  };
}

function withMark(block: BlockDraft, words: WordRedactor): BlockDraft {
  const { text, metadata } = block;
  return {
    ...block,
    text: text === undefined ? undefined : fingerprint(text),
    toolName: words.clean(block.toolName),
    toolUseId: words.clean(block.toolUseId),
    metadata: metadata?.withheld === true ? { withheld: true } : undefined,
  };
}

function cleanSession(session: NonNullable<SourceUnit["session"]>, words: WordRedactor): SourceUnit["session"] {
  return Object.fromEntries(Object.entries(session).map(([name, value]) => [name, words.clean(value)]));
}
