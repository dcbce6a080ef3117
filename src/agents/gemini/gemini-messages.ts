/**
 * Converts the records of Gemini CLI to units. Its rules:
 *
 * - A record with a known id is the message again, with more in it. A list replaces all messages: those that it has again
 *   are copies, some without tokens, model or thoughts, and after a compaction with new ids. What it lacks was said, too.
 * - An answer is one call of the model, with its tokens. Inputs include what was read from a cache; thoughts and the tokens
 *   of tools are beside the rest.
 * - Calls and results are in `toolCalls`. They are repeated as parts of messages, which are left out.
 * - A command that failed is a success with an exit code in its text.
 */
import { hash } from "node:crypto";
import type { ToolStatus } from "../../calls/ending.ts";
import { endingInText, exitCodeInText, type ResultTexts } from "../../calls/result-texts.ts";
import { given } from "../../given.ts";
import { countedTokens, type CounterNames } from "../../parse/counted-tokens.ts";
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
} from "../../parse/drafts.ts";
import {
  countOf,
  type Fields,
  fieldOf,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  textOf,
  jsonText,
} from "../../parse/json-fields.ts";
import type { BlockDraft, MessageDraft, SessionDraft, UsageDraft } from "../../parse/message-draft.ts";
import type { ReadRecord, RecordReader } from "../../parse/record-units.ts";
import { SeenBlocks } from "../../parse/seen-blocks.ts";
import { timeOf } from "../../parse/times.ts";

const TYPES = new Set(["user", "gemini", "info", "warning", "error"]);
const CANCELLED = "Request cancelled.";
/** Texts of the program in the place of prompts. */
const CONTEXT = /^\s*<session_context>/;
const SUMMARY = /^\s*<state_snapshot>/;
const PROGRAM = /^\s*System: /;
/** A command that the user ran, with its output. */
const USERS_COMMAND =
  /^I ran the following shell command:\n```sh\n([^]*?)\n```\n\nThis produced the following result:\n```\n([^]*?)\n?```\s*$/;
const FOLDER =
  /(?:Workspace Directories:\*{0,2}\s*\n\s*- |working in the (?:following )?director(?:y|ies):\s*(?:- )?)([^\n]+)/;

const COUNTERS: CounterNames = {
  input: "input",
  output: "output",
  cacheRead: "cached",
  reasoning: "thoughts",
  inputHasCache: true,
  isReasoningBeside: true,
};

const TEXTS: ResultTexts = {
  interrupted: ["Command was cancelled by user before it could complete"],
  rejected: ["[Operation Cancelled] Reason: User did not allow tool call", "[Operation Cancelled] Reason: User denied"],
  exitCode:
    /(?:^|\n)Exit Code: (\d{1,10})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*\s*(?:<\/untrusted_context>\s*)?$/,
};

export class GeminiReader implements RecordReader {
  readonly silent = new Set<string>();
  #cwd: string | undefined;
  #isSubagent = false;
  readonly #seen = new SeenBlocks();
  /** Ids of messages by type and id. Those of a list with new ids are the ones that they copy. */
  readonly #known = new Map<string, string>();
  /** Ids of messages by type and text. */
  readonly #said = new Map<string, string>();
  readonly #calls = new Set<string>();
  /** The conversation as the program has it, with the id of each message there, which for a copy is another one. */
  #current = new Map<string, string>();

  read(record: Fields): ReadRecord | undefined {
    const type = textOf(record, "type");
    const set = fieldsOf(record, "$set");
    const cwd = this.#cwd;
    const rewind = textOf(record, "$rewindTo");
    const session = type === undefined ? this.#sessionOf(set ?? record) : undefined;
    if (type !== undefined && !TYPES.has(type)) return { kind: type };
    const list = Array.isArray(set?.["messages"]) ? listOf(set, "messages") : undefined;
    const supersedes = rewind === undefined ? undefined : this.#rewind(rewind);
    let messages: readonly MessageDraft[] = [];
    if (type !== undefined) messages = this.message(record);
    else if (list !== undefined) messages = this.#list(list);
    else if (set === undefined && rewind === undefined && session === undefined) return undefined;
    return {
      kind: type ?? (set === undefined ? "session" : "$set"),
      messages,
      supersedes,
      session: this.#cwd === cwd ? session : { ...session, cwd: this.#cwd },
      // Results come later than the answer that they are in.
      timestamp: messages.at(-1)?.timestamp ?? timeOf(record["timestamp"]) ?? timeOf(record["startTime"]),
    };
  }

