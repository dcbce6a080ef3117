/** The work of the tools, loaded with the first call of each. */
import { STORE_SUGGESTIONS } from "./runner/jobs.ts";
import type { ToolExecute } from "./tool.ts";

const WORK = new Map<string, () => Promise<{ execute: ToolExecute }>>([
  ["find_in_transcripts", () => import("./find-in-transcripts/run.ts")],
  ["read_session", () => import("./read-session/run.ts")],
  ["list_sessions", () => import("./list-sessions/run.ts")],
  ["list_errors", () => import("./list-errors/run.ts")],
  ["extract_snippet", () => import("./extract-snippet/run.ts")],
  ["query_snippets", () => import("./query-snippets/run.ts")],
  [STORE_SUGGESTIONS, () => import("./store-suggestions/run.ts")],
]);

/** Undefined if there is no tool of that name. */
export async function toolWork(name: string): Promise<ToolExecute | undefined> {
  const load = WORK.get(name);
  return load && (await load()).execute;
}
