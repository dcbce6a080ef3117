/**
 * How calls of Codex ended. A result itself has no mark: events beside it say so (`CallEnd`), or else its text, of which the
 * program's own words come first.
 */
import { endingOf, type ToolStatus } from "../../calls/ending.ts";
import { endingInText, exitCodeInText, type ResultTexts } from "../../calls/result-texts.ts";
import { given } from "../../given.ts";
import { resultBlock } from "../../parse/drafts.ts";
import type { BlockDraft } from "../../parse/message-draft.ts";
import {
  countIn,
  type Fields,
  fieldsOf,
  isFields,
  jsonText,
  listOf,
  parsedJson,
  recordIn,
  stringOf,
  textIn,
  textOf,
} from "../../parse/json-fields.ts";

/** Facts about a call, from its events. */
export interface CallEnd {
  exitCode?: number | undefined;
  /** The program reports a failure. */
  hasFailed?: boolean;
  /** The person refused it. */
  isDeclined?: boolean;
  /** Session of the subagent that the call started. */
  threadId?: string | undefined;
}

const FAILED = new Set<unknown>(["failed", "errored", "error"]);

/** Returns what a completed item, or an older event, says about the call. */
export function callEnd(item: Fields): CallEnd {
  const { status, success, exit_code: code } = item;
  const outcome = fieldsOf(item, "result");
  const result = fieldsOf(outcome, "Ok") ?? outcome;
  const hasError = isError(result) || (outcome !== undefined && "Err" in outcome) || isFields(item["error"]);
  const [started] = listOf(item, "receiver_thread_ids");
  return {
    exitCode: Number.isSafeInteger(code) ? Number(code) : undefined,
    hasFailed: FAILED.has(status) || success === false || hasError,
    isDeclined: status === "declined",
    threadId: textIn(item["agent_thread_id"]) ?? textIn(item["new_thread_id"]) ?? textIn(started),
  };
}

/** Returns the result of a call of a tool. */
export function resultOf(id: string | undefined, output: unknown, tool?: string, end: CallEnd = {}): BlockDraft {
  const { text, exitCode: codeInText, isError: isMarked, images } = readOutput(output);
  const exitCode = end.exitCode ?? codeInText;
  const said = saidIn(text);
  const hasFailed = end.hasFailed === true || isMarked || said === "error";
  // A command that was stopped has the exit code -1.
  const reported = end.isDeclined === true ? "rejected" : (said ?? ((exitCode ?? 0) < 0 ? "interrupted" : undefined));
  const threadId = tool === "spawn_agent" ? (end.threadId ?? textOf(recordIn(text), "agent_id")) : undefined;
  const block = resultBlock({
    id,
    tool,
    text: text.replace(FRAME, ""),
    isError: hasFailed,
    reported,
    exitCode,
    images,
  });
  return { ...block, metadata: { ...block.metadata, ...given({ subagent_session_id: threadId }) } };
}

/** Beginning of the result of the model's code. */
const CODE_COMPLETED = "Script completed\n";

/** Lines before an output, all of which are there for the model. The lines of a command that is still running are not one. */
const FRAME =
  /^(?:(?:Command|Chunk ID|Wall time|Exit code|Process exited with code|Original token count|Total output lines|Script (?:completed|failed))\b[^\n]*\n)+Output:\n+/;

/** Lines before the output of a command that is still running. */
const RUNNING =
  /^(?:(?:Command|Chunk ID|Wall time): [^\n]*\n)*Process running with session ID ([^\n]*)\n(?:[^\n]*\n)?Output:\n/;

/** Returns Codex's id of a command that is still running, and its output so far; undefined for any other result. */
export function runningCommand(output: unknown): { process: string; printed: string } | undefined {
  const text = shownText(output);
  const found = RUNNING.exec(text);
  return found === null ? undefined : { process: found[1] ?? "", printed: text.slice(found[0].length) };
}

/**
 * Returns a second result for a command that was still running at its first; undefined if it did not fail. `before`: the
 * output in the first, which the item's own output may include.
 */
export function lateFailure(id: string, tool: string, before: string, item: Fields): BlockDraft | undefined {
  const end = callEnd(item);
  if (endingOf({ input: item, reported: "completed", exitCode: end.exitCode }) === "completed") return undefined;
  const all = stringOf(item, "aggregated_output") ?? "";
  return resultOf(id, all.startsWith(before.trim()) ? all : `${before}\n${all}`, tool, end);
}

