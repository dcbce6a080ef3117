/** Parses the text of one section into the fields of its entry. Pure. */
import type { TranscriptEntry } from "./entry-types.ts";
import { type JsonObject, isString } from "./entry-guards.ts";
import {
  CALL_ID_LABEL,
  LAYOUTS,
  type Layout,
  FENCE_LABELS,
  TITLE_LABEL,
  TRUNCATED,
  fenceAtEnd,
  headingOf,
  usageLineIn,
} from "./sections.ts";
import { exitCodeIn, fullOutputIn, subagentIn } from "./shown-lines.ts";
import { decodeText } from "./text-escapes.ts";
import { dataIn } from "./told-by-text.ts";
import { decodeInline } from "./visible.ts";

/** File with the full text of a shortened output. */
export interface OutputFile {
  path: string;
  chars: number | undefined;
  escaped: boolean;
  json: boolean;
}

/** Parsed section, without values from other sections or files. */
export interface SectionDraft {
  /** Fields of the entry. `parts`, `input` and `metadata` may contain references to `texts`. */
  fields: JsonObject;
  texts: Map<string, string>;
  /** File with the full output; `output` is only the beginning. */
  outputFile?: OutputFile;
  /** Descriptions of inconsistencies. */
  damage: string[];
}

/** Comment fields that describe the section, not the entry. */
const LAYOUT = new Set([
  "__proto__",
  "blocks",
  "fenced",
  "chars",
  "json",
  "outputPath",
  "outputChars",
  "outputEscaped",
  "textPart",
  "noData",
]);

/**
 * Parses a section.
 * @param section from `## [` to before the comment
 * @param type the entry's type, from its comment
 * @param comment the parsed JSON of its comment
 */
export function decodeSection(section: string, type: TranscriptEntry["type"], comment: JsonObject): SectionDraft {
  const layout = LAYOUTS[type];
  const damage: string[] = [];
  const text = section.includes("\r\n") && /^[^\n]*\r\n/.test(section) ? section.replaceAll("\r\n", "\n") : section;
  const headingEnd = text.indexOf("\n");
  const heading = headingOf(text.slice(0, headingEnd));
  if (!headingsOf(layout, comment).includes(heading?.kind)) {
    damage.push("its heading and its comment name different kinds of entry");
  }
  const usage = usageLineIn(text.slice(0, headingEnd))?.text;
  const body = usage ?? (text.length > headingEnd + 2 ? text.slice(headingEnd + 2, -2) : undefined);
  const count = layout.text === undefined ? Infinity : Number(comment["blocks"] ?? 0);
  const blocks = readBlocks(body, count, damage);
  if (layout.text === undefined) reportMissing(blocks, type === "tool_use" ? "input" : "output", damage);
  const fields: JsonObject = { type, timestamp: heading?.timestamp };
  if (heading?.name !== undefined) fields[layout.name ?? "tool"] = heading.name;
  const outputLine = addShown(fields, blocks.lines, type);
  if (blocks.call !== undefined) fields["callID"] = blocks.call;
  if (blocks.title !== undefined) fields["title"] = blocks.title;
  for (const [key, value] of Object.entries(comment)) if (!LAYOUT.has(key)) fields[key] = value;
  if (type === "tool_result") addStatus(fields, heading?.kind);
  if (fields["hostStatus"] === null) delete fields["hostStatus"];

  const content = contentOf(blocks.rest, comment["fenced"] === true, damage);
  if (content !== undefined) fields[layout.text ?? "content"] = content;
  if (isString(comment["textPart"])) fields["parts"] = [{ type: "text", text: content, id: comment["textPart"] }];
  if (isString(fields["name"]) && isString(content) && comment["told"] === undefined && blocks.data === undefined) {
    const data = dataIn(fields["name"], content);
    if (data !== undefined && comment["noData"] !== true) fields["data"] = data;
  }
  if (blocks.input !== undefined) fields["input"] = parseJson(blocks.input, damage);
  if (blocks.data !== undefined) fields["data"] = parseJson(blocks.data, damage);
  const outputFile = outputFileOf(comment, outputLine);
  const output = blocks.output === undefined ? undefined : decodeOutput(blocks.output, comment, outputFile, damage);
  if (output !== undefined) fields["output"] = output;

  const shown = content ?? (isString(output) ? output : undefined);
  const expected = comment["chars"];
  if (typeof expected === "number" && expected !== shown?.length) {
    damage.push(`its text is ${shown?.length ?? 0} characters long, but ${expected} were written`);
  }
  const texts = new Map(blocks.texts.map((encoded, index) => [`text${index}`, decodeText(encoded)]));
  if (content !== undefined) texts.set("content", content);
  if (isString(output)) texts.set("output", output);
  if (isString(fields["title"])) texts.set("title", fields["title"]);
  const draft: SectionDraft = { fields, texts, damage };
  if (outputFile !== undefined) draft.outputFile = outputFile;
  return draft;
}

