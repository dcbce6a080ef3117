/**
 * Describes failures in words that a model can act on. Kept light, because it is loaded where tools are only offered.
 */
import { errorCode } from "../transcript/files/fault.ts";
import type { ToolAnswer } from "./tool.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Maximum number of candidates in an answer. */
const MAX_CANDIDATES = 10;

/** Returns the answer to a failed call, unredacted: the caller redacts it. */
export function failure(tool: string, error: unknown): ToolAnswer {
  const { code, message } = facts(error);
  return { text: `${tool} failed. ${message}`, code, isError: true };
}

function facts(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "unexpected", message: unexpected(String(error)) };
  if (error instanceof TranscriptsError) {
    // Messages are written for the command line, but a model has only the tools.
    const message = error.message.replace(
      /([Rr])un `transcripts list`/,
      (_, r) => `${r === "R" ? "C" : "c"}all list_sessions`,
    );
    return { code: error.code, message: withArgument(error, message) + candidates(error) };
  }
  // File system errors name the operation and the path.
  if ("syscall" in error) {
    return { code: errorCode(error) ?? "unexpected", message: `${error.message}. Check the path and its rights.` };
  }
  return { code: "unexpected", message: unexpected(error.message) };
}

/** Puts the name of the argument that is at fault before a message. */
export function withArgument({ field }: TranscriptsError, message: string): string {
  return field === undefined ? message : `${field}: ${message}`;
}

function unexpected(message: string): string {
  const line = message.split("\n", 1)[0] ?? "";
  return `${line.slice(0, 500)} This should not happen: it is a bug of opencode-transcripts. Go on without this tool.`;
}

function candidates({ candidates: all }: TranscriptsError): string {
  const lines = all.slice(0, MAX_CANDIDATES).map(({ id, path }) => `\n- ${id}  ${path ?? ""}`);
  const more = all.length - lines.length;
  return lines.join("") + (more > 0 ? `\n- and ${more} more` : "");
}
