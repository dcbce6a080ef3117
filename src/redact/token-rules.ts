/** Finds credentials with a fixed prefix, listed in `token-table.ts`. */
import * as charSets from "./char-set.ts";
import { type Finding, NOTHING } from "./finding.ts";
import { type ScanText, withoutDots } from "./scan-text.ts";
import { tokenTable } from "./token-table.ts";
import type { Rule } from "./trigger-index.ts";
import { isWordy } from "./randomness.ts";

interface TokenShape {
  kind: string;
  prefixes: readonly string[];
  body: charSets.CharSet;
  min: number;
  common: boolean;
}

const setsByName = new Map<string, unknown>(Object.entries(charSets));

function shapeOf(line: string): TokenShape {
  const [kind = "", set = "", min = "", ...prefixes] = line.split(" ");
  const body = setsByName.get(set.replace("~", ""));
  if (!(body instanceof Uint8Array)) throw new TypeError(`No set of characters in "${line}".`);
  return { kind, prefixes, body, min: Number(min), common: set.endsWith("~") };
}

const tokenShapes = tokenTable
  .split("\n")
  .filter((line) => /^\w/.test(line))
  .map(shapeOf);

/** Minimum characters after a prefix to detect a token that was cut off. */
const CUT_MIN = 4;
const CUT_MIN_COMMON = 8;

/** Maximum characters of a body that are examined. */
const SAMPLE_CHARS = 64;

/** Words that are in a body only as an example of the format. */
const EXAMPLE_WORDS =
  /(?:^|[-_.])(?:your|my|example|sample|placeholder|dummy|fake|test|here|token|key|secret|x{3,})(?=[-_.]|$)/i;

/** Returns true if a token consists of words that describe it: `xoxb-your-token`. */
const isExample = (body: string): boolean => EXAMPLE_WORDS.test(body) && isWordy(body);

/** Number of the last body that contained each ASCII character, so that nothing has to be cleared between bodies. */
const metIn = new Uint32Array(128);
let bodies = 0;

function charKinds(body: string): { digit: boolean; mixedCase: boolean; distinct: number } {
  bodies = (bodies + 1) >>> 0;
  let distinct = 0;
  let digit = false;
  let upper = false;
  let lower = false;
  for (let i = 0; i < body.length; i++) {
    const code = body.charCodeAt(i) & 127;
    if (metIn[code] !== bodies) distinct++;
    metIn[code] = bodies;
    if (code >= 48 && code <= 57) digit = true;
    else if (code >= 65 && code <= 90) upper = true;
    else if (code >= 97 && code <= 122) lower = true;
  }
  return { digit, mixedCase: upper && lower, distinct };
}

/** Returns true if `body` looks random: not a word, `xxxx` or a name with underscores. */
function looksIssued(body: string, alphabet: charSets.CharSet): boolean {
  const sample = body.slice(0, SAMPLE_CHARS);
  const { digit, mixedCase, distinct } = charKinds(sample);
  const noise = digit || mixedCase || alphabet === charSets.UPPER_ALNUM;
  return noise && distinct >= 6 && !isExample(sample) && !body.endsWith("EXAMPLE");
}

/** Returns true for words joined by punctuation: names such as `live_reload_is_enabled_in_v2` begin like tokens. */
const isSpelledOut = (body: string): boolean => body.length <= 2 * SAMPLE_CHARS && /[-_.]/.test(body) && isWordy(body);

/** The end of a prefix, in prose about it: the `api03-` of `sk-ant-api03-…`; PyPI's and Vault's tokens begin alike. */
const PREFIX_END = /^(?:(?:[a-z]{1,8}\d{0,2}[-_])+|IcHlwaS5vcmc|CAESI?)$/;

function looksIssuedButCut(body: string, { body: alphabet, common }: TokenShape): boolean {
  if (body.length < (common ? CUT_MIN_COMMON : CUT_MIN)) return false;
  if (body.length >= 16) return looksIssued(body, alphabet);
  const { digit, mixedCase, distinct } = charKinds(body);
  if (isExample(body) || PREFIX_END.test(body) || distinct < 3) return false;
  return common ? digit && /[a-zA-Z]/.test(body) : digit || mixedCase || body.length <= 6;
}

function findToken(shape: TokenShape, prefix: string, scan: ScanText, at: number): readonly Finding[] {
  if (!scan.startsWord(at)) return NOTHING;
  // Long base64 contains every short prefix.
  if (shape.common && /[+/]/.test(scan.text[at - 1] ?? "") && /^[A-Za-z0-9]+$/.test(prefix)) return NOTHING;
  const bodyStart = at + prefix.length;
  const runEnd = scan.runEnd(shape.body, bodyStart);
  const end = withoutDots(scan.text, bodyStart, runEnd);
  const body = scan.text.slice(bodyStart, end);
  if (shape.common && isSpelledOut(body)) return NOTHING;
  const whole = body.length >= shape.min && looksIssued(body, shape.body);
  if (whole || (looksIssuedButCut(body, shape) && (scan.breaksOffAt(end) || scan.breaksOffAt(runEnd)))) {
    return [{ start: at, end, kind: shape.kind }];
  }
  return NOTHING;
}

/** Rules, one for each prefix of the table. The longest come first, since they name the kind: `sk-ant-` before `sk-`. */
export const tokenRules: readonly Rule[] = tokenShapes
  .flatMap((shape) => shape.prefixes.map((prefix) => ({ shape, prefix })))
  .toSorted((a, b) => b.prefix.length - a.prefix.length)
  .map(({ shape, prefix }) => ({
    triggers: [prefix],
    find: (scan: ScanText, at: number) => findToken(shape, prefix, scan, at),
  }));
