import { assignmentRules, findInLeaf } from "./assignment-rule.ts";
import { commandRules } from "./command-rules.ts";
import { addCounts, type Finding, type RedactionCounts, replaceFindings } from "./finding.ts";
import { loginRules } from "./login-rules.ts";
import { placedRules } from "./placed-rules.ts";
import { privateKeyRules } from "./private-key-rules.ts";
import { ScanText } from "./scan-text.ts";
import { shapedRules } from "./shaped-rules.ts";
import { tokenRules } from "./token-rules.ts";
import { type Rule, TriggerIndex } from "./trigger-index.ts";
import { isTurnOver, nextTurn, SLICE_CHARS } from "./event-loop-turns.ts";

export type { RedactionCounts } from "./finding.ts";

export interface RedactionInput {
  text: string;
  /** JSON key or header name whose value the text is. */
  key?: string;
  /** True if the end of the text may be cut off: truncation, abort, streaming. */
  cut?: boolean;
  /**
   * Text directly before this one that was redacted earlier, such as the earlier part of a streamed text. Secrets that
   * begin there are still found.
   */
  before?: string;
}

export interface RedactionResult {
  text: string;
  counts: RedactionCounts;
}

export interface Redactor {
  /**
   * Replaces each secret with `[REDACTED:kind]`. Result `i` is for `texts[i]`.
   *
   * One call with many texts is much faster than many calls. Texts that are JSON or contain JSON, escaped any number of
   * times, stay valid JSON. Redacting a result again changes nothing. Yields to the event loop every few milliseconds.
   */
  redact(texts: readonly RedactionInput[]): Promise<RedactionResult[]>;
}

/** Maximum characters of `before` that are searched for the beginning of a secret. */
const CONTEXT_CHARS = 4096;
/** Cost of a text besides its length, in characters searched in the same time. */
const TEXT_COST = 64;

/** Number of texts that are redacted together. */
const BATCH = 1024;

/** Maximum passes over a text. Only hostile texts change more often, and each pass only redacts more. */
const MAX_PASSES = 5;

export const allRules: readonly Rule[] = [
  ...tokenRules,
  ...shapedRules,
  ...privateKeyRules,
  ...loginRules,
  ...commandRules,
  ...placedRules,
  ...assignmentRules,
];

let index: TriggerIndex | undefined;
const ruleIndex = (): TriggerIndex => (index ??= new TriggerIndex(allRules));

/** Redactors have no state: all share the index of the rules. */
export function createRedactor(): Redactor {
  const redactOnce = async (inputs: readonly RedactionInput[]): Promise<RedactionResult[]> => {
    const contexts = inputs.map(({ before = "" }) => before.slice(-CONTEXT_CHARS));
    const texts = inputs.map(({ text }, i) => (contexts[i] ?? "") + text);
    const found = await findIn(inputs, texts);
    const results: RedactionResult[] = [];
    for (const [i, { text }] of inputs.entries())
      results.push(await replaceFindings(text, within(text, contexts[i]?.length ?? 0, found[i] ?? [])));
    return results;
  };
  const redactBatch = async (inputs: readonly RedactionInput[]): Promise<RedactionResult[]> => {
    const results = await redactOnce(inputs);
    let changed = [...results.keys()];
    // Replacing a secret can expose another one that was attached to it, so the rules search the result again.
    for (let pass = 1; pass < MAX_PASSES; pass++) {
      changed = changed.filter((i) => Object.keys(results[i]?.counts ?? {}).length > 0);
      if (changed.length === 0) break;
      const again = await redactOnce(changed.map((i) => ({ ...inputs[i], text: results[i]?.text ?? "" })));
      changed = changed.filter((i, at) => addPass(results[i], again[at]));
    }
    return results;
  };
  return {
    async redact(inputs) {
      const results: RedactionResult[] = [];
      for (let from = 0; from < inputs.length; from += BATCH) {
        for (const result of await redactBatch(inputs.slice(from, from + BATCH))) results.push(result);
      }
      return results;
    },
  };
}

/** Adds another pass to a result. Returns true if it changed the text. */
function addPass(result: RedactionResult | undefined, again: RedactionResult | undefined): boolean {
  if (result === undefined || again === undefined || again.text === result.text) return false;
  result.text = again.text;
  addCounts(result.counts, again.counts);
  return true;
}

/** Returns the findings in a text after `offset` characters of context. Those that begin in the context start at 0. */
function within(text: string, offset: number, findings: readonly Finding[]): readonly Finding[] {
  if (offset === 0) return findings;
  return findings
    .map((finding) => ({ ...finding, start: Math.max(0, finding.start - offset), end: finding.end - offset }))
    .filter(({ start, end }) => end > 0 && start < text.length);
}

async function findIn(inputs: readonly RedactionInput[], texts: readonly string[]): Promise<Finding[][]> {
  const rules = ruleIndex();
  const all: Finding[][] = [];
  for (const [i, text] of texts.entries()) {
    const { key, cut = false } = inputs[i] ?? {};
    const scan = new ScanText(text, cut);
    const found: Finding[] = key === undefined ? [] : [...findInLeaf(scan, key)];
    for (let from = 0; from < text.length; from += SLICE_CHARS) {
      const to = Math.min(from + SLICE_CHARS, text.length);
      rules.search(scan, from, to, found);
      if (isTurnOver(to - from + TEXT_COST)) await nextTurn();
    }
    all.push(found);
  }
  return all;
}
