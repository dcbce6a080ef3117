/** What went wrong with a call, in words that a model can act on. Light: it is loaded where tools are only offered. */
import { TOOL_DATA_VERSION, type ToolAnswer } from "./tool.ts";

/** Errors whose message is whole: what happened, and the next step. */
const TOLD = new Set(["ToolError", "SessionError", "StoreError", "SnippetError", "SearchError"]);

/** The most candidates that an answer lists. */
const MAX_CANDIDATES = 10;

/** The answer to a call that failed, as it is: what calls a tool redacts it. */
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
    .replaceAll(/([Rr])un `transcripts list`( to see)/g, (_, r: string, to: string) =>
      r === "R" ? `Call list_sessions${to}` : `call list_sessions${to}`,
    )
    .replaceAll("a path or `latest`", 'a path or "latest"')
    .replaceAll("path of a file or `latest`", 'path of a file or "latest"');
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
