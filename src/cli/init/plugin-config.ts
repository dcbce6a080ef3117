/** Adding the plugin to the text of an opencode.json or opencode.jsonc, which otherwise stays as its author wrote it. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { appendItem } from "./append-item.ts";

export const PLUGIN = "opencode-transcripts";

export type Addition =
  | { kind: "added"; text: string }
  /** It is there already; `options` are those it has. */
  | { kind: "present"; options: unknown }
  /** `problem` is a clause with the place; nothing can be added. */
  | { kind: "broken"; problem: string };

/** What a project gets that has no configuration. */
export const NEW_CONFIG = `{
  "$schema": "https://opencode.ai/config.json",
  "plugin": ["${PLUGIN}"]
}
`;

/** Pure. Comments, order, indentation, trailing commas, line ends and a byte order mark stay. */
export function addPlugin(original: string): Addition {
  const mark = original.startsWith("\ufeff") ? "\ufeff" : "";
  const text = original.slice(mark.length);
  if (text.trim() === "") return { kind: "added", text: mark + NEW_CONFIG };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) return broken(text, error.offset, readable(printParseErrorCode(error.error)));
  if (root?.type !== "object") return broken(text, 0, "an object is expected");

  const list = propertyOf(root, "plugin");
  if (list === undefined) return added(mark, appendItem(text, root, `"plugin": ["${PLUGIN}"]`));
  if (list.type !== "array") return broken(text, list.offset, `"plugin" must be a list`);
  const present = list.children?.find(isPlugin);
  if (present) return { kind: "present", options: optionsOf(present) };
  return added(mark, appendItem(text, list, `"${PLUGIN}"`));
}

function added(mark: string, text: string): Addition {
  return { kind: "added", text: mark + text };
}

function broken(text: string, offset: number, what: string): Addition {
  const before = text.slice(0, offset).split("\n");
  return { kind: "broken", problem: `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${what}` };
}

/** `CloseBraceExpected` as `close brace expected`. */
function readable(code: string): string {
  return code.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** The value of a property. Where a name stands twice, the last one holds. */
function propertyOf(object: Node, name: string): Node | undefined {
  const property = object.children?.findLast(({ children }) => children?.[0]?.value === name);
  return property?.children?.[1];
}

/** `"opencode-transcripts"`, with a version, as a path to the package, and each of these with options. */
function isPlugin(entry: Node): boolean {
  const spec: unknown = entry.type === "array" ? entry.children?.[0]?.value : entry.value;
  if (typeof spec !== "string") return false;
  return spec === PLUGIN || spec.startsWith(`${PLUGIN}@`) || spec.split(/[/\\]/).slice(1).includes(PLUGIN);
}

function optionsOf(entry: Node): unknown {
  const options = entry.type === "array" ? entry.children?.[1] : undefined;
  return options === undefined ? undefined : Object.fromEntries(textProperties(options));
}

/** Only what is text: of the options, `directory` is all that matters here. */
function textProperties(object: Node): [string, string][] {
  if (object.type !== "object") return [];
  return (object.children ?? []).flatMap(({ children = [] }): [string, string][] => {
    const name: unknown = children[0]?.value;
    const value: unknown = children[1]?.value;
    return typeof name === "string" && typeof value === "string" ? [[name, value]] : [];
  });
}
