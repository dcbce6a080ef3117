/** From a definition and its work to a call that always answers. */
import { readArguments } from "./arguments.ts";
import { TOOL_DATA_VERSION, type ArgumentShape, type ToolAnswer, type ToolArguments } from "./tool.ts";
import type { ToolContext, ToolDefinition, ToolExecute } from "./tool.ts";

/** Errors whose message is whole: what happened, and the next step. */
const TOLD = new Set(["ToolError", "SessionError", "StoreError", "SnippetError", "SearchError"]);

/** The most candidates that an answer lists. */
const MAX_CANDIDATES = 10;

/**
 * The call: reads the arguments, does the work, and answers failures in words that a model can act on. What `work`
 * throws may be one of our own errors, or anything.
 */
export function execution<Shape extends ArgumentShape>(
  definition: ToolDefinition<Shape>,
  work: (given: ToolArguments<Shape>, context: ToolContext) => Promise<ToolAnswer>,
): ToolExecute {
  return async (raw, context) => {
    try {
      context.signal.throwIfAborted();
      const answer = await work(readArguments(definition, raw), context);
      context.signal.throwIfAborted();
      return answer;
    } catch (error) {
      context.signal.throwIfAborted();
      return failure(definition.name, error);
    }
  };
}

/** The answer to a call that failed. */
export function failure(tool: string, error: unknown): ToolAnswer {
  const { code, message, field } = facts(error);
  return {
    text: `${tool} failed. ${message}`,
    data: { version: TOOL_DATA_VERSION, success: false, error: { code, message, ...(field ? { field } : {}) } },
    isError: true,
  };
}

function facts(error: unknown): { code: string; message: string; field?: string | undefined } {
  if (!(error instanceof Error)) return { code: "unexpected", message: unexpected(String(error)) };
  const code = "code" in error && typeof error.code === "string" ? error.code : "unexpected";
  const field = "field" in error && typeof error.field === "string" ? error.field : undefined;
  // Messages are written for the command line; a model has the tools.
  if (TOLD.has(error.name)) return { code, message: forModel(error.message) + candidates(error), field };
  // The file system's own errors name the call and the path.
  if ("syscall" in error) return { code, message: `${error.message}. Check the path and its rights.` };
  return { code: "unexpected", message: unexpected(error.message) };
}

function unexpected(message: string): string {
  const line = message.split("\n", 1)[0] ?? "";
  return `${line.slice(0, 500)} This should not happen: it is a bug of opencode-transcripts. Go on without this tool.`;
}

function forModel(message: string): string {
  return message
    .replaceAll(/[Rr]un `transcripts list`( to see)/g, "Call list_sessions$1")
    .replaceAll("a path or `latest`", 'a path or "latest"');
}

/** The sessions that were meant, of an id that is not the only one. */
function candidates(error: Error): string {
  if (!("candidates" in error) || !Array.isArray(error.candidates)) return "";
  const lines = error.candidates.slice(0, MAX_CANDIDATES).map((ref: unknown) => {
    const { id, path } = typeof ref === "object" && ref !== null ? { id: "", path: "", ...ref } : { id: "", path: "" };
    return `\n- ${id}  ${path ?? ""}`;
  });
  const more = error.candidates.length - lines.length;
  return lines.join("") + (more > 0 ? `\n- and ${more} more` : "");
}
