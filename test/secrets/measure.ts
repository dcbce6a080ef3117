/**
 * Measures the redactor on the labelled set: `npx bun test/secrets/measure.ts` prints the report.
 *
 * A sample counts as caught if no eight characters in a row of any of its secrets are left (all of a shorter one).
 * A replacement counts as false if it touches no secret; in a negative each one does.
 */
import { fileURLToPath } from "node:url";
import type { RedactionInput, Redactor } from "../../src/redact/redactor.ts";
import { broadHeldOut, broadTuning } from "./broad/positives.ts";
import { broadHeldOutNegatives, broadTuningNegatives } from "./broad/negatives.ts";
import * as heldOutContexts from "./held-out/contexts.ts";
import * as heldOutCredentials from "./held-out/credentials.ts";
import { negatives as heldOutNegatives } from "./held-out/negatives.ts";
import { fill, type NegativeSample, type PositiveSample } from "./sample.ts";
import { spentNegatives, spentPositives } from "./spent.ts";
import * as tuningContexts from "./tuning/contexts.ts";
import * as tuningCredentials from "./tuning/credentials.ts";
import { negatives as tuningNegatives } from "./tuning/negatives.ts";

const WINDOW = 8;
const MARKER = /\[REDACTED:[a-z0-9-]+\]/g;

export interface LabelledSet {
  name: string;
  positives: readonly PositiveSample[];
  negatives: readonly NegativeSample[];
}

/** Both sets with the secrets that `seed` gives. The rules were tuned on the first; the second was written before them. */
export const labelledSetsOf = (seed: number): LabelledSet[] => [
  {
    name: "tuning",
    positives: fill([...tuningCredentials.credentialTemplates, ...tuningContexts.contextTemplates], seed),
    negatives: tuningNegatives,
  },
  {
    name: "held-out",
    positives: fill([...heldOutCredentials.credentialTemplates, ...heldOutContexts.contextTemplates], seed + 101),
    negatives: heldOutNegatives,
  },
];

export const labelledSets: readonly LabelledSet[] = labelledSetsOf(101);

/** Larger sets of which a few percent are missed, so that no test may ask that they leave no trace. */
export const broadSets: readonly LabelledSet[] = [
  { name: "broad tuning", positives: fill(broadTuning, 303), negatives: broadTuningNegatives },
  { name: "broad held-out", positives: fill(broadHeldOut, 404), negatives: broadHeldOutNegatives },
  { name: "spent", positives: spentPositives, negatives: spentNegatives },
];

interface KindResult {
  kind: string;
  samples: number;
  caught: number;
}

export interface Measurement {
  name: string;
  kinds: KindResult[];
  positives: number;
  caught: number;
  negatives: number;
  /** Replacements that touch a secret, and those that do not. */
  trueReplacements: number;
  falseReplacements: number;
  recall: number;
  precision: number;
  /** The output of each sample that was missed, or in which something else was replaced. */
  failures: { kind: string; problem: "missed" | "false alarm"; output: string }[];
}

/**
 * Whether eight characters in a row of `secret` are left in `text`. Markers do not count, nor what stands in `context`
 * too: `rubygems` is a part of a token, of a marker and of a file's name.
 */
export function isLeaked(secret: string, text: string, context = ""): boolean {
  const output = text.replaceAll(MARKER, "\n");
  if (secret.length <= WINDOW) return output.includes(secret);
  for (let at = 0; at + WINDOW <= secret.length; at++) {
    const window = secret.slice(at, at + WINDOW);
    if (!/\s/.test(window) && output.includes(window) && !context.includes(window)) return true;
  }
  return false;
}

const contextOf = ({ text, secrets }: PositiveSample): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, "\n"), text);

/** The parts of `input` that were replaced, found by aligning what stands between the markers of `output`. */
function replacedParts(input: string, output: string): string[] {
  const kept = output.split(MARKER);
  const parts: string[] = [];
  let at = kept[0]?.length ?? 0;
  for (const [i, piece] of kept.slice(1).entries()) {
    const isLast = i === kept.length - 2;
    const next = isLast ? input.length - piece.length : input.indexOf(piece, at + 1);
    parts.push(input.slice(at, next));
    at = next + piece.length;
  }
  return parts;
}

const touches = (part: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => part.includes(secret) || secret.includes(part) || isLeaked(secret, part));

const inputOf = ({ text, key, cut }: PositiveSample | NegativeSample): RedactionInput => ({
  text,
  ...(key === undefined ? {} : { key }),
  ...(cut === undefined ? {} : { cut }),
});

export async function measure(redactor: Redactor, set: LabelledSet): Promise<Measurement> {
  const kinds = new Map<string, KindResult>();
  const failures: Measurement["failures"] = [];
  let trueReplacements = 0;
  let falseReplacements = 0;
  const outputs = await redactor.redact([...set.positives, ...set.negatives].map(inputOf));
  for (const [i, sample] of set.positives.entries()) {
    const output = outputs[i]?.text ?? "";
    const result = kinds.get(sample.kind) ?? { kind: sample.kind, samples: 0, caught: 0 };
    kinds.set(sample.kind, result);
    result.samples++;
    const caught = !sample.secrets.some((secret) => isLeaked(secret, output, contextOf(sample)));
    if (caught) result.caught++;
    else failures.push({ kind: sample.kind, problem: "missed", output });
    const wrong = replacedParts(sample.text, output).filter((part) => !touches(part, sample.secrets));
    const markers = output.match(MARKER)?.length ?? 0;
    trueReplacements += markers - wrong.length;
    falseReplacements += wrong.length;
    if (wrong.length > 0) failures.push({ kind: sample.kind, problem: "false alarm", output });
  }
  for (const [i, sample] of set.negatives.entries()) {
    const output = outputs[set.positives.length + i]?.text ?? "";
    if (output === sample.text) continue;
    falseReplacements += Math.max(1, (output.match(MARKER)?.length ?? 0) - (sample.text.match(MARKER)?.length ?? 0));
    failures.push({ kind: sample.kind, problem: "false alarm", output });
  }
  const caught = [...kinds.values()].reduce((sum, kind) => sum + kind.caught, 0);
  return {
    name: set.name,
    kinds: [...kinds.values()].toSorted((a, b) => a.kind.localeCompare(b.kind)),
    positives: set.positives.length,
    caught,
    negatives: set.negatives.length,
    trueReplacements,
    falseReplacements,
    recall: caught / set.positives.length,
    precision: trueReplacements / (trueReplacements + falseReplacements),
    failures,
  };
}

/** The report as lines of text. */
export function formatMeasurement(result: Measurement): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
  const rows = result.kinds.map(({ kind, samples, caught }) => `  ${kind.padEnd(22)} ${caught}/${samples}`);
  const failures = result.failures.map(({ kind, problem, output }) => `  ${problem}: ${kind}: ${output.slice(0, 300)}`);
  return [
    `${result.name}: ${result.positives} positives of ${result.kinds.length} kinds, ${result.negatives} negatives`,
    ...rows,
    `  recall    ${percent(result.recall)} (${result.caught} of ${result.positives})`,
    `  precision ${percent(result.precision)} (${result.falseReplacements} false, ${result.trueReplacements} true)`,
    ...failures,
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { createRedactor } = await import("../../src/redact/redactor.ts");
  for (const set of [...labelledSets, ...broadSets])
    console.log(formatMeasurement(await measure(createRedactor(), set)));
}