/** Adds the fields that lines of a call or result show. Returns where its full output is. */
function addShown(
  fields: JsonObject,
  lines: readonly string[],
  type: TranscriptEntry["type"],
): ReturnType<typeof fullOutputIn> {
  if (type !== "tool_use" && type !== "tool_result") return undefined;
  let outputLine: ReturnType<typeof fullOutputIn>;
  for (const line of lines) {
    const exitCode = exitCodeIn(line);
    if (exitCode !== undefined) Object.assign(fields, { exitCode, hostStatus: "completed" });
    const [, status] = /^\*\*Status\*\*: (\w+)$/.exec(line) ?? [];
    if (status !== undefined) fields["status"] = status;
    const subagent = subagentIn(line);
    if (subagent !== undefined) fields["subagent"] = subagent;
    outputLine ??= fullOutputIn(line);
  }
  return outputLine;
}

/** Adds the status that the heading of a result says. */
function addStatus(fields: JsonObject, heading: string | undefined): void {
  const [completed, failed] = LAYOUTS.tool_result.headings;
  if (fields["status"] === null) delete fields["status"];
  else if (fields["status"] === undefined && heading === completed) fields["status"] = "completed";
  else if (fields["status"] === undefined && heading === failed) fields["status"] = "error";
}

/** Returns the beginnings that the heading of an entry may have. */
function headingsOf({ headings, replacementName }: Layout, { continues }: JsonObject): readonly unknown[] {
  const isReplacement = continues !== undefined && replacementName !== undefined;
  return isReplacement ? LAYOUTS.session_event.headings : headings;
}

interface BlockTexts {
  /** The main text, before all lines and fences. */
  rest: string | undefined;
  call?: string;
  title?: string;
  input?: string;
  output?: string;
  data?: string;
  texts: string[];
  /** Other lines. */
  lines: string[];
}

/**
 * Reads so many lines and fences from the last to the first, each of which can be found from its end without reading the
 * text before it, which is arbitrary. A fence belongs to the line above it.
 */
function readBlocks(body: string | undefined, count: number, damage: string[]): BlockTexts {
  const found: BlockTexts = { rest: body, texts: [], lines: [] };
  let fences: string[] = [];
  for (let left = count; left > 0 && found.rest !== undefined; left -= 1) {
    const fence = fenceAtEnd(found.rest);
    const gap = found.rest.lastIndexOf("\n\n");
    const start = fence?.start ?? (gap === -1 ? 0 : gap + 2);
    if (fence === undefined) {
      if (!takeLine(found.rest.slice(start), fences, found)) damage.push(MORE);
      fences = [];
    } else {
      fences.push(fence.content);
    }
    found.rest = start === 0 ? undefined : found.rest.slice(0, Math.max(start - 2, 0));
  }
  if (fences.length > 0) damage.push(MORE);
  found.texts.reverse();
  return found;
}

const MORE = "there is more in it than was written";

/** Reads a line and the fences below it, the last one first. Returns false if it is not one of ours, or has other fences. */
function takeLine(line: string, fences: readonly string[], found: BlockTexts): boolean {
  const label = FENCE_LABELS[line];
  if (label === "text") {
    for (const fence of fences) found.texts.push(fence);
    return true;
  }
  if (label !== undefined) {
    found[label] = fences.at(-1) ?? "";
    return fences.length === 1;
  }
  if (line.startsWith(CALL_ID_LABEL)) found.call = line.slice(CALL_ID_LABEL.length);
  else if (line.startsWith(TITLE_LABEL)) found.title = decodeInline(line.slice(TITLE_LABEL.length)) ?? "";
  else found.lines.push(line);
  return fences.length === 0 && !line.includes("\n");
}

function reportMissing(found: BlockTexts, fence: "input" | "output", damage: string[]): void {
  for (const name of [fence, "call"] as const) {
    if (found[name] === undefined) damage.push(`its block "${name}" is not where it should be`);
  }
}

function contentOf(rest: string | undefined, isFenced: boolean, damage: string[]): string | undefined {
  if (rest === undefined || !isFenced) return rest === undefined ? undefined : decodeText(rest);
  const fence = fenceAtEnd(rest);
  if (fence?.start !== 0) damage.push("its text is not in a fence");
  return decodeText(fence?.content ?? rest);
}

function outputFileOf(comment: JsonObject, line: { path: string; chars: number } | undefined): OutputFile | undefined {
  const { outputPath: path = line?.path, outputChars: chars = line?.chars, outputEscaped, json } = comment;
  if (!isString(path)) return undefined;
  return {
    path,
    chars: typeof chars === "number" ? chars : undefined,
    escaped: outputEscaped === true,
    json: json === true,
  };
}

function decodeOutput(shown: string, comment: JsonObject, file: OutputFile | undefined, damage: string[]): unknown {
  if (file !== undefined) return decodeText(shown.endsWith(TRUNCATED) ? shown.slice(0, -TRUNCATED.length) : shown);
  return comment["json"] === true ? parseJson(shown, damage) : decodeText(shown);
}

function parseJson(json: string, damage: string[]): unknown {
  try {
    return JSON.parse(json);
  } catch {
    damage.push("JSON in its body does not parse");
    return undefined;
  }
}
