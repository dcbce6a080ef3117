import {
  does,
  fetches,
  globs,
  lists,
  patches,
  reads,
  replaces,
  replacesAll,
  runs,
  searches,
  toolTable,
  writes,
} from "../../calls/tools.ts";

const PATH = ["filePath", "path"];

/** Actions of the tools of opencode 1.x and 2.x, and of Kilo. Names do not show which tools are from MCP servers. */
export const opencodeTools = toolTable({
  read: reads(PATH),
  list: lists("path"),
  grep: searches("pattern", "path"),
  glob: globs("pattern", "path"),
  write: writes(PATH, "content"),
  edit: replaces(PATH, "oldString", "newString"),
  multiedit: replacesAll(PATH, "edits", "oldString", "newString"),
  patch: patches("patchText"),
  apply_patch: patches("patchText"),
  bash: runs("command", "workdir"),
  shell: runs("command", "workdir"),
  webfetch: fetches("url"),
  websearch: does("web_search"),
  codesearch: does("web_search"),
  task: does("subagent"),
  subagent: does("subagent"),
  todowrite: does("todo"),
  todoread: does("todo"),
  question: does("question"),
  plan_exit: does("plan"),
  plan_enter: does("plan"),
});
