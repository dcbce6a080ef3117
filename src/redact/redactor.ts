import { assignmentRule, findInLeaf } from "./assignment-rule.ts";
import { commandRules } from "./command-rules.ts";
import { addCounts, applyFindings, type Finding, mergeFindings, type RedactionCounts } from "./finding.ts";
import { loginRules } from "./login-rules.ts";
import { placedRules } from "./placed-rules.ts";
import { privateKeyRules } from "./private-key-rules.ts";
import { ScanText } from "./scan-text.ts";
import { findWithSecretlint } from "./secretlint-detector.ts";
import { shapedRules } from "./shaped-rules.ts";
import { tokenRules } from "./token-rules.ts";
import { type Rule, TriggerIndex } from "./trigger-index.ts";
import { isTurnOver, nextTurn, SLICE_CHARS } from "./turns.ts";

export type { RedactionCounts } from "./finding.ts";

export interface RedactionInput {
  text: string;
  /** JSON key or header name that the text is the value of. */
  key?: string;
  /** The text may have been cut at its end: truncation, abort, streaming. */
  cut?: boolean;
  /**
   * What stands directly before the text in the record, if it was redacted on its own earlier (a streamed text that
   * goes on). A secret that began there is still found.
   */
  before?: string;
}

export interface RedactionResult {
  text: string;
  counts: RedactionCounts;
}

export interface Redactor {
  /**
   * Replaces each secret by `[REDACTED:kind]`. Result `i` belongs to `texts[i]`.
   *
   * Many texts in one call are far cheaper than many calls. Strings that are JSON, or hold JSON in any depth of
   * escaping, stay valid JSON. Redacting a result again changes nothing. The event loop gets a turn after each few
   * milliseconds. Rejects if secretlint cannot be loaded or fails, unless `onDetectorError` is set.
   */
  redact(texts: readonly RedactionInput[]): Promise<RedactionResult[]>;
}

export interface RedactorOptions {
  /** Told, once, that secretlint cannot be used. Redaction then goes on with the package's own rules alone. */
  onDetectorError?: (error: unknown) => void;
  /** Finds secrets in many texts; secretlint, unless given. Element `i` of its result belongs to text `i`. */
  detect?: (texts: readonly string[]) => Promise<Finding[][]>;
}

/** The longest beginning of a secret that is looked for in `before`. */
const CONTEXT_CHARS = 4096;
/** What a text costs besides its length, in characters. */
const TEXT_COST = 64;

/** Texts that still change after so many passes are made to do so; each pass only covers more. */
const MAX_PASSES = 5;

/** All rules of this package. */
export const ownRules: readonly Rule[] = [
  ...tokenRules,
  ...shapedRules,
  ...privateKeyRules,
  ...loginRules,
  ...commandRules,
  ...placedRules,
  assignmentRule,
];

let index: TriggerIndex | undefined;
const ownIndex = (): TriggerIndex => (index ??= new TriggerIndex(ownRules));

export function createRedactor({ onDetectorError, detect = findWithSecretlint }: RedactorOptions = {}): Redactor {
  let isDetectorUsable = true;
  const detectAll = async (texts: readonly string[]): Promise<Finding[][]> => {
    if (!isDetectorUsable) return [];
    try {
      return await detect(texts);
    } catch (error) {
      if (onDetectorError === undefined) throw error;
      if (isDetectorUsable) onDetectorError(error);
      isDetectorUsable = false;
      return [];
    }
  };
  const redactOnce = async (inputs: readonly RedactionInput[], isFirst: boolean): Promise<RedactionResult[]> => {
    const contexts = inputs.map(({ before = "" }) => before.slice(-CONTEXT_CHARS));
    const texts = inputs.map(({ text }, i) => (contexts[i] ?? "") + text);
    const detected = isFirst ? await detectAll(texts) : [];
    const ours = await findWithOwnRules(inputs, texts);
    return inputs.map(({ text }, i) => {
      const findings = [...(ours[i] ?? []), ...(detected[i] ?? [])];
      return applyFindings(text, within(text, contexts[i]?.length ?? 0, findings));
    });
  };
  return {
    async redact(inputs) {
      const results = await redactOnce(inputs, true);
      let changed = [...results.keys()];
      // A replacement can set free what was glued to a secret, so that another look, with our own rules, finds more.
      for (let pass = 1; pass < MAX_PASSES; pass++) {
        changed = changed.filter((i) => Object.keys(results[i]?.counts ?? {}).length > 0);
        if (changed.length === 0) break;
        const again = await redactOnce(
          changed.map((i) => ({ ...inputs[i], text: results[i]?.text ?? "" })),
          false,
        );
        changed = changed.filter((i, at) => addPass(results[i], again[at]));
      }
      return results;
    },
  };
}

/** Adds a further pass over a result to it; says whether that changed anything. */
function addPass(result: RedactionResult | undefined, again: RedactionResult | undefined): boolean {
  if (result === undefined || again === undefined || again.text === result.text) return false;
  result.text = again.text;
  addCounts(result.counts, again.counts);
  return true;
}

/** Findings in a text that follows `offset` characters of context; those that began in the context start at 0. */
function within(text: string, offset: number, findings: readonly Finding[]): Finding[] {
  if (offset === 0) return mergeFindings(findings);
  const moved = findings
    .filter(({ end }) => end > offset)
    .map((finding) => ({
      ...finding,
      start: Math.max(0, finding.start - offset),
      end: finding.end - offset,
    }));
  return mergeFindings(moved).filter(({ start }) => start < text.length);
}

async function findWithOwnRules(inputs: readonly RedactionInput[], texts: readonly string[]): Promise<Finding[][]> {
  const rules = ownIndex();
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
