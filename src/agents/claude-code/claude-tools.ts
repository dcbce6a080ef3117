import { toolTable } from "../../calls/tools.ts";

/** Tools of Claude Code, 1.0 to 2.1. */
export const claudeTools = toolTable(
  {
    read: ["Read", "NotebookRead"],
    list: ["LS"],
    glob: ["Glob"],
    search: ["Grep"],
    edit: ["Write", "Edit", "MultiEdit", "NotebookEdit"],
    run: ["Bash", "PowerShell"],
    fetch: ["WebFetch"],
    web_search: ["WebSearch"],
    subagent: ["Task", "Agent"],
    todo: ["TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"],
    question: ["AskUserQuestion"],
    plan: ["ExitPlanMode", "EnterPlanMode"],
  },
  (name) => name.startsWith("mcp__"),
);
