/**
 * Measures the suggestions on the labelled passages: `node test/snippets/measure.ts` prints the report. README.md says
 * where the sessions come from. Those that are absent are not measured.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { suggestForSession, type SnippetSuggestion } from "../../src/snippets/suggest.ts";
import { REPOSITORY } from "../support/repository.ts";
import type { SnippetLabel } from "./label.ts";
import { heldOut, heldOutLater, tuning } from "./labels.ts";

/** Folders that may have the sessions. */
const FOLDERS = [process.env["LABELLED_SESSIONS"] ?? "", join(REPOSITORY, "../shared/corpus/claude-code")];

export interface Judged {
  file: string;
  suggestion: Pick<SnippetSuggestion, "line_start" | "line_end" | "snippet_type" | "title" | "score">;
  /** The label with the most lines in common; undefined if none has more than half of them. */
  label: SnippetLabel | undefined;
}

export interface PartMeasurement {
  name: string;
  /** Sessions that were there. */
  sessions: number;
  judged: Judged[];
  /** Of the labels in these sessions that are worth keeping, how many are suggested. */
  worth: { labels: number; met: number };
  /** Share of the suggestions with a label that are worth keeping. */
  precision: number;
}

/** The lines that both have, as a share of the shorter of the two. */
function overlap(a: readonly [number, number], b: readonly [number, number]): number {
  const common = Math.min(a[1], b[1]) - Math.max(a[0], b[0]) + 1;
  return Math.max(0, common) / Math.min(a[1] - a[0] + 1, b[1] - b[0] + 1);
}

export function judge(file: string, suggestion: Judged["suggestion"], labels: readonly SnippetLabel[]): Judged {
  const lines = [suggestion.line_start, suggestion.line_end] as const;
  const [best] = labels
    .map((label) => ({ label, common: overlap(lines, label.lines) }))
    .filter(({ label, common }) => label.file === file && common > 0.5)
    .toSorted((a, b) => b.common - a.common);
  return { file, suggestion, label: best?.label };
}

async function measurePart(name: string, labels: readonly SnippetLabel[]): Promise<PartMeasurement> {
  const judged: Judged[] = [];
  const there: string[] = [];
  for (const file of new Set(labels.map((label) => label.file))) {
    const path = FOLDERS.map((folder) => join(folder, file)).find((each) => existsSync(each));
    if (path === undefined) continue;
    there.push(file);
    const suggestions = await suggestForSession(await fileRef(path));
    judged.push(...suggestions.map((suggestion) => judge(file, suggestion, labels)));
  }
  const wanted = labels.filter(({ file, type }) => type !== null && there.includes(file));
  const met = wanted.filter((label) => judged.some((each) => each.label === label));
  const labelled = judged.filter(({ label }) => label !== undefined);
  const right = labelled.filter(({ label }) => label?.type !== null);
  return {
    name,
    sessions: there.length,
    judged,
    worth: { labels: wanted.length, met: met.length },
    precision: labelled.length === 0 ? 1 : right.length / labelled.length,
  };
}

export async function measureSuggestions(): Promise<PartMeasurement[]> {
  return [
    await measurePart("tuning", tuning),
    await measurePart("held-out", heldOut),
    await measurePart("held-out later", heldOutLater),
  ];
}

export function formatPart({ name, sessions, judged, worth, precision }: PartMeasurement): string {
  const unknown = judged.filter(({ label }) => label === undefined).length;
  return [
    `${name}: ${sessions} sessions, ${judged.length} suggestions, ${unknown} of them without a label`,
    `  worth keeping ${(100 * precision).toFixed(0)}%`,
    `  found ${worth.met} of ${worth.labels} passages that are worth keeping`,
  ].join("\n");
}

export function formatJudged({ file, suggestion, label }: Judged): string {
  const verdict = label === undefined ? "no label" : (label.type ?? "not worth keeping");
  const { line_start, line_end, snippet_type, title, score } = suggestion;
  return `  ${verdict}: ${file}:${line_start}-${line_end} ${snippet_type} ${score} ${title}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const part of await measureSuggestions())
    console.log([formatPart(part), ...part.judged.map(formatJudged)].join("\n"));
}
