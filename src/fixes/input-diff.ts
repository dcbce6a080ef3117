/** Compares the inputs of two calls, field by field. */
import { structuredPatch } from "diff";
import { isFields } from "../parse/json-fields.ts";
import { asText } from "./likeness.ts";

export interface InputChange {
  /** Path such as `command` or `edits[0].old_string`; empty if the inputs are not objects. */
  path: string;
  /** Undefined if the field is new. */
  before: unknown;
  /** Undefined if the field was removed. */
  after: unknown;
}

/** Maximum depth; deeper fields are compared and shown as a whole. */
const MAX_DEPTH = 8;
/** Maximum number of lines shown per field. */
const MAX_LINES = 400;
const CONTEXT_LINES = 2;
/** Maximum number of differing lines; beyond it texts are shown as removed and added, since comparing takes too long. */
const MAX_EDITS = 1_000;

/** Returns the fields that were changed, added or removed; those of the first input come first, in its order. */
export function inputChanges(before: unknown, after: unknown): InputChange[] {
  const changes: InputChange[] = [];
  collect("", before, after, 0, changes);
  return changes;
}

function collect(path: string, before: unknown, after: unknown, depth: number, into: InputChange[]): void {
  if (Object.is(before, after)) return;
  if (depth < MAX_DEPTH && isFields(before) && isFields(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      collect(fieldPath(path, key), own(before, key), own(after, key), depth + 1, into);
    }
  } else if (depth < MAX_DEPTH && Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
      collect(`${path}[${index}]`, before[index], after[index], depth + 1, into);
    }
  } else if (typeof before !== typeof after || asText(before) !== asText(after)) into.push({ path, before, after });
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function fieldPath(path: string, key: string): string {
  const name = /^[\w-]+$/.test(key) ? key : `[${JSON.stringify(key)}]`;
  return path === "" || name.startsWith("[") ? `${path}${name}` : `${path}.${name}`;
}

/**
 * Formats the changes like `diff -u`: a header with two names, then each field after an `@@` line with its name. Empty if
 * there are none.
 */
export function diffText(changes: readonly InputChange[], beforeName: string, afterName: string): string {
  if (changes.length === 0) return "";
  const fields = changes.map((change) => fieldDiff(change));
  return [`--- ${beforeName}`, `+++ ${afterName}`, ...fields.flat()].join("\n");
}

function fieldDiff({ path, before, after }: InputChange): string[] {
  const name = path === "" ? "input" : path;
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const patch =
    old.length > 1 && fresh.length > 1
      ? structuredPatch("", "", old.join("\n"), fresh.join("\n"), "", "", {
          context: CONTEXT_LINES,
          maxEditLength: MAX_EDITS,
        })
      : undefined;
  const lines = patch
    ? patch.hunks.flatMap((hunk) => [
        `@@ ${name} -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
        ...hunk.lines.filter((line) => !line.startsWith("\\")),
      ])
    : [`@@ ${name} @@`, ...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)];
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), ` ... (${lines.length - MAX_LINES} more lines)`];
}

/** Returns the lines of a field; none if it is missing. */
function linesOf(value: unknown): string[] {
  return value === undefined ? [] : asText(value).split(/\r?\n/);
}
