import { toolTable } from "../../calls/tools.ts";

/** Qwen Code's tools up to 0.24, earlier names included. */
export const qwenTools = toolTable(
  {
    read: ["read_file", "read_many_files"],
    list: ["list_directory"],
    glob: ["glob"],
    search: ["grep_search", "search_file_content"],
    edit: ["write_file", "edit", "replace"],
    run: ["run_shell_command"],
    fetch: ["web_fetch"],
    web_search: ["web_search"],
    subagent: ["agent", "task"],
    todo: ["todo_write", "task_create", "task_update", "task_list", "task_get"],
    question: ["ask_user_question"],
    plan: ["enter_plan_mode", "exit_plan_mode"],
  },
  (name) => name.startsWith("mcp__"),
);
