import { toolTable } from "../../calls/tools.ts";

/** Codex's tools since 2025. Older versions put only the server before the name of an MCP server's tool. */
export const codexTools = toolTable(
  {
    read: ["read_file", "view_image"],
    list: ["list_dir"],
    search: ["grep_files"],
    edit: ["apply_patch"],
    run: ["exec_command", "shell_command", "shell", "container.exec", "local_shell"],
    web_search: ["web_search"],
    subagent: ["spawn_agent"],
    todo: ["update_plan"],
    question: ["request_user_input"],
  },
  (name) => name.includes("__"),
);
