/** Adds the plugin to the text of an opencode.json(c) or kilo.json(c), and changes nothing else. */
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { PLUGIN } from "../context.ts";

export type Addition =
  | { kind: "added"; text: string }
  /** The plugin is already there, with these `options`. */
  | { kind: "present"; options: unknown }
  /** Nothing can be added; `problem` is a clause with the position. */
  | { kind: "broken"; problem: string };

/** Name of the list of plugins: `plugins` in the form of opencode 2.x, `plugin` in that of 1.x and Kilo. */
export type PluginKey = "plugin" | "plugins";

/** Returns the new configuration for a project that has none. `plugin`: the entry of the list. */
export function newConfig(key: PluginKey, plugin = PLUGIN, schema = "https://opencode.ai/config.json"): string {
  return `{\n  "$schema": "${schema}",\n  "${key}": [${JSON.stringify(plugin)}]\n}\n`;
}

export const NEW_CONFIG = newConfig("plugin");

/** Keys that only the form of opencode 1.x has. With one of them, 2.x reads the whole file in that form. */
const KEYS_OF_1 = (
  "plugin agent command permission provider mode tools server reference snapshot attachment autoshare " +
  "disabled_providers enabled_providers layout logLevel small_model"
).split(" ");
/** Keys that only the form of opencode 2.x has. 1.x refuses a file with an unknown key. */
const KEYS_OF_2 = ["plugins", "agents", "commands", "permissions", "providers", "snapshots", "attachments"];

/** Returns the key for the form that a configuration has: with the other one, the host would misread the file. */
export function pluginKey(text: string, otherwise: PluginKey): PluginKey {
  const root = parseTree(text.replace(/^\ufeff/, ""), [], { allowTrailingComma: true });
  if (root?.type !== "object") return otherwise;
  const has = (keys: readonly string[]): boolean => keys.some((key) => propertyOf(root, key) !== undefined);
  const servers = propertyOf(root, "mcp");
  if (has(KEYS_OF_1)) return "plugin";
  if (has(KEYS_OF_2)) return "plugins";
  if (servers?.type !== "object" || servers.children?.length === 0) return otherwise;
  return propertyOf(servers, "servers") === undefined ? "plugin" : "plugins";
}

/**
 * Adds the plugin. Pure. Keeps comments, order, indentation, trailing commas, line breaks and a byte order mark.
 * `otherwise` is the key for a configuration that is of the form of both versions, `plugin` the entry of the list.
 */
export function addPlugin(original: string, otherwise: PluginKey = "plugin", plugin = PLUGIN): Addition {
  const mark = original.startsWith("\ufeff") ? "\ufeff" : "";
  const text = original.slice(mark.length);
  if (text.trim() === "") return { kind: "added", text: mark + newConfig(otherwise, plugin) };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) return broken(text, error.offset, readable(printParseErrorCode(error.error)));
  if (root?.type !== "object") return broken(text, 0, "an object is expected");

  const key = pluginKey(text, otherwise);
  const list = propertyOf(root, key);
  if (list === undefined) return added(mark, appendItem(text, root, `"${key}": [${JSON.stringify(plugin)}]`));
  if (list.type !== "array") return broken(text, list.offset, `"${key}" must be a list`);
  const present = list.children?.find((entry) => isPlugin(entry, plugin));
  if (present) return { kind: "present", options: optionsOf(present) };
  return added(mark, appendItem(text, list, JSON.stringify(plugin)));
}

function added(mark: string, text: string): Addition {
  return { kind: "added", text: mark + text };
}

function broken(text: string, offset: number, what: string): Addition {
  const before = text.slice(0, offset).split("\n");
  return { kind: "broken", problem: `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${what}` };
}

/** Formats `CloseBraceExpected` as `close brace expected`. */
function readable(code: string): string {
  return code.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** Returns the value of a property. If a name is there twice, the last one counts. */
function propertyOf(object: Node, name: string): Node | undefined {
  const property = object.children?.findLast(({ children }) => children?.[0]?.value === name);
  return property?.children?.[1];
}

/** Matches `plugin`, `"opencode-transcripts"`, with a version, as a path to the package, and each of these with options. */
function isPlugin(entry: Node, plugin: string): boolean {
  const spec: unknown = specOf(entry)?.value;
  if (typeof spec !== "string") return false;
  if (spec.replace(/[/\\]+$/, "") === plugin) return true;
  return spec === PLUGIN || spec.startsWith(`${PLUGIN}@`) || spec.split(/[/\\]/).slice(1).includes(PLUGIN);
}

/** Returns the name in `"name"`, `["name", { … }]` of 1.x or `{ "package": "name", "options": { … } }` of 2.x. */
function specOf(entry: Node): Node | undefined {
  if (entry.type === "object") return propertyOf(entry, "package");
  return entry.type === "array" ? entry.children?.[0] : entry;
}

function optionsOf(entry: Node): unknown {
  const options = entry.type === "object" ? propertyOf(entry, "options") : entry.children?.[1];
  return options && getNodeValue(options);
}

/** Matches white space and comments, then a comma. */
const TO_COMMA = /^(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*,/;
/** Matches text between an item and the end of its line, if that ends with a comment. */
const COMMENTS_ON_LINE = /^(?:[ \t]*\/\*[^]*?\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/;

/**
 * Returns the text with `item` at the end of `container`, a list or object, in the file's own layout. jsonc-parser's own
 * `modify` moves a comment after the last item to the new one, and doubles a trailing comma.
 */
function appendItem(text: string, container: Node, item: string): string {
  const last = container.children?.at(-1);
  const close = container.offset + container.length - 1;
  if (last === undefined) return insertIntoEmpty(text, container, close, item);

  const end = last.offset + last.length;
  const comma = commaAfter(text, end, close);
  const separator = isOnOwnLine(text, last.offset) ? lineEndOf(text) + indentAt(text, last.offset) : " ";
  // After the comma, and after a comment on the same line, which belongs to the last item.
  const at = separator === " " ? (comma ?? end) : endOfLineBehind(text, comma ?? end, close);
  const trailing = comma === undefined ? "" : ",";
  const before = comma === undefined ? `${text.slice(0, end)},${text.slice(end, at)}` : text.slice(0, at);
  return before + separator + item + trailing + text.slice(at);
}

function insertIntoEmpty(text: string, container: Node, close: number, item: string): string {
  const inside = text.slice(container.offset + 1, close);
  const eol = lineEndOf(text);
  const outer = indentAt(text, container.offset);
  const isRoot = container.parent === undefined;
  if (inside.trim() === "" && !isRoot) return text.slice(0, container.offset + 1) + item + text.slice(close);
  const body = inside.trimEnd();
  return `${text.slice(0, container.offset + 1)}${body}${eol}${outer}${unitOf(text)}${item}${eol}${outer}${text.slice(close)}`;
}

/** Returns the position after the comma between the last item and the closing bracket; undefined if there is none. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const found = TO_COMMA.exec(text.slice(from, to));
  return found === null ? undefined : from + found[0].length;
}

/** Returns the position after the comments that follow on the same line; `from` if there are none. */
function endOfLineBehind(text: string, from: number, to: number): number {
  return from + (COMMENTS_ON_LINE.exec(text.slice(from, to))?.[0].length ?? 0);
}

function isOnOwnLine(text: string, offset: number): boolean {
  return (
    text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "" &&
    text.lastIndexOf("\n", offset - 1) !== -1
  );
}

/** Returns the indentation of the line that contains `offset`. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset))?.[0] ?? "";
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Returns the first indentation in the file; two spaces if it has none. */
function unitOf(text: string): string {
  return /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? "  ";
}
