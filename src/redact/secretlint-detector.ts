import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { lintSource } from "@secretlint/core";
import type { rules as presetRules } from "@secretlint/secretlint-rule-preset-recommend";
import type { Finding } from "./finding.ts";
import { isPadding } from "./placeholders.ts";
import { ScanText } from "./scan-text.ts";
import { isExample } from "./token-rules.ts";
import { type Rule, TriggerIndex } from "./trigger-index.ts";
import { isTurnOver, nextTurn, SLICE_CHARS } from "./event-loop-turns.ts";

/** Separates texts: no rule matches across a line break, a NUL and a line break. */
const SEPARATOR = "\n\u0000\n";

const RULE_PREFIX = "@secretlint/secretlint-rule-";
/**
 * The rules that are run, each with fixed strings of which every match contains one. A rule gets only the text around
 * these strings, because some of secretlint's expressions take quadratic time, and all together process 1 MB/s in the
 * Bun that opencode embeds (1.3.14).
 *
 * Not run: `filter-comments`, with which a comment in the text turns detection off; `gcp`, which needs a whole file.
 * Others report the wrong range: `aws` starts at the name instead of the value, the URL rules include the text after
 * the URL, even quotes. Rules of this package cover these.
 */
export const SECRETLINT_TRIGGERS: Readonly<Record<string, string>> = {
  npm: "npm_ _authToken= :x-oauth-basic@",
  slack: "xoxb- xoxp- xapp- xoxa- xoxo- xoxr- hooks.slack.com/services/",
  openai: "sk-proj- sk-svcacct- sk-admin- T3BlbkFJ",
  anthropic: "sk-ant-api0",
  groq: "gsk_",
  huggingface: "hf_",
  linear: "lin_api_",
  notion: "ntn_",
  privatekey: "-----BEGIN",
  sendgrid: "SG.",
  shopify: "shppa_ shpca_ shpat_ shpss_",
  stripe: "sk_live_ sk_test_ rk_live_ rk_test_",
  github: "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
  gitlab: "glpat-",
  grafana: "glc_ glsa_",
  "1password": "ops_ey",
  "hashicorp-vault": "hvs. hvb. hvr.",
  vercel: "vcp_ vci_ vca_ vcr_ vck_",
  databricks: "dapi",
  docker: "dckr_pat_",
  figma: "figd_",
  cloudflare: "cfk_ cfut_ cfat_",
  tailscale: "tskey-",
};

/** Characters around such a string that a rule gets. Most tokens are much shorter; our own rules find longer ones. */
const CHARS_BEFORE = 272;
const CHARS_AFTER = 1500;
/** Maximum characters that a rule gets at once, so that a quadratic expression takes little time. */
const SOURCE_CHARS = 4 * 1024;
/** Time that a secretlint rule takes for a character, as a multiple of the rules of this package. */
const LINT_COST = 16;

interface Secretlint {
  lint: typeof lintSource;
  rules: ReadonlyMap<string, { id: string; rule: (typeof presetRules)[number] }>;
}

let loading: Promise<Secretlint> | undefined;

/** Loads secretlint, which takes about 50 ms, for the first text in which it may find something. */
function load(): Promise<Secretlint> {
  loading ??= (async () => {
    const [core, preset] = await Promise.all([
      import("@secretlint/core"),
      import("@secretlint/secretlint-rule-preset-recommend"),
    ]);
    await stopProfiler();
    const rules = new Map(preset.rules.map((rule) => [rule.meta.id, { id: rule.meta.id, rule }]));
    return { lint: core.lintSource, rules };
  })();
  return loading;
}

/**
 * Turns off secretlint's profiler, which otherwise keeps about sixty performance marks of each call forever. Resolved
 * from core, because another copy of the package would leave core's profiler on.
 */
async function stopProfiler(): Promise<void> {
  const fromCore = createRequire(import.meta.resolve("@secretlint/core"));
  const module: unknown = await import(pathToFileURL(fromCore.resolve("@secretlint/profiler")).href);
  if (isProfilerModule(module)) module.secretLintProfiler.setEnabled(false);
}

function isProfilerModule(value: unknown): value is { secretLintProfiler: { setEnabled(on: boolean): void } } {
  if (typeof value !== "object" || value === null || !("secretLintProfiler" in value)) return false;
  const profiler = value.secretLintProfiler;
  return typeof profiler === "object" && profiler !== null && "setEnabled" in profiler;
}

let index: TriggerIndex | undefined;
/** Finds the text that each rule gets. */
const triggerIndex = (): TriggerIndex => (index ??= new TriggerIndex(Object.entries(SECRETLINT_TRIGGERS).map(ruleOf)));

