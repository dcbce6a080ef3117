/** Removes secrets from rows. Sessions reach the store only through here. */
import { given } from "../given.ts";
import { isFields } from "../parse/json-fields.ts";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { ToolStats } from "../parse/model.ts";
import { entryOf } from "../parse/statistics.ts";
import type { StoredAnswer, StoredBlock, StoredFigures, StoredMessage } from "../store/stored-model.ts";
import { jsonOf, type RawBlock } from "./session-rows.ts";

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

/** Removes secrets from texts, names, ids, folders and metadata of blocks. */
export async function redactedBlocks(
  redactor: Redactor,
  words: WordRedactor,
  blocks: readonly RawBlock[],
): Promise<StoredBlock[]> {
  await words.add(blocks.flatMap(({ row }) => [row.tool_name, row.tool_use_id, row.source_uuid, row.answers_uuid]));
  // A call's input is kept whole, because its keys say what its texts are.
  const redacted = await redactJson(
    redactor,
    blocks.map(({ value }) => value),
  );
  return blocks.map(({ row }, at) => {
    const value = redacted[at]?.value;
    if (!isFields(value)) throw new Error("Refused to store a block that was not redacted.");
    const { text, input, metadata } = value;
    return {
      ...row,
      tool_name: words.clean(row.tool_name),
      tool_use_id: words.clean(row.tool_use_id),
      source_uuid: words.clean(row.source_uuid),
      answers_uuid: words.clean(row.answers_uuid),
      content: row.kept === "none" ? "" : row.block_type === "tool_use" ? jsonOf(input) : String(text),
      metadata: isFields(metadata) ? metadata : {},
    };
  });
}

/** Removes secrets from names, ids, folders and metadata of messages. */
export async function redactedMessages(
  redactor: Redactor,
  words: WordRedactor,
  messages: readonly StoredMessage[],
): Promise<StoredMessage[]> {
  await words.add(messages.flatMap(wordsOf));
  const redacted = await redactJson(
    redactor,
    messages.map(({ metadata }) => metadata),
  );
  return messages.map((row, at) => {
    const metadata = redacted[at]?.value;
    return {
      ...row,
      source_id: words.clean(row.source_id),
      uuid: words.clean(row.uuid),
      parent_uuid: words.clean(row.parent_uuid),
      request_id: words.clean(row.request_id),
      model: words.clean(row.model),
      provider: words.clean(row.provider),
      cwd: words.clean(row.cwd),
      agent_id: words.clean(row.agent_id),
      usage_calls: row.usage_calls?.map((call) => ({ ...call, model: words.clean(call.model) })) ?? null,
      metadata: isFields(metadata) ? metadata : {},
    };
  });
}

function wordsOf(row: StoredMessage): (string | null | undefined)[] {
  const { source_id, uuid, parent_uuid, request_id, model, provider, cwd, agent_id, usage_calls } = row;
  const others = usage_calls?.map((call) => call.model) ?? [];
  return [source_id, uuid, parent_uuid, request_id, model, provider, cwd, agent_id, ...others];
}

/** Removes secrets from names and ids in figures. */
export async function redactedFigures(
  words: WordRedactor,
  { counts, answers, prompts }: StoredFigures,
): Promise<StoredFigures> {
  await words.add([
    ...Object.keys(counts.tools),
    ...answers.flatMap(({ calls = [] }) => calls.map(({ tool }) => tool)),
  ]);
  for (const { key, source_id, model, provider, usage_calls, metadata } of answers)
    await words.add([
      ...(key?.split("\n") ?? []),
      source_id,
      model,
      provider,
      ...(usage_calls ?? []).map((call) => call.model),
      ...textsOf(metadata),
    ]);
  const tools = new Map<string, ToolStats>();
  for (const [name, { calls, errors }] of Object.entries(counts.tools)) {
    const tool = entryOf(tools, words.clean(name), () => ({ calls: 0, errors: 0 }));
    tool.calls += calls;
    tool.errors += errors;
  }
  return {
    counts: { ...counts, tools: Object.fromEntries(tools) },
    prompts,
    answers: answers.map((answer) => ({
      ...answer,
      // Each line of a key is an id or a time.
      key:
        answer.key
          ?.split("\n")
          .map((line) => words.clean(line))
          .join("\n") ?? null,
      model: words.clean(answer.model),
      provider: words.clean(answer.provider),
      ...given({ source_id: words.clean(answer.source_id) }),
      ...given({ calls: answer.calls?.map((call) => ({ ...call, tool: words.clean(call.tool) })) }),
      usage_calls: answer.usage_calls?.map((call) => ({ ...call, model: words.clean(call.model) })) ?? null,
      metadata: Object.fromEntries(
        Object.entries(answer.metadata).map(([name, value]: [string, unknown]) => [
          name,
          typeof value === "string" ? words.clean(value) : value,
        ]),
      ),
    })),
  };
}

function textsOf(metadata: StoredAnswer["metadata"]): string[] {
  return Object.values(metadata).filter((value) => typeof value === "string");
}
