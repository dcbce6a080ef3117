/** Detects how a call of opencode ended, where the host reports as completed what was not. */
import { endingOf } from "../../calls/ending.ts";
import { endingInText, type ResultTexts } from "../../calls/result-texts.ts";

const TEXTS: ResultTexts = {
  interrupted: ["Tool execution aborted"],
  rejected: ["The user rejected permission to use this specific tool call", "The user dismissed this question"],
};

/** Tool of opencode 2.x that runs code, which may call other tools; MCP tools too. A failed one is completed with `error: true`. */
const CODE_TOOL = "execute";
/** Tool name under which opencode completes calls of unknown tools or with invalid arguments. */
const INVALID_TOOL = "invalid";
/** Note of the shell tool at the end of the output of a command that it stopped and reports as completed. */
const SHELL_NOTE = /<(?:shell|bash)_metadata>\n([^<]*)\n<\/(?:shell|bash)_metadata>\s*$/;
/** Number of characters at the end of an output searched for the note. */
const SHELL_NOTE_CHARS = 2_000;
/** Fields of metadata with an exit code: the host's own `exit`, and those of plugins. */
const EXIT_FIELDS = ["exit", "exitCode", "exit_code"] as const;

/** Result as the host reports it, or as it was judged before. */
export interface HostEnd {
  tool: string;
  input: unknown;
  output?: unknown;
  status?: "completed" | "error" | "interrupted" | "rejected";
  hostStatus?: "completed";
  exitCode?: number;
  metadata?: unknown;
}

export type JudgedEnd = Required<Pick<HostEnd, "status">> & Pick<HostEnd, "hostStatus" | "exitCode">;

/** Returns the status fields of a result. Keeps a status that was judged before. */
export function judgedEnd(result: HostEnd): JudgedEnd {
  const { tool, input, output, metadata, hostStatus, status = "completed" } = result;
  const fields = new Map<string, unknown>(
    typeof metadata === "object" && metadata !== null ? Object.entries(metadata) : [],
  );
  const exitCode = result.exitCode ?? EXIT_FIELDS.map((name) => fields.get(name)).find(isExitCode);
  const code = exitCode === undefined ? {} : { exitCode };
  if (hostStatus !== undefined) return { status, hostStatus, ...code };
  const stopped = exitCode === undefined ? stoppedShell(output) : undefined;
  if (status === "completed" && stopped === "aborted") return { status: "interrupted", hostStatus: status, ...code };
  const isTimedOut = stopped === "timed out" || fields.get("timeout") === true;
  const hasFailed = isTimedOut || tool === INVALID_TOOL || (tool === CODE_TOOL && fields.get("error") === true);
  const told = status === "error" && typeof output === "string" ? endingInText(TEXTS, output) : undefined;
  const ending = endingOf({ input, reported: told ?? status, exitCode, hasFailed });
  return { status: ending, ...(status === "completed" && ending !== status ? { hostStatus: status } : {}), ...code };
}

function stoppedShell(output: unknown): "timed out" | "aborted" | undefined {
  if (typeof output !== "string") return undefined;
  const note = SHELL_NOTE.exec(output.slice(-SHELL_NOTE_CHARS))?.[1];
  if (note === undefined) return undefined;
  if (/^User aborted the command$/m.test(note)) return "aborted";
  return /^(?:shell|bash) tool terminated command after exceeding timeout\b/m.test(note) ? "timed out" : undefined;
}

function isExitCode(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
