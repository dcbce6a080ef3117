/** Fixes in sessions that mix tools of several agents, some of which are not read yet. */
import { allTools } from "../../src/agents/all-tools.ts";
import { toolTable, type ToolTable } from "../../src/calls/tools.ts";
import { fixesOf, type ToolFix } from "../../src/fixes/find-fixes.ts";
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "../../src/parse/model.ts";

const others = toolTable({ edit: ["apply_patch"], run: ["exec_command", "shell", "run_shell_command"] });

const tools: ToolTable = (tool, input) => {
  const action = others(tool, input);
  return action.kind === "other" ? allTools(tool, input) : action;
};

export function findFixes(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
  calls: readonly ToolCall[],
): ToolFix[] {
  return fixesOf(messages, blocks, calls, tools);
}
