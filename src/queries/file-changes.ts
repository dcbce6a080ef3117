/** A session's changes to files: its edits, as the lines of a diff, and the commands that changed files. */
import { structuredPatch } from "diff";
import { allTools } from "../agents/all-tools.ts";
import { editLines } from "../calls/edit-diff.ts";
import type { FileEdit } from "../calls/file-edits.ts";
import { callPath, type CallPath } from "../calls/file-paths.ts";
import { commandEffects, isWantedFile } from "../calls/touched-files.ts";
import type { ToolCall } from "../parse/model.ts";
import type { Conversation } from "./read-session.ts";

/** A session, or a subagent of one. `label`: what a subagent is called; null for the session itself. */
export interface ChangedSession {
  conversation: Pick<Conversation, "id" | "messages" | "tool_calls" | "metadata">;
  label: string | null;
}

/** Changes of one file. Keys as in `transcripts changes --json`, where each is described. */
export interface FileChanges {
  /** Null for commands that change files without naming one. */
  path: string | null;
  changes: FileChange[];
}

export type FileChange = Omit<ChangeRow, "path">;

/** `moved`: to `moved_to`. `command`: a shell command changed the file, of which only the command is known. */
export type ChangeKind = "edited" | "written" | "deleted" | "moved" | "command";

interface ChangeRow {
  path: string | null;
  session_id: string;
  subagent: string | null;
  line_number: number | null;
  timestamp: string | null;
  tool_name: string | null;
  tool_use_id: string | null;
  kind: ChangeKind;
  moved_to: string | null;
  /** Shell command. */
  command: string | null;
  /** Lines of a diff. A part whose place in the file is known begins with `@@ -1,3 +1,4 @@`, any other with `@@`. */
  diff: string;
}

/**
 * Returns the files that were changed, in the order of their first change, each with its changes in order. Calls that
 * failed, or have no result, are left out. `wanted`: only this file, an absolute path or a last part of one.
 */
export function changesIn(sessions: readonly ChangedSession[], wanted?: string): FileChanges[] {
  const contents = new Contents();
  const calls = sessions.flatMap(callsOf).toSorted(inTime);
  const rows = calls.flatMap((each) => rowsOf(each, contents));
  const kept = rows.filter(
    ({ path }) => wanted === undefined || (path !== null && isWantedFile(callPath(path, null), wanted)),
  );
  return [...Map.groupBy(kept, ({ path }) => path)]
    .map(([path, own]) => ({ path, changes: own.map(({ path: _path, ...change }) => change) }))
    .toSorted((a, b) => Number(a.path === null) - Number(b.path === null));
}

interface PlacedCall {
  call: ToolCall;
  session: ChangedSession;
  cwd: string | null;
}

function callsOf(session: ChangedSession): PlacedCall[] {
  const { messages, tool_calls: calls, metadata } = session.conversation;
  const folders = new Map(messages.map(({ ordinal, cwd }) => [ordinal, cwd]));
  return calls
    .filter(({ status, use }) => status === "completed" && use !== null)
    .map((call) => ({ call, session, cwd: folders.get(call.use?.message_ordinal ?? -1) ?? metadata.cwd }));
}

/** Calls of one session are in order; those of its subagents are put between them by time. */
function inTime({ call: a }: PlacedCall, { call: b }: PlacedCall): number {
  const [first, second] = [Date.parse(a.use?.timestamp ?? ""), Date.parse(b.use?.timestamp ?? "")];
  return first - second || 0;
}

function rowsOf({ call, session, cwd }: PlacedCall, contents: Contents): ChangeRow[] {
  const action = allTools(call.tool_name, call.tool_input);
  const row = (path: CallPath | null, kind: ChangeKind, more: Partial<ChangeRow> = {}): ChangeRow => ({
    path: path?.full ?? null,
    session_id: session.conversation.id,
    subagent: session.label ?? (call.is_sidechain ? (call.agent_id ?? "subagent") : null),
    line_number: call.use?.line_number ?? null,
    timestamp: call.use?.timestamp ?? null,
    tool_name: call.tool_name,
    tool_use_id: call.tool_use_id,
    kind,
    moved_to: null,
    command: null,
    diff: "",
    ...more,
  });
  if (action.kind === "write") {
    return action.edits.map((edit) => {
      const path = callPath(edit.path, cwd);
      const movedTo = edit.how === "patch" && edit.movedTo ? callPath(edit.movedTo, cwd).full : null;
      const diff = contents.edit(path.full, edit).join("\n");
      return row(path, movedTo === null ? KINDS[edit.how] : "moved", { moved_to: movedTo, diff });
    });
  }
  if (action.kind !== "run") return [];
  return commandEffects(action, cwd).flatMap(({ written, edits, isChange, text }) => {
    if (!isChange) return [];
    const patched = edits.map((edit) => {
      const path = callPath(edit.path, cwd);
      return row(path, KINDS[edit.how], { command: null, diff: contents.edit(path.full, edit).join("\n") });
    });
    for (const { full } of written) contents.forget(full);
    const named = written.map((path) => row(path, "command", { command: text }));
    return patched.length + named.length > 0 ? [...patched, ...named] : [row(null, "command", { command: text })];
  });
}

const KINDS: Record<FileEdit["how"], ChangeKind> = {
  replace: "edited",
  insert: "edited",
  patch: "edited",
  write: "written",
  delete: "deleted",
};

/** Number of equal lines around a change whose place is known. */
const CONTEXT_LINES = 3;
/** Maximum number of differing lines that are compared. */
const MAX_DIFFERENCES = 1_000;

/** Contents of files that the session wrote as a whole, from which the places of later edits are known. */
class Contents {
  readonly #known = new Map<string, string>();

  forget(path: string): void {
    this.#known.delete(path);
  }

  /** Returns the diff of an edit, and applies it. */
  edit(path: string, edit: FileEdit): string[] {
    const before = this.#known.get(path);
    const after = contentAfter(before, edit);
    if (after === undefined) this.#known.delete(path);
    else this.#known.set(path, after);
    const numbered = before === undefined || after === undefined ? undefined : numberedDiff(before, after);
    return numbered ?? fragmentLines(edit);
  }
}

/** Returns the content of a file after an edit; undefined if it is not known. */
function contentAfter(before: string | undefined, edit: FileEdit): string | undefined {
  if (edit.how === "write") return edit.content;
  if (edit.how !== "replace" || before === undefined || edit.before === "") return undefined;
  const parts = before.split(edit.before);
  // With several, it depends on the call which of them were replaced.
  return parts.length === 2 ? parts.join(edit.after) : undefined;
}

function numberedDiff(before: string, after: string): string[] | undefined {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_DIFFERENCES };
  const patch = structuredPatch("", "", before, after, "", "", options);
  return patch?.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
}

/** Returns the lines of a change whose place in the file is not known. */
function fragmentLines(edit: FileEdit): string[] {
  const lines = editLines(edit);
  return lines.length === 0 || lines[0]?.startsWith("@@") ? lines : ["@@", ...lines];
}