  /** Returns the session's fields, which are at the beginning and may change. */
  #sessionOf(fields: Fields): SessionDraft | undefined {
    const [sessionId, kind, summary] = ["sessionId", "kind", "summary"].map((name) => textOf(fields, name));
    const folder: unknown = listOf(fields, "directories")[0];
    if (kind !== undefined) this.#isSubagent = kind === "subagent";
    if (sessionId === undefined && folder === undefined && summary === undefined) return undefined;
    this.#cwd ??= typeof folder === "string" ? folder : undefined;
    // That of a subagent is its result.
    return given({ sessionId, title: this.#isSubagent ? undefined : summary });
  }

  /** Returns the ids of the messages from one on; of all if it is unknown, as in Gemini CLI. */
  #rewind(id: string): string[] {
    const current = [...this.#current];
    const at = current.findIndex((ids) => ids.includes(id));
    const dropped = current.slice(Math.max(at, 0)).map(([message]) => message);
    for (const message of dropped) this.#current.delete(message);
    return dropped.flatMap((message) => [message, resultsOf(message)]);
  }

  /** Returns what a list of all messages has that was not read before. */
  #list(list: readonly unknown[]): MessageDraft[] {
    const before = this.#current;
    this.#current = new Map();
    let isAnswered = false;
    return list.filter(isFields).flatMap((record) => {
      const { type } = record;
      const text = spoken(record);
      // The program answers its own texts.
      const isOwn = isAnswered && type === "gemini" && record["tokens"] === undefined;
      isAnswered = type === "user" && (CONTEXT.test(text) || SUMMARY.test(text));
      return isOwn ? [] : this.message(record, before);
    });
  }

  /** Returns the pieces of a message that were not read before. `before`: the conversation before the list that it is in. */
  message(record: Fields, before?: ReadonlyMap<string, string>): MessageDraft[] {
    const [type = "", own = ""] = [textOf(record, "type"), textOf(record, "id")];
    if (type === "user" && listOf(record, "content").some((part) => isFields(fieldOf(part, "functionResponse")))) {
      // Results are in the calls, but a rewind may go back to one.
      this.#current.set(own, own);
      return [];
    }
    const text = spoken(record);
    if (type === "user" && CONTEXT.test(text)) {
      this.#cwd ??= FOLDER.exec(text)?.[1]?.trim();
      return [];
    }
    const known =
      this.#known.get(`${type}/${own}`) ?? (before === undefined ? undefined : this.#copied(type, text, record));
    if (known === undefined && before !== undefined && isEmptyAnswer(record, text)) return [];
    const id = known ?? own;
    if (own !== "") this.#known.set(`${type}/${own}`, id);
    const isThere = this.#current.has(id);
    if (!isThere) this.#current.set(id, own);
    const piece = {
      uuid: id === "" ? undefined : id,
      timestamp: timeOf(record["timestamp"]),
      cwd: this.#cwd,
      isSidechain: this.#isSubagent,
    };
    const drafts =
      type === "gemini"
        ? this.#answer(record, text, id, piece)
        : known === undefined
          ? this.#told(type, record, text, id, piece)
          : [];
    // A list brings back what was dropped before.
    const isBack = known !== undefined && !isThere && before?.has(known) === false;
    return drafts.length === 0 && isBack
      ? [joined((type === "gemini" ? answerDraft : promptDraft)(piece, []), type, id)]
      : drafts;
  }

  /** Returns the id of the message of which one in a list is a copy with another id, as compactions make them. */
  #copied(type: string, text: string, record: Fields): string | undefined {
    const said = text === "" ? undefined : this.#said.get(keyOf(type, text));
    return said !== undefined && callsOf(record).every(({ id }) => this.#calls.has(id)) ? said : undefined;
  }

  /** Returns what a person or the program said. */
  #told(type: string, record: Fields, text: string, id: string, piece: Piece): MessageDraft[] {
    if (text === "" && attachmentsOf(record).length === 0) return [];
    if (type === "error") return [errorDraft(piece, text)];
    if (type !== "user") return type === "info" && text === CANCELLED ? [noteDraft(piece, "interruption", text)] : [];
    this.#said.set(keyOf(type, text), id);
    const [prompt, ...output] = prompts(record, text, piece);
    const uuid = resultsOf(id);
    return [
      ...(prompt === undefined ? [] : [joined(prompt, type, id)]),
      ...output.map((draft) => ({ ...draft, uuid })),
    ];
  }

  #answer(record: Fields, text: string, id: string, piece: Piece): MessageDraft[] {
    const calls = callsOf(record);
    const said = [...listOf(record, "thoughts").map(thinking), ...textBlocks(text)];
    const blocks = this.#seen.fresh(
      [
        ...said,
        ...calls.map(({ id: call, call: { name, args } }) => ({
          ...callBlock(call, textIn(name), args),
          identity: call,
        })),
      ],
      piece.uuid,
    );
    const ended = calls.flatMap((each) => resultOf(each.id, each.call) ?? []);
    const results = this.#seen.fresh(ended, piece.uuid);
    if (text !== "") this.#said.set(keyOf("gemini", text), id);
    for (const call of calls) this.#calls.add(call.id);
    const [model, usage] = [textOf(record, "model"), usageOf(record)];
    const answer = answerDraft({ ...piece, model, usage }, blocks);
    const last = timeOf(calls.at(-1)?.call["timestamp"]) ?? piece.timestamp;
    return [
      ...(blocks.length > 0 || usage !== undefined ? [joined(answer, "gemini", id)] : []),
      ...(results.length === 0 ? [] : [resultsDraft({ ...piece, uuid: resultsOf(id), timestamp: last }, results)]),
    ];
  }
}

