/**
 * Converts lines of Codex to units. Most things are said twice: by an item, which is what the model saw, and by an event, which
 * is what the interface showed. Texts, thinking, calls and results are taken from items; events say which texts were typed,
 * and how calls ended. Only events have the calls that code of the model made.
 */
import type { ReadOptions } from "../../parse/content.ts";
import type { BlockDraft, InputUnit, MessageDraft, SessionDraft } from "../../parse/message-draft.ts";
import { countIn, fieldOf, type Fields, fieldsOf, textIn, textOf } from "../../parse/json-fields.ts";
import type { MessageMetadata, ParseError } from "../../parse/model.ts";
import {
  emptyUnit,
  NO_MESSAGES,
  readRecords,
  type RecordReader,
  unknownUnit,
  untypedUnit,
} from "../../parse/record-units.ts";
import { timeOf } from "../../parse/times.ts";
import type { RawLine } from "../../transcript/format/lines.ts";
import {
  agentMessage,
  answerBlocks,
  callBlock,
  innerCall,
  thinkingBlock,
  type UserPart,
  userParts,
} from "./codex-items.ts";
import { codexRecord, type CodexRecord, unusedKind } from "./codex-records.ts";
import { type CallEnd, callEnd, type MadeCall, resultBlock } from "./codex-results.ts";
import { type CodexUsage, TokenCounts } from "./codex-usage.ts";

/** Tool that runs code of the model, which may call other tools. */
const CODE_TOOL = "exec";