/** Result of a failed command, as the model's code prints it. */
const PRINTED_FAILURE =
  /^\{\s*"chunk_id":\s*"\w*",\s*"wall_time_seconds":\s*[\d.e+-]+,\s*"exit_code":\s*(?!0\b)(-?\d+)/m;
const COMMAND_IN_CODE = /\bcmd"?\s*:\s*("(?:[^"\\]|\\.)*")/g;

/** Returns how a command that the model's code ran failed, if the code printed that. Some versions have no event for it. */
export function endOfCommandInCode(output: unknown, code: unknown): CallEnd | undefined {
  const text = shownText(output);
  const exitCode = text.startsWith(CODE_COMPLETED) ? PRINTED_FAILURE.exec(text)?.[1] : undefined;
  if (exitCode === undefined) return undefined;
  const [command, ...others] = String(code).matchAll(COMMAND_IN_CODE);
  const input = { cmd: others.length === 0 ? parsedJson(command?.[1] ?? "") : undefined };
  const end = { exitCode: Number(exitCode) };
  return endingOf({ input, reported: "completed", exitCode: end.exitCode }) === "completed" ? undefined : end;
}

/** How Codex itself says it, in place of a tool's output, which always has a frame. */
const TEXTS: ResultTexts = {
  interrupted: ["aborted by user"],
  rejected: [
    "exec command rejected by user",
    "patch rejected by user",
    "user rejected MCP tool call",
    "user cancelled MCP tool call",
  ],
  failed: [
    "unsupported call: ",
    "unsupported custom tool call: ",
    "failed to parse function arguments",
    "failed to parse tool_search arguments",
    "execution error: ",
    "approval policy is ",
    "exec_command failed",
    "write_stdin failed: ",
    "write_stdin rejected: ",
    "apply_patch verification failed: ",
    "patch rejected: ",
    "unable to locate image at `",
    "unable to resolve image path `",
    "image path `",
    "tool call error: ",
    "MCP tool returned an error: ",
    "resources/list failed",
    "resources/templates/list failed",
    "resources/read failed",
    "collab spawn failed: ",
    "collab tool failed: ",
    "agent with id ",
    "Agent depth limit reached",
    "Unknown model `",
    "timeout_ms must be ",
    // Code of the model.
    "Script failed\n",
  ],
  // Among other lines before `Output:`.
  exitCode:
    /^(?:(?:Command|Chunk ID|Wall time|Original token count|Total output lines): [^\n]*\n)*(?:Exit code: |Process exited with code )(-?\d{1,10})\n/,
};
const STOPPED_AFTER = /^Wall time: [\d.]+ seconds\n(?!Output:)/;
/** A command that the person rejected: the reason is at the end of what looks like an error. */
const REFUSED =
  /^(?:exec_command failed|Script failed\n)[^]* "Rejected\(\\"(?:exec command )?rejected by user\\"\)" }\s*$/;
/** Results that the model's code printed. A patch that does not apply has no event. */
const PATCH_FAILED = /^apply_patch verification failed: /m;

function saidIn(text: string): ToolStatus | undefined {
  if (REFUSED.test(text)) return "rejected";
  const said = endingInText(TEXTS, text.replace(STOPPED_AFTER, ""));
  return said ?? (text.startsWith(CODE_COMPLETED) && PATCH_FAILED.test(text) ? "error" : undefined);
}

interface Output {
  text: string;
  exitCode?: number | undefined;
  isError: boolean;
  images: number;
}

function readOutput(output: unknown): Output {
  if (typeof output === "string") return readText(output);
  if (Array.isArray(output)) {
    const images = output.filter((part) => textOf(part, "type") === "input_image").length;
    return { ...readText(shownText(output)), images };
  }
  // Versions before the text was all there is.
  const content = stringOf(output, "content");
  if (content !== undefined) return { ...readText(content), isError: isFields(output) && output["success"] === false };
  return { text: jsonText(output), isError: false, images: 0 };
}

/** Returns the text that the model saw; empty for the forms of 2025, which are objects. */
function shownText(output: unknown): string {
  if (Array.isArray(output)) return output.map(partText).join("\n");
  return typeof output === "string" ? output : "";
}

function readText(text: string): Output {
  const exitCode = exitCodeInText(TEXTS, text);
  if (exitCode !== undefined) return { text, exitCode, isError: false, images: 0 };
  const record = text.startsWith("{") ? recordIn(text) : undefined;
  const inner = stringOf(record, "output");
  const metadata = fieldsOf(record, "metadata");
  // The shell of 2025: the output and its exit code as JSON.
  if (inner !== undefined && metadata !== undefined)
    return { text: inner, exitCode: exitCodeIn(metadata), isError: false, images: 0 };
  // A result of an MCP server.
  const content = listOf(record, "content");
  if (record !== undefined && content.length > 0 && content.every((part) => textOf(part, "type") !== undefined))
    return { text: content.map(partText).join("\n"), isError: isError(record), images: 0 };
  return { text, isError: false, images: 0 };
}

function exitCodeIn(metadata: Fields): number | undefined {
  const code = metadata["exit_code"];
  return Number.isSafeInteger(code) ? Number(code) : countIn(code);
}

function isError(result: Fields | undefined): boolean {
  return result?.["isError"] === true || result?.["is_error"] === true;
}

/** Returns the text of a part of a result; a note for anything else, because bytes are not text. */
function partText(part: unknown): string {
  const text = stringOf(part, "text");
  if (text !== undefined) return text;
  const type = textOf(part, "type") ?? "part";
  const media = mediaType(textOf(part, "image_url")) ?? textOf(part, "mimeType");
  return media === undefined && !/image|audio|blob/.test(type) ? jsonText(part) : `[${media ?? type}]`;
}

/** Returns the media type of a `data:` URL. */
export function mediaType(url: string | undefined): string | undefined {
  return /^data:([\w.+-]+\/[\w.+-]+)[;,]/.exec(url ?? "")?.[1];
}
