import { createRequire } from "node:module";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { lintSource } from "@secretlint/core";
import type { rules as presetRules } from "@secretlint/secretlint-rule-preset-recommend";
import type { Finding } from "./finding.ts";
import { isPadding } from "./placeholders.ts";

/** The event loop gets a turn after this many characters, which take a few milliseconds. */
const CHUNK_CHARS = 256 * 1024;
/** Longer than any match of secretlint's rules, so that a secret across two pieces of a text is whole in one. */
const OVERLAP_CHARS = 16 * 1024;
/** Stands before and after each text: no rule matches across a line break, a NUL and a line break. */
const SEPARATOR = "\n\u0000\n";

const RULE_PREFIX = "@secretlint/secretlint-rule-";
/**
 * `filter-comments` lets a comment in the text switch detection off. The others report the wrong range: `aws` starts
 * at the name instead of the value, the URL rules swallow what follows, quotes included. Our own rules cover these.
 */
const DISABLED_RULES = new Set(
  ["filter-comments", "aws", "basicauth", "database-connection-string"].map((name) => RULE_PREFIX + name),
);

interface Secretlint {
  lint: typeof lintSource;
  rules: { id: string; rule: (typeof presetRules)[number] }[];
}

let loading: Promise<Secretlint> | undefined;

/** Loads secretlint on first use: that takes about 50 ms, which a host that records nothing should not pay. */
function load(): Promise<Secretlint> {
  loading ??= (async () => {
    const [core, preset] = await Promise.all([
      import("@secretlint/core"),
      import("@secretlint/secretlint-rule-preset-recommend"),
    ]);
    await stopProfiler();
    // The rules are passed one by one: core does not heed `disabled` within a preset.
    const enabled = preset.rules.filter(({ meta }) => !DISABLED_RULES.has(meta.id));
    return { lint: core.lintSource, rules: enabled.map((rule) => ({ id: rule.meta.id, rule })) };
  })();
  return loading;
}

/**
 * Switches off secretlint's profiler, which otherwise keeps about sixty performance marks of each call for ever.
 * It is found from where core finds it: another copy of the package would leave core's running.
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

/** A part of one text, and where it stands in the source that is linted. */
interface Piece {
  text: number;
  /** Index in the text of the piece's first character. */
  from: number;
  content: string;
  at: number;
}

/** All that secretlint finds is, or holds, a run of such characters. */
const TOKEN_RUN = /[A-Za-z0-9_-]{20,}/g;
/** What is linted before and after such a run: the words around a token, which some rules ask for. */
const CONTEXT_BEFORE = 64;
const CONTEXT_AFTER = 16;

/**
 * The parts of a text that can hold a match. The rest is not linted: in the Bun that opencode embeds (1.3.14)
 * secretlint's expressions do about 1 MB/s, a hundredth of what they do in Bun 1.4 or Node.
 */
function* suspectParts(text: string): Generator<[from: number, to: number]> {
  let from = -1;
  let to = -1;
  for (const { index, 0: run } of text.matchAll(TOKEN_RUN)) {
    const start = Math.max(0, index - CONTEXT_BEFORE);
    if (start > to) {
      if (to >= 0) yield [from, to];
      from = start;
    }
    to = Math.min(text.length, index + run.length + CONTEXT_AFTER);
  }
  if (to >= 0) yield [from, to];
}

/** Packs what is suspect of the texts into sources of about `CHUNK_CHARS`; longer parts are split with an overlap. */
function* packTexts(texts: readonly string[]): Generator<Piece[]> {
  let pieces: Piece[] = [];
  let size = SEPARATOR.length;
  for (const [text, whole] of texts.entries()) {
    for (const [start, end] of suspectParts(whole)) {
      for (let from = start; from < end; from += CHUNK_CHARS - OVERLAP_CHARS) {
        const content = whole.slice(from, Math.min(end, from + CHUNK_CHARS));
        if (pieces.length > 0 && size + content.length > CHUNK_CHARS) {
          yield pieces;
          pieces = [];
          size = SEPARATOR.length;
        }
        pieces.push({ text, from, content, at: size });
        size += content.length + SEPARATOR.length;
        if (from + CHUNK_CHARS >= end) break;
      }
    }
  }
  if (pieces.length > 0) yield pieces;
}

/** Finds what secretlint's recommended rules find. Element `i` of the result belongs to `texts[i]`. */
export async function findWithSecretlint(texts: readonly string[]): Promise<Finding[][]> {
  const { lint, rules } = await load();
  const found: Finding[][] = texts.map(() => []);
  const options = { config: { rules }, noPhysicFilePath: true };
  let isFirst = true;
  for (const pieces of packTexts(texts)) {
    if (!isFirst) await setImmediate();
    isFirst = false;
    const content = [SEPARATOR, ...pieces.flatMap((piece) => [piece.content, SEPARATOR])].join("");
    const source = {
      content,
      filePath: "transcript.txt",
      ext: ".txt",
      contentType: "text" as const,
    };
    const { messages } = await lint({ source, options });
    for (const { range, ruleId, messageId } of messages) addToPiece(pieces, range, kindOf(ruleId, messageId), found);
  }
  return found;
}

function addToPiece(pieces: readonly Piece[], [start, end]: readonly number[], kind: string, found: Finding[][]): void {
  if (start === undefined || end === undefined) return;
  const piece = pieces.findLast(({ at }) => at <= start);
  if (piece === undefined) return;
  const { text, from, content, at } = piece;
  const match = content.slice(start - at, end - at);
  if (isPadding(match)) return;
  for (const part of betweenQuotes(match)) {
    const partStart = from + start - at + part.start;
    found[text]?.push({ start: partStart, end: partStart + part.length, kind });
  }
}

/** The parts of a match that can be replaced without breaking the quotes and escapes of JSON. */
function betweenQuotes(match: string): { start: number; length: number }[] {
  if (!/["'`\\]/.test(match)) return [{ start: 0, length: match.length }];
  const parts = match.matchAll(/(?:\\+(?:u[0-9a-fA-F]{4}|.)|["'`])|(?<part>[^"'`\\]+)/gs);
  return Array.from(parts, ({ index, groups }) => ({
    start: index,
    length: groups?.["part"]?.length ?? 0,
  })).filter(({ length }) => length > 0);
}

/** `@secretlint/secretlint-rule-slack` and `IncomingWebhook` make `slack-incoming-webhook`; new rules need no table. */
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