/** See `Format.read`. */
export async function* readCodexLines(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<InputUnit[]> {
  const reader = new CodexReader();
  for await (const units of readRecords(chunks, options, reader)) yield reader.decided(units);
  yield reader.rest();
}

/** An answer of the model. Its items have no common id. */
interface Answer {
  id: string;
  /** More items may come. */
  isOpen: boolean;
  hasUsage: boolean;
}

/** A unit about which the records after it decide. */
interface Undecided {
  unit: InputUnit;
  /** Returns false if a later record decides. */
  decide: (next: CodexRecord) => boolean;
}

class CodexReader implements RecordReader {
  readonly #tokens = new TokenCounts();
  /** Calls without a result, with what events say about them. */
  readonly #calls = new Map<string, MadeCall & { end?: CallEnd }>();
  #session: SessionDraft | undefined;
  #provider: string | undefined;
  #model: string | undefined;
  /** Session that the lines are from: a fork begins with a copy of its parent's. */
  #thread = "";
  #turn = "";
  /** Time of the turn's prompt, until that comes. */
  #turnTime: string | undefined;
  #answer: Answer | undefined;
  /** Answer with the latest call of code, which made the inner calls that events have. */
  #code: string | undefined;
  /** Number of answers in the turn. */
  #answers = 0;
  /** An event has shown what the model says in the next item. */
  #isShown = false;
  #prompts = 0;
  #hasPromptEvents = false;
  /** Ids of messages, by their turn. */
  readonly #turns: string[][] = [];
  /** A message says that the turn was interrupted. */
  #isInterruptionSaid = false;
  #undecided: Undecided | undefined;
  #waiting: InputUnit[] = [];

  unit(line: RawLine, fields: Fields, problems: readonly ParseError[]): InputUnit {
    const record = codexRecord(fields);
    if (record === undefined) return untypedUnit(line, problems);
    if (this.#undecided?.decide(record) === true) this.#undecided = undefined;
    const session = record.type === "session_meta" ? this.#begin(record.payload) : this.#noted(record.payload);
    const unit = this.#filled(line, record, fields, problems);
    unit.session = session;
    unit.timestamp = unit.messages[0]?.timestamp ?? timeOf(record.timestamp);
    return unit;
  }

  /** Returns the units about which everything is known, in order. */
  decided(units: readonly InputUnit[]): InputUnit[] {
    this.#waiting.push(...units);
    const end = this.#undecided === undefined ? -1 : this.#waiting.indexOf(this.#undecided.unit);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  rest(): InputUnit[] {
    return this.#waiting.splice(0);
  }

  #filled(line: RawLine, record: CodexRecord, fields: Fields, problems: readonly ParseError[]): InputUnit {
    const unit = emptyUnit(line, { as: "used" }, problems);
    unit.messages = this.#messages(record, unit);
    if (unit.messages.length > 0 || record.type === "session_meta") return unit;
    const { skipped, unknown } = unusedKind(record);
    if (unknown !== undefined) return unknownUnit(line, unknown, fields, problems);
    unit.outcome = { as: "skipped", kind: skipped };
    return unit;
  }

  /** `unit`: gets the messages. */
  #messages(record: CodexRecord, unit: InputUnit): readonly MessageDraft[] {
    const { type, payload } = record;
    switch (type) {
      case "session_meta":
        return this.#forked(record);
      case "turn_context":
        this.#beginTurn(textIn(payload["turn_id"]));
        this.#model = textIn(payload["model"]) ?? this.#model;
        return NO_MESSAGES;
      case "response_item":
        return this.#item(record, unit);
      case "event_msg":
        return this.#event(record, unit);
      case "realtime_item":
        return this.#spoken(record, unit);
      case "token_usage_record":
        return this.#usage(record, this.#tokens.record(payload), textIn(payload["response_id"]));
      case "compacted":
        return this.#compacted(record);
      default:
        return NO_MESSAGES;
    }
  }

  // Fields of the session.

  #begin(payload: Fields): SessionDraft | undefined {
    this.#thread = textIn(payload["id"]) ?? this.#thread;
    this.#turn = "";
    this.#answers = 0;
    this.#prompts = 0;
    // A second head is that of the parent that a fork copied.
    if (this.#session !== undefined) return undefined;
    this.#provider = textIn(payload["model_provider"]);
    this.#session = {
      sessionId: textIn(payload["id"]),
      parentSessionId: parentIn(payload),
      cwd: textIn(payload["cwd"]),
      version: textIn(payload["cli_version"]),
      gitBranch: textOf(fieldsOf(payload, "git"), "branch"),
    };
    return this.#session;
  }

  /** A fork of newer versions has only its own lines; that of older ones begins with a copy of its parent's. */
  #forked({ payload, timestamp }: CodexRecord): readonly MessageDraft[] {
    const parent = textIn(payload["forked_from_id"]);
    if (parent === undefined || this.#session?.sessionId !== payload["id"]) return NO_MESSAGES;
    const rest = fieldsOf(payload, "history_base") === undefined ? "" : " What came before is in that session.";
    const draft = this.#draft("user", [{ type: "text", text: `Forked from session ${parent}.${rest}` }], {}, timestamp);
    draft.userKind = "meta";
    draft.metadata = { origin: "notification" };
    return [draft];
  }

  /** Returns what other records say about the session. */
  #noted(payload: Fields): SessionDraft | undefined {
    if (payload["type"] === "thread_name_updated") return { title: textIn(payload["thread_name"]) };
    // Before lines had an envelope, only the first message said where the session ran.
    if (this.#session?.cwd !== undefined || payload["role"] !== "user") return undefined;
    const cwd = /<cwd>([^<]+)<\/cwd>/.exec(userParts(payload)[0]?.blocks[0]?.text ?? "")?.[1];
    return cwd === undefined ? undefined : { cwd };
  }

  #beginTurn(id: string | undefined): void {
    if (id === undefined || id === this.#turn) return;
    this.#turn = id;
    this.#turnTime = timeInId(id);
    this.#answers = 0;
    this.#prompts = 0;
    this.#answer = undefined;
    this.#isInterruptionSaid = false;
    this.#tokens.beginTurn();
  }

  // Messages.

  #item({ payload, timestamp }: CodexRecord, unit: InputUnit): readonly MessageDraft[] {
    const call = callBlock(payload);
    if (call !== undefined) return this.#call(payload, timestamp, call);
    switch (payload["type"]) {
      case "message":
        return payload["role"] === "assistant"
          ? this.#said(payload, timestamp, unit)
          : this.#userMessages(userParts(payload), payload, timestamp, unit);
      case "reasoning":
        return [this.#piece([thinkingBlock(payload)], payload, timestamp)];
      case "agent_message": {
        const { text, isTask } = agentMessage(payload);
        const metadata: MessageMetadata = isTask ? {} : { origin: "teammate" };
        const part: UserPart = {
          kind: isTask ? "human" : "meta",
          metadata,
          blocks: [{ type: "text", text }],
          isSure: true,
        };
        return this.#userMessages([part], payload, timestamp, unit);
      }
      case "function_call_output":
      case "custom_tool_call_output":
        return [this.#result(textIn(payload["call_id"]), payload["output"], payload, timestamp)];
      case "tool_search_output":
        return [this.#result(textIn(payload["call_id"]), payload["tools"], payload, timestamp)];
      default:
        return NO_MESSAGES;
    }
  }

  /** What was said aloud, by the person or by the model. */
  #spoken({ payload, timestamp }: CodexRecord, unit: InputUnit): readonly MessageDraft[] {
    const text = textIn(payload["text"]);
    if (payload["type"] !== "transcript_segment" || text === undefined) return NO_MESSAGES;
    const blocks: BlockDraft[] = [{ type: "text", text }];
    if (payload["role"] === "assistant") {
      const answer = this.#piece(blocks, payload, timestamp);
      this.#close();
      return [answer];
    }
    return this.#userMessages([{ kind: "human", metadata: {}, blocks, isSure: true }], payload, timestamp, unit);
  }

  #userMessages(
    parts: readonly UserPart[],
    item: Fields,
    timestamp: unknown,
    unit: InputUnit,
  ): readonly MessageDraft[] {
    const drafts = joined(parts).map(({ kind, metadata, blocks, isSure }) => {
      this.#isInterruptionSaid ||= metadata.origin === "interruption";
      const draft = this.#draft("user", blocks, item, timestamp);
      draft.userKind = kind;
      draft.metadata = metadata;
      if (kind === "human") {
        draft.timestamp = this.#promptTime() ?? draft.timestamp;
        this.#prompts += 1;
        // A command of the person is part of the turn before it, as Codex counts them.
        if (metadata.origin !== "command") this.#turns.push([]);
      }
      if (kind === "human" || metadata.origin === "command_output") {
        draft.sourceId = `${this.#turn || this.#thread}.prompt.${this.#prompts}`;
        this.#turns.at(-1)?.push(draft.sourceId);
      }
      if (!isSure) this.#decideWhoWrote(draft, unit);
      return draft;
    });
    if (drafts.some(({ userKind }) => userKind === "human")) this.#close();
    return drafts;
  }

  /** In a file that has events, one about a typed text follows it. */
  #decideWhoWrote(draft: MessageDraft, unit: InputUnit): void {
    this.#undecided = {
      unit,
      decide: ({ type, payload }) => {
        if (type !== "event_msg" && type !== "response_item") return false;
        const isTyped = payload["type"] === "user_message" || itemOf(payload)?.["type"] === "UserMessage";
        if (!isTyped && this.#hasPromptEvents) draft.userKind = "meta";
        return true;
      },
    };
  }

  /** The turn's id has the time at which it began. A fork that copies the prompt under a new time keeps the id. */
  #promptTime(): string | undefined {
    const time = this.#turnTime;
    this.#turnTime = undefined;
    return time;
  }

  #said(item: Fields, timestamp: unknown, unit: InputUnit): readonly MessageDraft[] {
    const blocks = answerBlocks(item);
    if (blocks.length === 0) return NO_MESSAGES;
    const draft = this.#piece(blocks, item, timestamp);
    if (!this.#isShown) this.#undecided = { unit, decide: (next) => decideSummary(draft, next) };
    this.#isShown = false;
    return [draft];
  }

  #call(
    item: Fields,
    timestamp: unknown,
    { use, hasEnded }: NonNullable<ReturnType<typeof callBlock>>,
  ): readonly MessageDraft[] {
    const { toolUseId: id, toolName: tool = "", input } = use;
    if (id !== undefined) this.#calls.set(id, { tool, input });
    const made = this.#piece([use], item, timestamp);
    if (tool === CODE_TOOL) this.#code = made.sourceId;
    if (!hasEnded) return [made];
    if (id !== undefined) this.#calls.delete(id);
    return [made, this.#resultDraft(resultBlock(id, "", { tool, input }, callEnd(item)), {}, timestamp)];
  }

  #result(id: string | undefined, output: unknown, item: Fields, timestamp: unknown): MessageDraft {
    const call = this.#calls.get(id ?? "");
    this.#calls.delete(id ?? "");
    this.#close();
    return this.#resultDraft(resultBlock(id, output, call, call?.end), item, timestamp);
  }

  #resultDraft(block: BlockDraft, item: Fields, timestamp: unknown): MessageDraft {
    const draft = this.#draft("user", [block], item, timestamp);
    draft.userKind = "tool_result";
    draft.sourceId = block.toolUseId;
    if (block.toolUseId !== undefined) this.#turns.at(-1)?.push(block.toolUseId);
    return draft;
  }

  /** Says how a call ended whose result comes later. */
  #noteEnd(id: string, item: Fields): void {
    const call = this.#calls.get(id);
    if (call !== undefined) call.end = callEnd(item);
  }

  #event({ payload, timestamp }: CodexRecord, unit: InputUnit): readonly MessageDraft[] {
    const item = itemOf(payload);
    const type = textIn(payload["type"]) ?? "";
    if (item !== undefined) return this.#completed(item, timestamp);
    if (type === "user_message") this.#hasPromptEvents = true;
    else if (type === "agent_message") this.#isShown = true;
    else if (type === "task_started" || type === "turn_started") this.#beginTurn(textIn(payload["turn_id"]));
    else if (type === "token_count") return this.#usage({ payload, timestamp }, this.#tokens.event(payload));
    else if (type === "thread_rolled_back") this.#rollBack(countIn(payload["num_turns"]) ?? 0, unit);
    else if (type === "turn_aborted") return this.#aborted(timestamp);
    else if (type === "task_complete" || type === "turn_complete")
      return this.#failed(fieldsOf(payload, "error"), timestamp);
    else if (type === "error") return this.#failed(payload, timestamp);
    else if (type === "context_compacted") return NO_MESSAGES;
    else if (type.endsWith("_end")) this.#noteEnd(textIn(payload["call_id"]) ?? "", payload);
    return NO_MESSAGES;
  }

  #completed(item: Fields, timestamp: unknown): readonly MessageDraft[] {
    if (item["type"] === "UserMessage") this.#hasPromptEvents = true;
    if (item["type"] === "AgentMessage" || item["type"] === "Plan") this.#isShown = true;
    this.#noteEnd(textIn(item["id"]) ?? "", item);
    const inner = innerCall(item, this.#session?.cwd);
    if (inner === undefined) return NO_MESSAGES;
    const { id, tool, input, output } = inner;
    const use: BlockDraft = { type: "tool_use", toolName: tool, toolUseId: id, input };
    const made = this.#draft("assistant", [use], {}, timestamp);
    made.sourceId = this.#code ?? this.#open().id;
    return [made, this.#resultDraft(resultBlock(id, output, { tool, input }, callEnd(item)), {}, timestamp)];
  }

  /** The person took back their last prompts and what followed. */
  #rollBack(turns: number, unit: InputUnit): void {
    if (turns > 0) unit.supersedes = this.#turns.splice(-turns).flat();
  }

  #aborted(timestamp: unknown): readonly MessageDraft[] {
    if (this.#answer === undefined || this.#isInterruptionSaid) return NO_MESSAGES;
    const draft = this.#draft("assistant", [], {}, timestamp);
    draft.sourceId = this.#answer.id;
    draft.metadata = { interrupted: true };
    return [draft];
  }

  #failed(error: Fields | undefined, timestamp: unknown): readonly MessageDraft[] {
    const message = textOf(error, "message");
    return message === undefined ? NO_MESSAGES : [this.#note("error", message, timestamp)];
  }

  /** The summary itself was an item, unless the provider encrypts it. */
  #compacted({ timestamp }: CodexRecord): readonly MessageDraft[] {
    this.#close();
    return [this.#note("compaction", "", timestamp)];
  }

  #usage(
    { timestamp }: Pick<CodexRecord, "payload" | "timestamp">,
    counted: CodexUsage | undefined,
    key?: string,
  ): readonly MessageDraft[] {
    if (counted === undefined) return NO_MESSAGES;
    const answer = this.#answer?.hasUsage === false ? this.#answer : this.#open();
    answer.hasUsage = true;
    answer.isOpen = false;
    const draft = this.#draft("system", [], {}, timestamp);
    draft.sourceId = answer.id;
    draft.copyKey = key;
    draft.model = this.#model;
    draft.provider = this.#provider;
    draft.usage = counted.usage;
    draft.metadata = counted.metadata;
    return [draft];
  }

  // Answers.

  /** Returns the answer that a new item belongs to. */
  #open(): Answer {
    if (this.#answer?.isOpen === true) return this.#answer;
    this.#answers += 1;
    // The same in a fork that copies it, whose lines have new times.
    const id = `${this.#turn || this.#thread}.${this.#answers}`;
    this.#answer = { id, isOpen: true, hasUsage: false };
    this.#turns.at(-1)?.push(id);
    return this.#answer;
  }

  #close(): void {
    if (this.#answer !== undefined) this.#answer.isOpen = false;
  }

  #piece(blocks: BlockDraft[], item: Fields, timestamp: unknown): MessageDraft {
    const draft = this.#draft("assistant", blocks, item, timestamp);
    draft.sourceId = this.#open().id;
    draft.model = this.#model;
    draft.provider = this.#provider;
    return draft;
  }

  #note(subtype: string, text: string, timestamp: unknown): MessageDraft {
    const draft = this.#draft("system", text === "" ? [] : [{ type: "text", text }], {}, timestamp);
    draft.metadata = { subtype };
    return draft;
  }

  #draft(type: "user" | "assistant" | "system", blocks: BlockDraft[], item: Fields, timestamp: unknown): MessageDraft {
    return {
      type,
      role: type === "system" ? null : type,
      uuid: textIn(item["id"]),
      timestamp: timeOf(timestamp),
      // The prompts of a subagent are from the session that started it.
      isSidechain: typeof this.#session?.parentSessionId === "string",
      blocks,
    };
  }
}

