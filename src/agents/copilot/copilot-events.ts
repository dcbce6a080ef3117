/**
 * Converts the events of GitHub Copilot CLI to units. Its rules:
 *
 * - An answer's usage is in a record of its own, `session.usage_record`, joined by `apiCallId`. Earlier versions have only
 *   the output of each answer, and totals at `session.shutdown`, which grow over resumes and include subagents: what they
 *   have beyond the rest is usage of the session. Until then, as after a kill, the input of its answers is unknown.
 * - Inputs include what was read from and written to a cache. Compactions are in no total.
 * - A command that failed is a success with an exit code.
 * - Events of a subagent are in the same file, with an `agentId`.
 */
import type { ToolStatus } from "../../calls/ending.ts";
import { endingInText, exitCodeInText, type ResultTexts } from "../../calls/result-texts.ts";
import { given } from "../../given.ts";
import { countedTokens, type CounterNames } from "../../parse/counted-tokens.ts";
import { CumulativeUsage } from "../../parse/cumulative-usage.ts";
import {
  answerDraft,
  callBlock,
  commandDraft,
  errorDraft,
  fileBlock,
  noteDraft,
  type Piece,
  promptDraft,
  resultBlock,
  resultsDraft,
  textBlocks,
  thinkingBlock,
  usageDraft,
} from "../../parse/drafts.ts";
import {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringOf,
  textOf,
} from "../../parse/json-fields.ts";
import type { BlockDraft, MessageDraft, SessionDraft } from "../../parse/message-draft.ts";
import type { ReadRecord, RecordReader } from "../../parse/record-units.ts";
import { entryOf } from "../../parse/statistics.ts";
import { timeOf } from "../../parse/times.ts";

/** Events that are not part of the conversation, and groups of them. */
const SILENT = new Set([
  // Its text is in the message that follows, too.
  "assistant.reasoning",
  "assistant.turn_start",
  "assistant.turn_end",
  "session.auto_mode_resolved",
  "session.autopilot_objective_changed",
  "session.binary_asset",
  "session.compaction_start",
  "session.context_changed",
  "session.context_cleared",
  "session.handoff",
  "session.info",
  "session.model_change",
  "session.mode_changed",
  "session.permissions_changed",
  "session.plan_changed",
  "session.remote_steerable_changed",
  "session.resume",
  "session.schedule_cancelled",
  "session.schedule_created",
  "session.schedule_rearmed",
  "session.session_limits_changed",
  "session.start",
  "session.task_complete",
  "session.title_changed",
  "session.truncation",
  "session.usage_checkpoint",
  "session.warning",
  "session.workspace_file_changed",
  "system.message",
]);
/** `model.*` repeats the conversation around a compaction. */
const SILENT_GROUPS = new Set(["external_tool", "hook", "model", "permission", "skill", "subagent", "tool_search"]);

const COUNTERS: CounterNames = {
  input: "inputTokens",
  output: "outputTokens",
  cacheRead: "cacheReadTokens",
  cacheWrite: "cacheWriteTokens",
  reasoning: "reasoningTokens",
  inputHasCache: true,
};

const TEXTS: ResultTexts = {
  interrupted: ["The tool call was interrupted", "The user aborted"],
  rejected: ["The user rejected this tool call", "Permission denied and could not request permission from user"],
  exitCode: /<(?:shellId: \S+ completed|command completed|exited) with exit code (\d{1,10})>\s*$/,
};

/** An event without its envelope. */
interface Event {
  type: string;
  data: Fields;
  piece: Piece;
}

export class CopilotReader implements RecordReader {
  readonly silent = SILENT;
  /** Folder, version and branch of the session, which its subagents share. */
  #session: SessionDraft = {};
  /** Ids of calls, and of those that the user made. */
  readonly #calls = new Set<string>();
  readonly #usersCalls = new Set<string>();
  /** Subagents by the calls that started them. */
  readonly #agents = new Map<string, string>();
  /** Answers with a record of their usage. */
  readonly #counted = new Set<string>();
  /** Totals by model. */
  readonly #totals = new Map<string, CumulativeUsage>();
  /** Answers whose input is only in the next totals, by model and without blocks. */
  readonly #partlyCounted = new Map<string, MessageDraft[]>();