function ruleOf([name, triggers]: [string, string]): Rule {
  const kind = RULE_PREFIX + name;
  const find = (_: ScanText, at: number): Finding[] => [
    { start: Math.max(0, at - CHARS_BEFORE), end: at + CHARS_AFTER, kind },
  ];
  return { triggers: triggers.split(" "), find };
}

/** Part of a text that a rule gets. */
interface Part {
  text: number;
  start: number;
  end: number;
}

/** Runs secretlint's recommended rules. Element `i` of the result is for `texts[i]`. */
export async function findWithSecretlint(texts: readonly string[]): Promise<Finding[][]> {
  const found: Finding[][] = texts.map(() => []);
  const suspects = await suspectParts(texts);
  if (suspects.size === 0) return found;
  const { lint, rules } = await load();
  for (const [ruleId, parts] of suspects) {
    const rule = rules.get(ruleId);
    if (rule === undefined) continue;
    let i = 0;
    while (i < parts.length) {
      const packed: (Part & { at: number })[] = [];
      let content = SEPARATOR;
      for (let part = parts[i]; part !== undefined && content.length < SOURCE_CHARS; part = parts[++i]) {
        packed.push({ ...part, at: content.length });
        content += texts[part.text]?.slice(part.start, part.end) + SEPARATOR;
      }
      const source = { content, filePath: "transcript.txt", ext: ".txt", contentType: "text" as const };
      const { messages } = await lint({ source, options: { config: { rules: [rule] }, noPhysicFilePath: true } });
      for (const { range, messageId } of messages) {
        const [start, end] = range;
        const part = packed.findLast(({ at }) => at <= start);
        if (part === undefined) continue;
        const places = placesOf(content.slice(start, end), part.start + start - part.at, kindOf(ruleId, messageId));
        found[part.text]?.push(...places);
      }
      // On a text full of tokens, one rule can take most of a turn.
      if (isTurnOver(LINT_COST * content.length) || content.length > SOURCE_CHARS) await nextTurn();
    }
  }
  return found;
}

/** Returns the parts that each rule gets, by rule id. */
async function suspectParts(texts: readonly string[]): Promise<Map<string, Part[]>> {
  const triggers = triggerIndex();
  const all = new Map<string, Part[]>();
  for (const [text, whole] of texts.entries()) {
    const scan = new ScanText(whole);
    for (let from = 0; from < whole.length; from += SLICE_CHARS) {
      const found: Finding[] = [];
      triggers.search(scan, from, Math.min(from + SLICE_CHARS, whole.length), found);
      for (const { start, end, kind } of found) {
        const parts = all.get(kind) ?? [];
        const last = parts.at(-1);
        const isOne = last?.text === text && start <= last.end && end - last.start <= SOURCE_CHARS;
        if (isOne) last.end = end;
        else parts.push({ text, start, end });
        all.set(kind, parts);
      }
      if (isTurnOver(Math.min(SLICE_CHARS, whole.length - from))) await nextTurn();
    }
  }
  return all;
}

/** Returns a match as findings that can be replaced without breaking quotes and escapes of JSON. */
function placesOf(match: string, from: number, kind: string): Finding[] {
  if (isPadding(match) || (/^[\w-]+$/.test(match) && isExample(match))) return [];
  // `npm_config_…` and the like are variables.
  if (/^npm_[a-z]+(?:_[a-z]+)+$/.test(match)) return [];
  return betweenQuotes(match).map(({ start, length }) => ({ start: from + start, end: from + start + length, kind }));
}

/** Returns the parts of a match between quotes and escapes. */
function betweenQuotes(match: string): { start: number; length: number }[] {
  if (!/["'`\\]/.test(match)) return [{ start: 0, length: match.length }];
  const parts = match.matchAll(/(?:\\+(?:u[0-9a-fA-F]{4}|.)|["'`])|(?<part>[^"'`\\]+)/gs);
  return Array.from(parts, ({ index, groups }) => ({
    start: index,
    length: groups?.["part"]?.length ?? 0,
  })).filter(({ length }) => length > 0);
}

/** Makes `slack-incoming-webhook` of `@secretlint/secretlint-rule-slack` and `IncomingWebhook`. */
export function kindOf(ruleId: string, messageId: string): string {
  const rule = ruleId.replace(RULE_PREFIX, "");
  const message = messageId.replace(/([a-z0-9])([A-Z])/g, "$1-$2");
  const name = kebab(message);
  return name.replaceAll("-", "").startsWith(kebab(rule).replaceAll("-", "")) ? name : kebab(`${rule}-${message}`);
}

const kebab = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 64);
