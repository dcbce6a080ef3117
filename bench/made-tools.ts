/** Generates tool calls of made-up sessions, with results as Claude Code records them. */
import type { Random, Texts } from "./made-texts.ts";

export interface MadeCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

export interface MadeResult {
  block: Record<string, unknown>;
  toolUseResult: unknown;
  ending: "completed" | "error" | "rejected";
}

const ERRORS = 0.05;
const REJECTIONS = 0.004;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const REJECTION =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

export function madeCall(random: Random, texts: Texts): MadeCall {
  const id = `toolu_01${random.characters(22, LETTERS)}`;
  const path = `/home/dev/project/src/${texts.prose(8).trim().replaceAll(/\W+/g, "-")}.ts`;
  const size = random.size(220, 8, 8_000);
  const name = random.pick(["Read", "Read", "Read", "Bash", "Bash", "Bash", "Bash", "Edit", "Edit", "Grep", "Write"]);
  if (name === "Read") return { id, name, input: { file_path: path } };
  if (name === "Bash") return { id, name, input: { command: texts.prose(size / 2), description: texts.prose(40) } };
  if (name === "Grep") return { id, name, input: { pattern: "function\\s+\\w+", path, output_mode: "content" } };
  if (name === "Write") return { id, name, input: { file_path: path, content: texts.code(size * 4) } };
  return { id, name, input: { file_path: path, old_string: texts.code(size), new_string: texts.code(size) } };
}

export function madeResult(call: MadeCall, random: Random, texts: Texts): MadeResult {
  const base = { tool_use_id: call.id, type: "tool_result" };
  if (random.chance(REJECTIONS)) {
    const block = { ...base, content: REJECTION, is_error: true };
    return { block, toolUseResult: "User rejected tool use", ending: "rejected" };
  }
  if (random.chance(ERRORS)) {
    const reason =
      call.name === "Bash" ? `Exit code 1\n${texts.prose(random.size(200, 10, 9_000))}` : "File does not exist.";
    const content = call.name === "Bash" ? reason : `<tool_use_error>${reason}</tool_use_error>`;
    return { block: { ...base, content, is_error: true }, toolUseResult: `Error: ${reason}`, ending: "error" };
  }
  const { content, toolUseResult } = success(call, random, texts);
  // For most tools, only errors have a mark in the result.
  const mark = call.name === "Bash" ? { is_error: false } : {};
  return { block: { ...base, content, ...mark }, toolUseResult, ending: "completed" };
}

function success(call: MadeCall, random: Random, texts: Texts): { content: string; toolUseResult: unknown } {
  const size = random.size(750, 12, 40_000);
  const path = call.input["file_path"];
  if (call.name === "Read") {
    const content = texts.numbered(size * 1.5);
    const file = {
      filePath: path,
      content: content.replaceAll(/^ *\d+\u2192/gm, ""),
      numLines: 40,
      startLine: 1,
      totalLines: 40,
    };
    return { content, toolUseResult: { type: "text", file } };
  }
  if (call.name === "Bash") {
    const stdout = random.chance(0.5) ? texts.prose(size) : texts.code(size);
    return { content: stdout, toolUseResult: { stdout, stderr: "", interrupted: false, isImage: false } };
  }
  if (call.name === "Grep") {
    const content = texts.code(size);
    return { content, toolUseResult: { mode: "content", numFiles: 0, filenames: [], content, numLines: 12 } };
  }
  const original = texts.code(size * 3);
  const lines = original
    .slice(0, 900)
    .split("\n")
    .map((line) => ` ${line}`);
  const structuredPatch = [{ oldStart: 1, oldLines: lines.length, newStart: 1, newLines: lines.length, lines }];
  const toolUseResult = { filePath: path, ...call.input, originalFile: original, structuredPatch, userModified: false };
  return { content: `The file ${String(path)} has been updated successfully.`, toolUseResult };
}
