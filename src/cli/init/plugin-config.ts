/** Changes the list of plugins in the text of an opencode.json(c) or kilo.json(c), and keeps the rest as it is. */
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { isFields } from "../../parse/json-fields.ts";
import { PACKAGE } from "../../user-folders.ts";
import { type PluginKey, pluginKey, specOf } from "../../agents/opencode/host-config.ts";

export type Change =
  | { kind: "changed"; text: string; key: PluginKey }
  /** `problem` is a clause with the position. */
  | { kind: "broken"; problem: string };

/** Returns the new configuration for a project that has none. `plugin`: the entry of the list. */
export function newConfig(key: PluginKey, plugin = PACKAGE, schema = "https://opencode.ai/config.json"): string {
  return `{\n  "$schema": "${schema}",\n  "${key}": [${JSON.stringify(plugin)}]\n}\n`;
}

/** Adds the plugin. Pure. `otherwise` is the key for a configuration of the form of both versions of opencode. */
export function addPlugin(original: string, otherwise: PluginKey = "plugin", plugin = PACKAGE): Change {
  const { mark, text } = withoutMark(original);
  if (text.trim() === "") return { kind: "changed", text: mark + newConfig(otherwise, plugin), key: otherwise };
  const config = readConfig(text);
  if ("problem" in config) return { kind: "broken", problem: config.problem };
  const key = pluginKey(config.value) ?? otherwise;
  const list = config.value[key];
  if (list !== undefined && !Array.isArray(list)) return { kind: "broken", problem: notAList(text, key) };
  const [path, value] = list === undefined ? [[key], [plugin]] : [[key, list.length], plugin];
  return { kind: "changed", text: mark + edited(text, path, value), key };
}

/** Removes the entries that `isRemoved` holds for. Pure. Comments inside the list are lost. */
export function removePlugin(original: string, isRemoved: (spec: string) => boolean): Change {
  const { mark, text } = withoutMark(original);
  const config = readConfig(text);
  if ("problem" in config) return { kind: "broken", problem: config.problem };
  const key = pluginKey(config.value) ?? (config.value["plugins"] === undefined ? "plugin" : "plugins");
  const list = config.value[key];
  const rest = (Array.isArray(list) ? list : []).filter((entry: unknown) => !isRemoved(specOf(entry).spec ?? ""));
  // Not by its position in the list, since jsonc-parser damages the text after the last item.
  return { kind: "changed", text: mark + edited(text, [key], rest), key };
}

/** Returns why a configuration cannot be read; undefined if it can. */
export function problemIn(original: string): string | undefined {
  const { text } = withoutMark(original);
  if (text.trim() === "") return undefined;
  const config = readConfig(text);
  return "problem" in config ? config.problem : undefined;
}

function withoutMark(original: string): { mark: string; text: string } {
  const mark = original.startsWith("\ufeff") ? "\ufeff" : "";
  return { mark, text: original.slice(mark.length) };
}

function readConfig(text: string): { value: Record<string, unknown> } | { problem: string } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) return { problem: problemAt(text, error.offset, readable(printParseErrorCode(error.error))) };
  return isFields(value) ? { value } : { problem: problemAt(text, 0, "an object is expected") };
}

function notAList(text: string, key: PluginKey): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const offset = root && findNodeAtLocation(root, [key])?.offset;
  return problemAt(text, offset ?? 0, `"${key}" must be a list`);
}

function problemAt(text: string, offset: number, what: string): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${what}`;
}

/** Formats `CloseBraceExpected` as `close brace expected`. */
function readable(code: string): string {
  return code.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** Sets a value, in the file's own indentation and line ends. */
function edited(text: string, path: JSONPath, value: unknown): string {
  const indent = /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: true }));
}
