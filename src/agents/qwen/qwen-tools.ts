import { does, fetches, globs, lists, reads, replaces, runs, searches, toolTable, writes } from "../../calls/tools.ts";

const PATH = ["file_path", "absolute_path", "path"];

const edit = replaces(PATH, "old_string", "new_string");
const grep = searches("pattern", ["path", "dir_path"]);

/** Actions of Qwen Code's tools up to 0.24, earlier names included. */
export const qwenTools = toolTable(
  {
    read_file: reads(PATH),
    read_many_files: reads("paths"),
    list_directory: lists(["path", "dir_path"]),
    grep_search: grep,
    search_file_content: grep,
    glob: globs("pattern", ["path", "dir_path"]),
    write_file: writes(PATH, "content"),
    edit,
    replace: edit,
    run_shell_command: runs("command", ["directory", "dir_path"]),
    web_fetch: fetches("url"),
    web_search: does("web_search"),
    agent: does("subagent"),
    task: does("subagent"),
    todo_write: does("todo"),
    task_create: does("todo"),
    task_update: does("todo"),
    task_list: does("todo"),
    task_get: does("todo"),
    ask_user_question: does("question"),
    enter_plan_mode: does("plan"),
    exit_plan_mode: does("plan"),
  },
  (name) => name.startsWith("mcp__"),
);
