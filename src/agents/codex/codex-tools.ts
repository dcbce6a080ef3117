import { fieldsOf, isFields, listOf, stringOf, textOf } from "../../parse/json-fields.ts";
import type { FileEdit } from "../../calls/file-edits.ts";
import { does, lists, patches, reads, runs, searches, toolTable, type ToolReader } from "../../calls/tools.ts";

/** Actions of Codex's tools since 2025. */
export const codexTools = toolTable(
  {
    exec_command: runs("cmd", "workdir"),
    shell_command: runs("command", "workdir"),
    shell: shell(),
    "container.exec": shell(),
    local_shell: runs("command", "working_directory"),
    apply_patch: patch(),
    read_file: reads("file_path"),
    view_image: reads("path"),
    list_dir: lists("dir_path"),
    grep_files: searches("pattern", "path"),
    web_search: does("web_search"),
    update_plan: does("todo"),
    spawn_agent: does("subagent"),
    request_user_input: does("question"),
  },
  // Older versions put only the server before a name.
  (name) => name.includes("__"),
);

/** Early versions ran `apply_patch` as a command, with the patch as its argument. */
function shell(): ToolReader {
  const [run, edit] = [runs("command", "workdir"), patches()];
  return (input) => {
    const [program, argument] = listOf(input, "command");
    return program === "apply_patch" && typeof argument === "string" ? edit(argument) : run(input);
  };
}

/** The patch is the input; in a call that code made only its changes are known. */
function patch(): ToolReader {
  const edit = patches("input");
  return (input) => {
    const changes = Object.entries(fieldsOf(input, "changes") ?? {});
    return changes.length === 0 ? edit(input) : { kind: "write", edits: changes.map(changeOf) };
  };
}

function changeOf([path, change]: [string, unknown]): FileEdit {
  const type = isFields(change) ? change["type"] : undefined;
  if (type === "delete") return { path, how: "delete" };
  if (type === "add") return { path, how: "write", content: stringOf(change, "content") ?? "" };
  const lines = (stringOf(change, "unified_diff") ?? "").replace(/\n$/, "").split("\n");
  const movedTo = textOf(change, "move_path");
  return { path, how: "patch", lines, ...(movedTo === undefined ? {} : { movedTo }) };
}
