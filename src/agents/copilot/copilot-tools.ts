import { textOf } from "../../parse/json-fields.ts";
import { toolTable, type ToolTable } from "../../calls/tools.ts";

const table = toolTable(
  {
    read: ["view"],
    glob: ["glob"],
    search: ["grep", "rg"],
    edit: ["create", "edit", "str_replace_editor", "apply_patch"],
    run: ["bash", "local_shell", "powershell"],
    fetch: ["web_fetch", "fetch"],
    web_search: ["web_search"],
    subagent: ["task"],
    todo: ["update_todo"],
    question: ["ask_user"],
    plan: ["exit_plan_mode"],
  },
  (name) => name.includes("-"),
);

/** Copilot CLI's tools up to 1.0. The name of an MCP server's tool begins with the server's. One tool's input names a command. */
export const copilotTools: ToolTable = (tool, input) =>
  table(tool === "str_replace_editor" && textOf(input, "command") === "view" ? "view" : tool, input);