/** Returns the session that started this one; null if a person did. */
export function parentIn(meta: Fields): string | null {
  const subagent = fieldsOf(meta, "source")?.["subagent"];
  const parent = textIn(meta["parent_thread_id"]) ?? textOf(fieldOf(subagent, "thread_spawn"), "parent_thread_id");
  if (parent !== undefined || subagent === undefined) return parent ?? null;
  const root = textIn(meta["session_id"]);
  return root === meta["id"] ? (textIn(meta["forked_from_id"]) ?? null) : (root ?? null);
}

function itemOf(payload: Fields): Fields | undefined {
  return payload["type"] === "item_completed" ? fieldsOf(payload, "item") : undefined;
}

/** Joins neighbouring parts of one kind, such as a text and its images. */
function joined(parts: readonly UserPart[]): UserPart[] {
  const whole: UserPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    const isSame = last?.kind === part.kind && last.metadata.origin === part.metadata.origin;
    if (last !== undefined && isSame) last.blocks.push(...part.blocks);
    else whole.push({ ...part, blocks: [...part.blocks] });
  }
  return whole;
}

/** A text that no event showed, before a compaction, is its summary, which is not for the person. */
function decideSummary(draft: MessageDraft, { type, payload }: CodexRecord): boolean {
  if (type === "response_item" || (type === "event_msg" && payload["type"] !== "token_count")) return true;
  if (type !== "compacted") return false;
  draft.type = "user";
  draft.role = "user";
  draft.userKind = "meta";
  draft.sourceId = undefined;
  draft.metadata = { origin: "compact_summary" };
  return true;
}

/** Returns the time in an id of the version 7 of UUIDs; undefined for any other. */
function timeInId(id: string): string | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/.exec(id) ?? [];
  return high === undefined ? undefined : timeOf(Number.parseInt(`${high}${low}`, 16));
}
