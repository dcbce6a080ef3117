import { toolTable } from "../../calls/tools.ts";

/** Gemini CLI's tools, old and new. The name of an MCP server's tool begins with the server's. */
export const geminiTools = toolTable(
  {
    read: ["read_file", "read_many_files"],
    list: ["list_directory"],
    glob: ["glob"],
    search: ["grep_search", "search_file_content"],
    edit: ["write_file", "replace"],
    run: ["run_shell_command"],
    fetch: ["web_fetch"],
    web_search: ["google_web_search"],
    subagent: ["invoke_agent", "delegate_to_agent", "codebase_investigator"],
    todo: ["write_todos"],
    question: ["ask_user"],
    plan: ["enter_plan_mode", "exit_plan_mode"],
  },
  (name) => name.startsWith("mcp_") || name.includes("__"),
);