  read(record: Fields): ReadRecord | undefined {
    const type = textOf(record, "type");
    if (type === undefined) return undefined;
    const part = textOf(record, "agentId");
    const piece = {
      uuid: textOf(record, "id"),
      parentUuid: textOf(record, "parentId"),
      timestamp: timeOf(record["timestamp"]),
      agentId: part,
      isSidechain: part !== undefined,
      cwd: this.#session.cwd ?? undefined,
    };
    const event = { type, data: fieldsOf(record, "data") ?? {}, piece };
    const session = this.#sessionOf(event);
    const isSilent = SILENT_GROUPS.has(type.split(".", 1)[0] ?? "");
    const messages = this.#messages(event) ?? (isSilent ? [] : undefined);
    return { kind: type, messages, session, timestamp: piece.timestamp, part };
  }

  #sessionOf({ type, data, piece }: Event): SessionDraft | undefined {
    if (type === "session.start" || type === "session.resume") {
      const context = fieldsOf(data, "context");
      this.#session = {
        ...this.#session,
        ...given({
          sessionId: textOf(data, "sessionId"),
          cwd: textOf(context, "cwd"),
          version: textOf(data, "copilotVersion"),
          gitBranch: textOf(context, "branch"),
        }),
      };
      return this.#session;
    }
    const { agentId } = piece;
    if (type !== "subagent.started" || agentId === undefined) return undefined;
    const call = textOf(data, "toolCallId");
    if (call !== undefined) this.#agents.set(call, agentId);
    return { ...this.#session, parentSessionId: this.#session.sessionId, sessionId: agentId, agentId };
  }

  /** Returns the messages of an event; undefined if it has none of its own. */
  #messages(event: Event): MessageDraft[] | undefined {
    const { type, data, piece } = event;
    const text = textOf(data, "content") ?? textOf(data, "message") ?? "";
    switch (type) {
      case "user.message":
        return promptOf(event);
      case "assistant.message":
        return [this.#answer(event)];
      case "session.usage_record":
        return this.#usageRecord(event);
      case "tool.execution_start":
        return this.#calls.has(textOf(data, "toolCallId") ?? "") ? [] : [this.#lateCall(event)];
      case "tool.execution_complete":
        return [this.#result(event)];
      case "tool.user_requested":
        return [this.#userCommand(event)];
      case "session.compaction_complete":
        return compaction(event);
      case "session.shutdown":
        return this.#shutdown(event);
      case "session.error":
        return [errorDraft(piece, text)];
      case "abort":
        return [noteDraft(piece, "interruption", "")];
      case "system.notification":
        return [noteDraft(piece, "notification", text)];
      default:
        return undefined;
    }
  }

  #answer({ data, piece }: Event): MessageDraft {
    const blocks: BlockDraft[] = [];
    const thought = textOf(data, "reasoningText");
    if (thought !== undefined || "reasoningOpaque" in data) blocks.push(thinkingBlock(thought));
    blocks.push(...textBlocks(textOf(data, "content")));
    for (const request of listOf(data, "toolRequests")) {
      const id = textOf(request, "toolCallId");
      const input = isFields(request) ? request["arguments"] : undefined;
      if (id !== undefined) this.#calls.add(id);
      blocks.push(callBlock(id, textOf(request, "name"), input));
    }
    const [answerId, model] = [textOf(data, "apiCallId"), textOf(data, "model")];
    const output = this.#counted.has(answerId ?? "") ? undefined : countOf(data, "outputTokens");
    const usage = output === undefined ? undefined : { tokensIn: 0, tokensOut: output, cacheRead: 0, cacheWrite: 0 };
    if (usage !== undefined) this.#totalsOf(model).count(usage);
    const answer = { ...piece, sourceId: textOf(data, "messageId"), answerId, model, usage };
    // The input of a subagent's answers is in the totals of the session that started it.
    if (usage === undefined || piece.isSidechain === true) return answerDraft(answer, blocks);
    entryOf(this.#partlyCounted, model ?? "", (): MessageDraft[] => []).push(answerDraft(answer, []));
    return answerDraft(answer, blocks, { tokens_out_is_lower_bound: true });
  }

  #usageRecord({ data, piece }: Event): MessageDraft[] {
    const record = fieldsOf(data, "usage");
    const usage = countedTokens(record, COUNTERS);
    if (usage === undefined) return [];
    const accounting = fieldsOf(record, "accounting");
    const [source, sequence] = [textOf(accounting, "sourceSessionId"), countOf(accounting, "sequence")];
    const [answerId, model] = [textOf(record, "apiCallId"), textOf(record, "model")];
    if (answerId !== undefined) this.#counted.add(answerId);
    this.#totalsOf(model).count(usage);
    // The provider's ids are long, and look like secrets.
    const sourceId = source === undefined || sequence === undefined ? piece.uuid : `${source}/${sequence}`;
    const provider = textOf(record, "modelProvider");
    return [usageDraft({ ...piece, usage, sourceId, answerId, model, provider })];
  }

  /** A call that is in no answer. */
  #lateCall({ data, piece }: Event): MessageDraft {
    const id = textOf(data, "toolCallId");
    if (id !== undefined) this.#calls.add(id);
    const call = callBlock(id, textOf(data, "toolName"), data["arguments"]);
    return answerDraft({ ...piece, model: textOf(data, "model") }, [call]);
  }

  #userCommand({ data, piece }: Event): MessageDraft {
    this.#calls.add(textOf(data, "toolCallId") ?? "");
    this.#usersCalls.add(textOf(data, "toolCallId") ?? "");
    return commandDraft(piece, `!${textOf(fieldsOf(data, "arguments"), "command") ?? ""}`);
  }

  #result({ data, piece }: Event): MessageDraft {
    const id = textOf(data, "toolCallId") ?? "";
    const error = fieldsOf(data, "error");
    const result = fieldsOf(data, "result");
    const text = stringOf(result, "content") ?? stringOf(error, "message") ?? "";
    if (this.#usersCalls.has(id)) return noteDraft(piece, "command_output", text);
    const isError = data["success"] === false;
    const exitCode = numberOf(fieldsOf(data, "shellExecution"), "exitCode") ?? exitCodeInText(TEXTS, text);
    const properties = fieldsOf(fieldsOf(data, "toolTelemetry"), "restrictedProperties");
    const block = resultBlock({
      id,
      tool: undefined,
      text,
      isError,
      reported: isError ? failureOf(error, text) : "completed",
      exitCode,
      images: listOf(result, "binaryResultsForLlm").length,
      subagentId: this.#agents.get(id) ?? textOf(properties, "agent_id"),
    });
    return resultsDraft(piece, [block]);
  }

  /** Returns the usage that no record and no answer has, and repeats the answers that are now fully counted. */
  #shutdown({ data, piece }: Event): MessageDraft[] {
    return Object.entries(fieldsOf(data, "modelMetrics") ?? {}).flatMap(([model, metrics]) => {
      const total = countedTokens(fieldsOf(metrics, "usage"), COUNTERS);
      const counted = this.#partlyCounted.get(model) ?? [];
      this.#partlyCounted.delete(model);
      if (total === undefined) return counted;
      const rest = this.#totalsOf(model).rest(total);
      if (Object.values(rest).every((count) => count === 0)) return counted;
      return [...counted, usageDraft({ ...piece, usage: rest, sourceId: `${piece.uuid}/${model}`, model })];
    });
  }

  #totalsOf(model = ""): CumulativeUsage {
    const totals = this.#totals.get(model) ?? new CumulativeUsage();
    this.#totals.set(model, totals);
    return totals;
  }
}

