import { toolTable } from "../../calls/tools.ts";

/** Tools of opencode 1.x and 2.x, and of Kilo. Names do not show which are from MCP servers. */
export const opencodeTools = toolTable({
  read: ["read"],
  list: ["list"],
  glob: ["glob"],
  search: ["grep"],
  edit: ["write", "edit", "multiedit", "patch", "apply_patch"],
  run: ["bash", "shell"],
  fetch: ["webfetch"],
  web_search: ["websearch", "codesearch"],
  subagent: ["task", "subagent"],
  todo: ["todowrite", "todoread"],
  question: ["question"],
  plan: ["plan_exit", "plan_enter"],
});
