/**
 * Measures `suggestSnippets` on the labelled passages: `npx bun test/snippets/measure.ts` prints the report. The sessions
 * lie beside the repository, in `../shared/corpus`, or in the folder that `LABELLED_SESSIONS` names; where they are absent
 * there is nothing to measure.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { suggestSnippets, type SnippetSuggestion } from "../../src/snippets/suggest/suggest-snippets.ts";
import { REPOSITORY } from "../support/repository.ts";
import * as elsewhere from "./elsewhere.ts";
import * as heldOut from "./held-out.ts";
import type { SnippetLabel } from "./label.ts";
import * as tuningMore from "./tuning-more.ts";
import * as tuning from "./tuning.ts";

const CORPUS = process.env["LABELLED_SESSIONS"] ?? join(REPOSITORY, "../shared/corpus");

export interface Judged {
  file: string;
  suggestion: Pick<SnippetSuggestion, "line_start" | "line_end" | "snippet_type" | "title" | "score">;
  /** The label that it meets; undefined if it meets none. */
  label: SnippetLabel | undefined;
  /** `unknown`: it meets no label, and not all of the session is labelled. */
  verdict: "right" | "wrong type" | "not worth it" | "unknown";
}

export interface PartMeasurement {
  name: string;
  judged: Judged[];
  /** Of the suggestions that can be judged, those that are worth keeping. */
  precision: number;
  /** Of those, the ones whose type is the label's. */
  typePrecision: number;
  /** Of the labels that are worth keeping, those that a suggestion meets. */
  recall: number;
  counts: { judged: number; worth: number; typeRight: number; labels: number; met: number };
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

/** The lines that both have, as a share of the shorter of the two: within the other, or most of it. */
function overlap(a: readonly [number, number], b: readonly [number, number]): number {
  const common = Math.min(a[1], b[1]) - Math.max(a[0], b[0]) + 1;
  return Math.max(0, common) / Math.min(a[1] - a[0] + 1, b[1] - b[0] + 1);
}

/** The label that a suggestion meets: that with most in common; of two as good the one worth keeping. */
function labelMet(
  { line_start, line_end }: Judged["suggestion"],
  labels: readonly SnippetLabel[],
): SnippetLabel | undefined {
  const [best] = labels
    .map((label) => ({ label, common: overlap([line_start, line_end], label.lines) }))
    .filter(({ common }) => common > 0.5)
    .toSorted((a, b) => b.common - a.common || Number(b.label.worth) - Number(a.label.worth));
  return best?.label;
}

export function judge(
  file: string,
  suggestion: Judged["suggestion"],
  labels: readonly SnippetLabel[],
  isExhaustive: boolean,
): Judged {
  const label = labelMet(suggestion, labels);
  const verdict =
    label === undefined
      ? isExhaustive
        ? "not worth it"
        : "unknown"
      : !label.worth
        ? "not worth it"
        : label.type === suggestion.snippet_type
          ? "right"
          : "wrong type";
  return { file, suggestion, label, verdict };
}

interface Part {
  readonly labels: readonly SnippetLabel[];
  readonly exhaustiveFiles: readonly string[];
}

async function measurePart(name: string, { labels, exhaustiveFiles }: Part): Promise<PartMeasurement> {
  const files = [...new Set([...labels.map(({ file }) => file), ...exhaustiveFiles])];
  const judged: Judged[] = [];
  for (const file of files) {
    const result = await parseTranscript(file, readFileSync(join(CORPUS, file)), { pricing: "flat" });
    const own = labels.filter((label) => label.file === file);
    const suggestions = await suggestSnippets(result, { file });
    judged.push(...suggestions.map((each) => judge(file, each, own, exhaustiveFiles.includes(file))));
  }
  return { name, judged, ...figures(judged, labels) };
}

export function figures(
  judged: readonly Judged[],
  labels: readonly SnippetLabel[],
): Pick<PartMeasurement, "precision" | "typePrecision" | "recall" | "counts"> {
  const known = judged.filter(({ verdict }) => verdict !== "unknown");
  const worth = known.filter(({ verdict }) => verdict !== "not worth it");
  const typeRight = worth.filter(({ verdict }) => verdict === "right");
  const wanted = labels.filter(({ worth }) => worth);
  const met = wanted.filter(({ file, lines }) =>
    worth.some(
      ({ file: other, suggestion }) =>
        other === file && overlap([suggestion.line_start, suggestion.line_end], lines) > 0.5,
    ),
  );
  return {
    precision: share(worth.length, known.length),
    typePrecision: share(typeRight.length, worth.length),
    recall: share(met.length, wanted.length),
    counts: {
      judged: known.length,
      worth: worth.length,
      typeRight: typeRight.length,
      labels: wanted.length,
      met: met.length,
    },
  };
}

/**
 * All parts whose sessions are there, or undefined where the corpus is absent. Rejects if only some of a part's sessions
 * are missing.
 */
export async function measureSuggestions(): Promise<PartMeasurement[] | undefined> {
  if (!existsSync(CORPUS)) return undefined;
  const parts = [
    await measurePart("tuning", { labels: tuning.tuning, exhaustiveFiles: tuning.exhaustiveFiles }),
    await measurePart("more tuning", { labels: tuningMore.tuningMore, exhaustiveFiles: tuningMore.exhaustiveFiles }),
    await measurePart("held-out", { labels: heldOut.heldOut, exhaustiveFiles: heldOut.exhaustiveFiles }),
  ];
  const isThere = elsewhere.elsewhere.some(({ file }) => existsSync(join(CORPUS, file)));
  if (!isThere) return parts;
  return [
    ...parts,
    await measurePart("elsewhere", { labels: elsewhere.elsewhere, exhaustiveFiles: elsewhere.exhaustiveFiles }),
  ];
}

const percent = (value: number): string => `${(value * 100).toFixed(1)}%`;

export function formatPart({ name, precision, typePrecision, recall, counts, judged }: PartMeasurement): string {
  const unknown = judged.length - counts.judged;
  return [
    `${name}: ${judged.length} suggestions, ${unknown} of them on passages that are not labelled`,
    `  worth keeping ${percent(precision)} (${counts.worth} of ${counts.judged})`,
    `  type right    ${percent(typePrecision)} (${counts.typeRight} of ${counts.worth})`,
    `  found         ${percent(recall)} (${counts.met} of ${counts.labels} labels)`,
  ].join("\n");
}

export function formatJudged({ file, suggestion, label, verdict }: Judged): string {
  const { line_start, line_end, snippet_type, title, score } = suggestion;
  const should = label === undefined ? "" : ` (label ${label.lines.join("-")} ${label.type ?? "not worth it"})`;
  return `  ${verdict}: ${file}:${line_start}-${line_end} ${snippet_type} ${score} ${title}${should}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parts = await measureSuggestions();
  if (parts === undefined) console.log("Skipped: there is no ../shared/corpus beside the repository.");
  for (const part of parts ?? []) {
    console.log(formatPart(part));
    // The held-out part only measures: what is in it is not looked at.
    if (part.name !== "held-out") console.log(part.judged.map(formatJudged).join("\n"));
  }
}
