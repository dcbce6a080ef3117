/**
 * Converts lines of Codex. Most things are said twice: by an item, which is what the model saw, and by an event, which
 * is what the interface showed. Texts, thinking, calls and results are taken from items; events say which texts were typed,
 * and how calls ended. Only events have the calls that the model's code made.
 */
import {
  answerDraft,
  errorDraft,
  noteDraft,
  type Piece,
  promptDraft,
  resultsDraft,
  usageDraft,
} from "../../parse/drafts.ts";
import { countIn, fieldOf, type Fields, fieldsOf, jsonText, textIn, textOf } from "../../parse/json-fields.ts";
import type { BlockDraft, MessageDraft, SessionDraft, UsageDraft } from "../../parse/message-draft.ts";
import type { ReadRecord, RecordReader } from "../../parse/record-units.ts";
import { timeOf } from "../../parse/times.ts";
import {
  answerBlocks,
  callBlock,
  innerCall,
  messageBetweenAgents,
  thinkingBlock,
  type UserPart,
  userParts,
} from "./codex-items.ts";
import { codexRecord, type CodexRecord, kindOf, SILENT } from "./codex-records.ts";
import { type CallEnd, callEnd, endOfCommandInCode, lateFailure, resultOf, runningCommand } from "./codex-results.ts";
import { TokenCounts } from "./codex-usage.ts";

/** Tool that runs the model's code, which may call other tools. */
const CODE_TOOL = "exec";

/** Tool that waits for a command that is still running. */
const WAITING_TOOL = "write_stdin";

/** Characters that are kept of the output of a command that is still running; the last ones. */
const MAX_PRINTED_LENGTH = 10_000;

/** An answer of the model. Its items have no common id. */
interface Answer {
  id: string;
  /** More items may come. */
  isOpen: boolean;
  hasUsage: boolean;
}

export class CodexReader implements RecordReader {
  readonly silent = SILENT;
  readonly #tokens = new TokenCounts();
  /** Calls that have not ended, with what events say about them and, if a command is still running, its output so far. */
  readonly #calls = new Map<string, { tool: string; input: unknown; end?: CallEnd; printed?: string | undefined }>();
  /** Ids of calls whose command was still running at their result, by the id that Codex gave the command. */
  readonly #processes = new Map<string, string>();
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
  /** This version writes events for the commands that the model's code runs. */
  #hasInnerCommands = false;
  /** Number of answers in the turn. */
  #answers = 0;
  /** An event has shown what the model says in the next item. */
  #isShown = false;
  #prompts = 0;
  /** Number of calls in the turn that have no id. */
  #unnamed = 0;
  #hasPromptEvents = false;
  /** Ids of messages, by their turn. */
  readonly #turns: string[][] = [];
  /** A message says that the turn was interrupted. */
  #isInterruptionSaid = false;
  /** Changes the last draft by a later record. Returns false if that does not decide. */
  #decide: ((next: CodexRecord) => boolean) | undefined;
  #superseded: string[] | undefined;

  get isUndecided(): boolean {
    return this.#decide !== undefined;
  }

  read(fields: Fields): ReadRecord | undefined {
    const record = codexRecord(fields);
    if (record === undefined) return undefined;
    if (this.#decide?.(record) === true) this.#decide = undefined;
    this.#superseded = undefined;
    const session = record.type === "session_meta" ? this.#begin(record.payload) : this.#noted(record.payload);
    const messages = this.#messages(record, session);
    return {
      kind: kindOf(record),
      messages: messages.length > 0 ? messages : undefined,
      session,
      timestamp: messages[0]?.timestamp ?? timeOf(record.timestamp),
      supersedes: this.#superseded,
    };
  }

  #messages(record: CodexRecord, session: SessionDraft | undefined): MessageDraft[] {
    const { type, payload } = record;
    const piece = this.#piece(record);
    switch (type) {
      case "session_meta":
        return session === undefined ? [] : forked(payload, piece);
      case "turn_context":
        // Repeated within a turn.
        if (payload["turn_id"] !== this.#turn) this.#beginTurn(textIn(payload["turn_id"]));
        this.#model = textIn(payload["model"]) ?? this.#model;
        return [];
      case "response_item":
        return this.#item(payload, piece);
      case "event_msg":
        return this.#event(payload, { ...piece, uuid: undefined });
      case "realtime_item":
        return this.#spoken(payload, piece);
      case "token_usage_record":
        return this.#usage(piece, this.#tokens.record(payload), textIn(payload["response_id"]));
      case "compacted":
        // The summary itself was an item, unless the provider encrypts it.
        this.#close();
        return [{ ...piece, type: "system", role: null, blocks: [], metadata: { subtype: "compaction" } }];
      default:
        return [];
    }
  }

  #piece({ payload, timestamp, type }: CodexRecord): Piece {
    return {
      uuid: type === "response_item" || type === "realtime_item" ? textIn(payload["id"]) : undefined,
      timestamp: timeOf(timestamp),
      // The prompts of a subagent are from the session that started it.
      isSidechain: typeof this.#session?.parentSessionId === "string",
    };
  }