function promptOf({ data, piece }: Event): MessageDraft[] {
  const blocks = [...textBlocks(textOf(data, "content")), ...listOf(data, "attachments").map(attachment)];
  if (blocks.length === 0) return [];
  const source = textOf(data, "source");
  // The prompt of a subagent is from the agent that started it; any other source is the program.
  const isTyped = source === undefined || (source.startsWith("agent-") && piece.isSidechain === true);
  const isQueued = isTyped && (data["delivery"] === "steering" || data["delivery"] === "queued");
  const draft = promptDraft(piece, blocks, isQueued ? { origin: "queued" } : {});
  return [isTyped ? draft : { ...draft, userKind: "meta" }];
}

function attachment(file: unknown): BlockDraft {
  return fileBlock(textOf(file, "mimeType"), undefined, textOf(file, "displayName") ?? textOf(file, "path"));
}

function compaction({ data, piece }: Event): MessageDraft[] {
  const used = fieldsOf(data, "compactionTokensUsed");
  const summary = data["success"] === false ? undefined : textOf(data, "summaryContent");
  const drafts = summary === undefined ? [] : [noteDraft(piece, "compact_summary", summary)];
  const usage = countedTokens(used, COUNTERS);
  if (usage === undefined) return drafts;
  return [...drafts, usageDraft({ ...piece, usage, sourceId: piece.uuid, model: textOf(used, "model") })];
}

function failureOf(error: Fields | undefined, text: string): ToolStatus {
  const code = textOf(error, "code");
  if (code === "interrupted") return "interrupted";
  return code === "rejected" || code === "denied" ? "rejected" : (endingInText(TEXTS, text) ?? "error");
}