/** Pieces of a message are joined by its type and id. */
function joined(draft: MessageDraft, type: string, id: string): MessageDraft {
  return id === "" ? draft : { ...draft, sourceId: id, answerId: `${type}/${id}` };
}

function keyOf(type: string, text: string): string {
  return hash("sha1", `${type}/${text}`, "base64");
}

function resultsOf(id: string): string {
  return `${id}/results`;
}

/** Copies of answers in lists may have only parts of calls. */
function isEmptyAnswer(record: Fields, text: string): boolean {
  return record["type"] === "gemini" && text === "" && record["tokens"] === undefined && callsOf(record).length === 0;
}

/** Returns the text of a message: of a prompt, as it was typed. */
function spoken(record: Fields): string {
  return textsOf(record["displayContent"]) || textsOf(record["content"]);
}

function textsOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const shown = parts.filter((part) => fieldOf(part, "thought") !== true);
  return shown.flatMap((part) => (typeof part === "string" ? part : (textOf(part, "text") ?? []))).join("\n");
}

function prompts(record: Fields, text: string, piece: Piece): MessageDraft[] {
  if (SUMMARY.test(text)) return [noteDraft(piece, "compact_summary", text)];
  if (PROGRAM.test(text)) return [noteDraft(piece, "notification", text)];
  const [, command, output = ""] = USERS_COMMAND.exec(text) ?? [];
  if (command === undefined) return [promptDraft(piece, [...textBlocks(text), ...attachmentsOf(record)])];
  return [commandDraft(piece, `!${command}`), noteDraft(piece, "command_output", output)];
}

function attachmentsOf(record: Fields): BlockDraft[] {
  return listOf(record, "content").flatMap((part) => {
    const data = fieldsOf(part, "inlineData") ?? fieldsOf(part, "fileData");
    return data === undefined
      ? []
      : [fileBlock(textOf(data, "mimeType"), textOf(data, "data"), textOf(data, "fileUri"))];
  });
}

/** The program cuts the heading off a thought. */
function thinking(thought: unknown): BlockDraft {
  const [title, text = title] = [textOf(thought, "subject"), textOf(thought, "description")];
  return { type: "thinking", text: text ?? "", metadata: given({ title }) };
}

function callsOf(record: Fields): { id: string; call: Fields }[] {
  return listOf(record, "toolCalls")
    .filter(isFields)
    .map((call, at) => ({ id: textOf(call, "id") ?? `${textOf(record, "id") ?? ""}/${at}`, call }));
}

/** Returns the result of a call; undefined if it has not ended. */
function resultOf(id: string, call: Fields): BlockDraft | undefined {
  const status = textOf(call, "status") ?? "";
  if (!["success", "error", "cancelled"].includes(status)) return undefined;
  const parts = Array.isArray(call["result"]) ? listOf(call, "result") : [call["result"]];
  const response = parts.map((part) => fieldsOf(fieldsOf(part, "functionResponse"), "response")).find(Boolean);
  const text =
    (response && responseText(response)) ?? (textsOf(call["result"]) || (textOf(call, "resultDisplay") ?? ""));
  const images = parts.filter((part) => isFields(fieldOf(part, "inlineData"))).length;
  const stopped = status === "cancelled" ? "interrupted" : status === "error" ? "error" : "completed";
  const reported: ToolStatus = (status === "success" ? undefined : endingInText(TEXTS, text)) ?? stopped;
  const tool = textOf(call, "name");
  const block = resultBlock({
    id,
    tool,
    text,
    isError: status === "error",
    reported,
    exitCode: /shell/i.test(tool ?? "") ? exitCodeInText(TEXTS, text) : undefined,
    images,
    subagentId: textOf(call, "agentId"),
  });
  // A copy may lack some of its text.
  return { ...block, identity: id };
}

function usageOf({ tokens }: Fields): UsageDraft | undefined {
  const usage = countedTokens(tokens, COUNTERS);
  if (usage !== undefined) usage.tokensIn += countOf(tokens, "tool") ?? 0;
  return usage;
}

/** Returns the text of a `functionResponse`, which Qwen Code, a fork of Gemini CLI, has too. */
export function responseText(response: Fields): string {
  const said = response["output"] ?? response["error"] ?? response;
  return typeof said === "string" ? said : jsonText(said);
}
