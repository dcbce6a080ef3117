/** Sums up a session from its transcript. */
import { shellLineOf } from "../../calls/ending.ts";
import { allTools, filesOfCall } from "../../agents/all-tools.ts";
import { countOf, fieldOf, textOf } from "../../parse/json-fields.ts";
import type { ToolCall, TranscriptMessage, TranscriptStats } from "../../parse/model.ts";
import { parseTranscript } from "../../agents/parse-input.ts";
import { fullModelName } from "../../parse/model-names.ts";
import { callsByBlock } from "../../parse/tool-calls.ts";
import { isPrompt, type MessageView, saidIn, turnsOf } from "../../parse/turns.ts";
import type { TranscriptInput } from "../../transcript/format/formats.ts";

/** Maximum number of prompts and errors kept; later ones are only counted. */
const MAX_KEPT = 20;
/** Maximum bytes kept of a text; far more than is shown. */
const MAX_KEPT_BYTES = 20_000;
/** Number of the assistant's texts kept. */
const MAX_TEXTS = 3;
const MAX_FILES = 1_000;
/** opencode's agent that writes the summary from which a compacted conversation continues. */
const SUMMARIZER = "compaction";

/** Summary of a session. */
export interface Digest {
  parentID: string | null;
  /** The host's title; null while it is only a placeholder. */
  title: string | null;
  stats: TranscriptStats;
  userMessages: number;
  /** Part of the output. */
  reasoningTokens: number;
  models: string[];
  /** The first errors: failed calls and session errors. */
  errors: { source: string; message: string }[];
  errorCount: number;
  files: { path: string; changed: boolean }[];
  /** The first prompts, except those without words of the user. */
  prompts: string[];
  promptCount: number;
  /** The assistant's last texts, latest last. */
  lastTexts: string[];
  /** The host's summary from the last compaction. */
  hostSummary: string | null;
  /** Ids of the sessions that calls started. */
  subagents: string[];
  /** Number of entries that could not be written, and of places that cannot be read. */
  missing: number;
}

/** Reads a transcript. `fileName` returns the display name of a touched file, or undefined to leave it out. */
export async function digestOf(
  input: TranscriptInput,
  fileName: (path: string) => string | undefined = (path) => path,
): Promise<Digest> {
  const session = await parseTranscript("", input, { maxInlineContentBytes: MAX_KEPT_BYTES });
  const { messages, content_blocks: blocks, tool_calls: calls, metadata, stats } = session;
  const views = turnsOf(session).flatMap((turn) => turn.messages);
  const prompts = views.filter(({ message }) => isPrompt(message));
  const asked = prompts.map(saidIn).filter((text) => text.trim() !== "");
  const answers = messages.filter(({ message_type: type }) => type === "assistant");
  const errors = errorsIn(views, calls);
  // Outputs that are saved in files of their own are not read here.
  const damage = session.errors.filter(({ code, recovered }) => !recovered && code !== "missing_output");
  return {
    parentID: metadata.parentSessionId,
    title: metadata.title,
    stats,
    // A message may have been recorded in pieces.
    userMessages: new Set(prompts.map(({ message }) => message.source_id ?? message.id)).size,
    reasoningTokens: answers.reduce((sum, answer) => sum + (answer.metadata.reasoning_tokens ?? 0), 0),
    models: [...new Set(answers.flatMap((answer) => fullModelName(answer) ?? []))],
    errors: errors.slice(0, MAX_KEPT),
    errorCount: errors.length,
    files: touchedFiles(calls, messages, fileName),
    prompts: asked.slice(0, MAX_KEPT),
    promptCount: asked.length,
    lastTexts: textsOf(views, (agent) => agent !== SUMMARIZER).slice(-MAX_TEXTS),
    hostSummary: textsOf(views, (agent) => agent === SUMMARIZER).at(-1) ?? null,
    subagents: [...new Set(blocks.flatMap((block) => textOf(block.metadata, "subagent_session_id") ?? []))],
    missing: messages.reduce((sum, message) => sum + missingIn(message), damage.length),
  };
}

/** Returns the texts of the agents that are wanted. */
function textsOf(views: readonly MessageView[], isWanted: (agent: unknown) => boolean): string[] {
  return views
    .filter(({ message }) => message.message_type === "assistant" && isWanted(message.metadata["agent"]))
    .flatMap((view) => view.blocks.flatMap(({ content_text: text }) => text ?? []));
}

/** Returns the failed calls, without those that were interrupted or refused, and the errors of the session. */
function errorsIn(views: readonly MessageView[], calls: readonly ToolCall[]): Digest["errors"] {
  const byBlock = callsByBlock(calls);
  return views.flatMap((view) => {
    const { subtype, data } = view.message.metadata;
    if (subtype === "error" && textOf(data, "name") !== "MessageAbortedError")
      return [{ source: "session", message: saidIn(view) }];
    const failed = view.blocks.filter(({ block_type: type, status }) => type === "tool_result" && status === "error");
    return failed.map(({ id, tool_name: tool, is_error: isReported, exit_code: exit, result_text: text, metadata }) => {
      const isExit = isReported !== true && exit !== null && exit !== 0;
      const command = textOf(metadata, "title") ?? shellLineOf(byBlock.get(id)?.tool_input) ?? "";
      return { source: tool ?? "", message: isExit ? `exit code ${exit}: ${command}` : (text ?? "") };
    });
  });
}

/** Returns the files that successful calls read or changed, as far as their input names them; changed ones first. */
function touchedFiles(
  calls: readonly ToolCall[],
  messages: readonly TranscriptMessage[],
  fileName: (path: string) => string | undefined,
): Digest["files"] {
  const files = new Map<string, boolean>();
  const touch = (path: string, changed: boolean): void => {
    const name = fileName(path);
    if (name !== undefined) files.set(name, changed || files.get(name) === true);
  };
  for (const { tool_name: name, tool_input: input } of calls.filter(({ status }) => status === "completed")) {
    const { kind } = allTools(name, input);
    const { read, written } = filesOfCall(name, input, null);
    // A command line names much that is no file, and a search mostly a folder.
    if (kind === "read") for (const { full } of read) touch(full, false);
    for (const { full } of written) touch(full, true);
  }
  for (const { metadata } of messages) {
    const changed = metadata.subtype === "patch" ? fieldOf(metadata["data"], "files") : undefined;
    if (Array.isArray(changed)) for (const path of changed) if (typeof path === "string") touch(path, true);
  }
  const all = [...files].map(([path, changed]) => ({ path, changed }));
  return all.toSorted((a, b) => Number(b.changed) - Number(a.changed)).slice(0, MAX_FILES);
}

/** Returns the number of entries that the recorder reports as lost. */
function missingIn({ metadata }: TranscriptMessage): number {
  if (metadata.subtype === "missing entries") return countOf(metadata["data"], "missing") ?? 1;
  return metadata.subtype === "torn entry" ? 1 : 0;
}