  // Fields of the session.

  #begin(payload: Fields): SessionDraft | undefined {
    this.#thread = textIn(payload["id"]) ?? this.#thread;
    // A second head is the parent's, which a fork copied, or a repeat of this one, possibly within a turn.
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

  /** Returns what other records say about the session. */
  #noted(payload: Fields): SessionDraft | undefined {
    if (payload["type"] === "thread_name_updated") return { title: textIn(payload["thread_name"]) };
    // Before lines had an envelope, only the first message said where the session ran.
    if (this.#session?.cwd !== undefined || payload["role"] !== "user") return undefined;
    const cwd = /<cwd>([^<]+)<\/cwd>/.exec(userParts(payload)[0]?.blocks[0]?.text ?? "")?.[1];
    return cwd === undefined ? undefined : { cwd };
  }

  #beginTurn(id: string | undefined): void {
    if (id === undefined) return;
    this.#turn = id;
    this.#turnTime = timeInId(id);
    this.#answers = 0;
    this.#prompts = 0;
    this.#unnamed = 0;
    this.#answer = undefined;
    this.#isInterruptionSaid = false;
    this.#tokens.beginTurn();
  }

  // Messages.

  #item(item: Fields, piece: Piece): MessageDraft[] {
    const call = callBlock(item);
    if (call !== undefined) return this.#call(item, piece, call);
    switch (item["type"]) {
      case "message":
        return item["role"] === "assistant" ? this.#said(item, piece) : this.#userMessages(userParts(item), piece);
      case "reasoning":
        return [this.#answerPiece([thinkingBlock(item)], piece)];
      case "agent_message":
        return this.#userMessages([messageBetweenAgents(item)], piece);
      case "function_call_output":
      case "custom_tool_call_output":
        return this.#result(textIn(item["call_id"]), item["output"], piece);
      case "tool_search_output":
        return this.#result(textIn(item["call_id"]), item["tools"], piece);
      default:
        return [];
    }
  }

  /** What was said aloud, by the person or by the model. */
  #spoken(payload: Fields, piece: Piece): MessageDraft[] {
    const text = textIn(payload["text"]);
    if (payload["type"] !== "transcript_segment" || text === undefined) return [];
    const blocks: BlockDraft[] = [{ type: "text", text }];
    if (payload["role"] !== "assistant")
      return this.#userMessages([{ kind: "human", metadata: {}, blocks, isSure: true }], piece);
    const answer = this.#answerPiece(blocks, piece);
    this.#close();
    return [answer];
  }

  #userMessages(parts: readonly UserPart[], piece: Piece): MessageDraft[] {
    const drafts = joined(parts).map(({ kind, metadata, blocks, isSure }) => {
      this.#isInterruptionSaid ||= metadata.origin === "interruption";
      const draft: MessageDraft = { ...promptDraft(piece, blocks, metadata), userKind: kind };
      if (kind === "human") {
        // The turn's id has the time at which it began. A fork that copies the prompt under a new time keeps the id.
        draft.timestamp = this.#turnTime ?? draft.timestamp;
        this.#turnTime = undefined;
        this.#prompts += 1;
        // A command of the person is part of the turn before it, as Codex counts them.
        if (metadata.origin !== "command") this.#turns.push([]);
      }
      if (kind === "human" || metadata.origin === "command_output") {
        draft.sourceId = `${this.#turn || this.#thread}.prompt.${this.#prompts}`;
        this.#turns.at(-1)?.push(draft.sourceId);
      }
      if (!isSure) this.#decide = (next) => this.#decideWhoWrote(draft, next);
      return draft;
    });
    if (drafts.some(({ userKind }) => userKind === "human")) this.#close();
    return drafts;
  }

  /** In a file that has events, one about a typed text follows it. */
  #decideWhoWrote(draft: MessageDraft, { type, payload }: CodexRecord): boolean {
    if (type !== "event_msg" && type !== "response_item") return false;
    const isTyped = payload["type"] === "user_message" || itemOf(payload)?.["type"] === "UserMessage";
    if (!isTyped && this.#hasPromptEvents) draft.userKind = "meta";
    return true;
  }

  #said(item: Fields, piece: Piece): MessageDraft[] {
    const blocks = answerBlocks(item);
    if (blocks.length === 0) return [];
    const draft = this.#answerPiece(blocks, piece);
    if (!this.#isShown) this.#decide = (next) => decideSummary(draft, next);
    this.#isShown = false;
    return [draft];
  }

  #call(item: Fields, piece: Piece, { use, hasEnded }: NonNullable<ReturnType<typeof callBlock>>): MessageDraft[] {
    const made = this.#answerPiece([use], piece);
    // Some versions give no id to calls that the provider runs.
    if (hasEnded) use.toolUseId ??= `${this.#turn || this.#thread}.call.${(this.#unnamed += 1)}`;
    const { toolUseId: id, toolName: tool = "" } = use;
    if (tool === CODE_TOOL) this.#code = made.sourceId;
    if (hasEnded)
      return [made, this.#resultDraft(resultOf(id, "", tool, callEnd(item)), { ...piece, uuid: undefined })];
    if (id !== undefined) this.#calls.set(id, { tool, input: use.input });
    return [made];
  }

  #result(id: string | undefined, output: unknown, piece: Piece): MessageDraft[] {
    const call = this.#calls.get(id ?? "");
    const running = call?.end === undefined ? runningCommand(output) : undefined;
    if (call === undefined || id === undefined || running === undefined || call.tool === WAITING_TOOL) {
      this.#calls.delete(id ?? "");
    } else {
      call.printed = running.printed.slice(-MAX_PRINTED_LENGTH);
      this.#processes.set(running.process, id);
    }
    this.#close();
    const end = call?.end ?? (this.#hasInnerCommands ? undefined : endOfCommandInCode(output, call?.input));
    const result = resultOf(id, output, call?.tool, end);
    const waitedFor =
      call?.tool === WAITING_TOOL ? this.#processes.get(jsonText(fieldOf(call.input, "session_id"))) : undefined;
    if (waitedFor === undefined || (result.exitCode ?? 0) <= 0) return [this.#resultDraft(result, piece)];
    // The exit code is the command's, so only its own call fails. An event may have reported that already.
    const command = this.#calls.get(waitedFor)?.input;
    const ended = { cmd: fieldOf(command, "cmd"), exit_code: result.exitCode, aggregated_output: result.text };
    return [
      this.#resultDraft({ ...result, exitCode: undefined }, piece),
      ...this.#ended({ ...ended, call_id: waitedFor }, { ...piece, uuid: undefined }),
    ];
  }

  #resultDraft(block: BlockDraft, piece: Piece, sourceId = block.toolUseId): MessageDraft {
    if (sourceId !== undefined) this.#turns.at(-1)?.push(sourceId);
    return resultsDraft({ ...piece, sourceId }, [block]);
  }

  #event(payload: Fields, piece: Piece): MessageDraft[] {
    const type = textIn(payload["type"]) ?? "";
    switch (type) {
      case "item_completed":
        return this.#completed(fieldsOf(payload, "item") ?? {}, piece);
      case "user_message":
        this.#hasPromptEvents = true;
        return [];
      case "agent_message":
        this.#isShown = true;
        return [];
      case "task_started":
      case "turn_started":
        this.#beginTurn(textIn(payload["turn_id"]));
        return [];
      case "token_count":
        return this.#usage(piece, this.#tokens.event(payload));
      case "thread_rolled_back":
        this.#rollBack(countIn(payload["num_turns"]) ?? 0);
        return [];
      case "turn_aborted":
        return this.#aborted(piece);
      case "task_complete":
      case "turn_complete":
        return failed(fieldsOf(payload, "error"), piece);
      case "error":
        return failed(payload, piece);
      default:
        return type.endsWith("_end") ? this.#ended(payload, piece) : [];
    }
  }

  #completed(item: Fields, piece: Piece): MessageDraft[] {
    if (item["type"] === "UserMessage") this.#hasPromptEvents = true;
    if (item["type"] === "AgentMessage" || item["type"] === "Plan") this.#isShown = true;
    return this.#ended(item, piece);
  }

  /** Notes how a call ended. Returns a second result for a command that failed after its first result. */
  #ended(item: Fields, piece: Piece): MessageDraft[] {
    const inner = innerCall(item, this.#session?.cwd);
    if (inner !== undefined) return this.#inner(inner, callEnd(item), piece);
    const id = textIn(item["call_id"]) ?? textIn(item["id"]) ?? "";
    const call = this.#calls.get(id);
    if (call === undefined) return [];
    call.end = callEnd(item);
    if (call.printed === undefined) return [];
    this.#calls.delete(id);
    const result = lateFailure(id, call.tool, call.printed, item);
    if (result === undefined) return [];
    this.#superseded = [id];
    return [this.#resultDraft(result, piece, `${id}.end`)];
  }

  #inner({ use, output }: NonNullable<ReturnType<typeof innerCall>>, end: CallEnd, piece: Piece): MessageDraft[] {
    const { toolUseId: id, toolName: tool } = use;
    this.#hasInnerCommands ||= tool === "exec_command";
    const sourceId = this.#code ?? this.#open().id;
    return [answerDraft({ ...piece, sourceId }, [use]), this.#resultDraft(resultOf(id, output, tool, end), piece)];
  }

  /** The person took back their last prompts and what followed. */
  #rollBack(turns: number): void {
    if (turns > 0) this.#superseded = this.#turns.splice(-turns).flat();
  }

  #aborted(piece: Piece): MessageDraft[] {
    if (this.#answer === undefined || this.#isInterruptionSaid) return [];
    const { id: sourceId } = this.#answer;
    return [answerDraft({ ...piece, sourceId }, [], { interrupted: true })];
  }

  #usage(piece: Piece, usage: UsageDraft | undefined, copyKey?: string): MessageDraft[] {
    if (usage === undefined) return [];
    const answer = this.#answer?.hasUsage === false ? this.#answer : this.#open();
    answer.hasUsage = true;
    answer.isOpen = false;
    const model = { model: this.#model, provider: this.#provider };
    return [usageDraft({ ...piece, ...model, sourceId: answer.id, copyKey, usage })];
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

  #answerPiece(blocks: BlockDraft[], piece: Piece): MessageDraft {
    const model = { model: this.#model, provider: this.#provider };
    return answerDraft({ ...piece, ...model, sourceId: this.#open().id }, blocks);
  }
}

/** Forks made by newer versions have only their own lines; those of older versions begin with a copy of the parent's. */
function forked(payload: Fields, piece: Piece): MessageDraft[] {
  const parent = textIn(payload["forked_from_id"]);
  if (parent === undefined) return [];
  const rest = fieldsOf(payload, "history_base") === undefined ? "" : " What came before is in that session.";
  return [noteDraft(piece, "notification", `Forked from session ${parent}.${rest}`)];
}

function failed(error: Fields | undefined, piece: Piece): MessageDraft[] {
  const message = textOf(error, "message");
  return message === undefined ? [] : [errorDraft(piece, message)];
}

/** Returns the session that started this one; null if a person did. */
function parentIn(meta: Fields): string | null {
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
