import { does, fetches, globs, lists, reads, replaces, runs, searches, toolTable, writes } from "../../calls/tools.ts";

const FOLDER = ["dir_path", "path"];

/** Actions of Gemini CLI's tools, old and new. The name of an MCP server's tool begins with the server's. */
export const geminiTools = toolTable(
  {
    read_file: reads(["file_path", "absolute_path", "path"]),
    read_many_files: reads(["include", "paths"]),
    write_file: writes(["file_path", "path"], "content"),
    replace: replaces(["file_path", "path"], "old_string", "new_string"),
    list_directory: lists(FOLDER),
    glob: globs("pattern", FOLDER),
    grep_search: searches("pattern", FOLDER),
    search_file_content: searches("pattern", FOLDER),
    run_shell_command: runs("command", ["dir_path", "directory"]),
    web_fetch: fetches(["url", "prompt"]),
    google_web_search: does("web_search"),
    invoke_agent: does("subagent"),
    delegate_to_agent: does("subagent"),
    codebase_investigator: does("subagent"),
    write_todos: does("todo"),
    ask_user: does("question"),
    enter_plan_mode: does("plan"),
    exit_plan_mode: does("plan"),
  },
  (name) => name.startsWith("mcp_") || name.includes("__"),
);
