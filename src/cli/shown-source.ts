import type { SessionRef } from "../sessions/session-ref.ts";

/** The source of a session as the command line names it. */
export function shownSource({ source }: SessionRef): "claude-code" | "transcript" | "opencode" | "file" | "stdin" {
  return source === "opencode-store" ? "opencode" : source;
}
