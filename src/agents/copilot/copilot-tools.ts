import {
  byCommand,
  does,
  fetches,
  globs,
  inserts,
  patches,
  reads,
  replaces,
  runs,
  runsPowerShell,
  searches,
  toolTable,
  writes,
} from "../../calls/tools.ts";

const [view, create, edit] = [reads("path"), writes("path", "file_text"), replaces("path", "old_str", "new_str")];

/** Actions of Copilot CLI's tools up to 1.0. The name of an MCP server's tool begins with the server's. */
export const copilotTools = toolTable(
  {
    view,
    create,
    edit,
    str_replace_editor: byCommand("command", {
      view,
      create,
      str_replace: edit,
      insert: inserts("path", ["new_str", "insert_text"]),
    }),
    apply_patch: patches(["patch", "input"]),
    grep: searches("pattern", ["paths", "path"]),
    rg: searches("pattern", ["paths", "path"]),
    glob: globs("pattern", ["paths", "path"]),
    bash: runs("command"),
    local_shell: runs("command"),
    powershell: runsPowerShell("command"),
    web_fetch: fetches("url"),
    fetch: fetches("url"),
    web_search: does("web_search"),
    task: does("subagent"),
    update_todo: does("todo"),
    ask_user: does("question"),
    exit_plan_mode: does("plan"),
  },
  (name) => name.includes("-"),
);
