/** How a name and its value stand together: `NAME=value`, `"name": "value"`, `--name value`, `<name>value</name>`, … */
import { charSet, type CharSet, charSetExcept, inSet } from "./char-set.ts";
import { closesString, MAX_VALUE, quotedAt } from "./quoting.ts";
import type { ScanText } from "./scan-text.ts";
import type { ValueContext } from "./values.ts";

const NAME_CHARS = charSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
const MAX_NAME = 80;
/** What ends a value without quotes in any syntax. A backslash starts an escape of JSON and must stay. */
const BARE: CharSet = charSetExcept(" \t\r\n\f\v\u001b\"'`\\<>");

/** What a header's value may hold: anything on its line, but no quote that may enclose the header. */
const HEADER: CharSet = charSetExcept("\r\n\"'`\\");
/** A longer bare value is taken whole: looking for the syntax around it would be dear. */
const LONG_VALUE = 1024;

export interface Name {
  /** The name itself, without dashes in front. */
  text: string;
  start: number;
  end: number;
  /** It is a command line flag: `--name`. */
  flag: boolean;
}

/** The whole name around index `at`, or nothing if that is part of something longer than a name. */
export function nameAround(scan: ScanText, at: number): Name | undefined {
  const { text } = scan;
  const isName = (i: number): boolean =>
    inSet(NAME_CHARS, text.charCodeAt(i)) && !(text[i] === "-" && (text[i + 1] === "-" || text[i - 1] === "-"));
  let start = at;
  while (start > 0 && at - start <= MAX_NAME && isName(start - 1)) start--;
  let end = at;
  while (end < text.length && end - at <= MAX_NAME && isName(end)) end++;
  if (end - start > MAX_NAME) return undefined;
  start += escapeLength(text, start);
  while (end > start && (text[end - 1] === "." || text[end - 1] === "-")) end--;
  // Java's `-Dname=value`, Gradle's `-Pname=value`.
  if (text.startsWith("-D", start) || (text.startsWith("-P", start) && text[end] === "=")) start += 2;
  else if (text[start] === "-") start++;
  // One dash is an option only within a line: at its start it marks a removed line of a diff.
  const flag = /(?:^|[\s"'`([|=,;])--$|[ "']-$/.test(text.slice(Math.max(0, start - 3), start));
  return { text: text.slice(start, end), start, end, flag };
}

/** Length of the rest of an escape (`\n`, `\u001b`, a terminal colour) that looks like the start of a name. */
function escapeLength(text: string, start: number): number {
  const before = text[start - 1];
  if (before === "\\") return /^(?:u[0-9a-fA-F]{4}|[nrtbfv])/.exec(text.slice(start, start + 8))?.[0].length ?? 0;
  if (before === "[" || before === ";") return /^\d{0,3}m/.exec(text.slice(start, start + 8))?.[0].length ?? 0;
  return 0;
}

export interface Assigned {
  start: number;
  end: number;
  context: ValueContext;
  /** The value was cut: it is judged by what is left of it. */
  cut: boolean;
}

const TYPED = /[?!]?[ \t]?:[ \t]?&?[A-Za-z][\w<>[\]|. ]{0,40}?=[ \t]{0,20}(?=[bB]?["'`])/y;
/** A terminal's colour, raw or escaped. */
const COLOUR = String.raw`(?:(?:\u001b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,12}m){0,3}`;
const SIGN = String.raw`(?<sign>:=|=>|\|\|=?|\?\?=?|\?=|=(?![=~>])|:(?!:|\/\/)|::(?=[ \t])|[：＝]|%3[ADad])`;
const OPERATOR = new RegExp(
  String.raw`(?:(?<close>\\{0,127}["'\x60])\]?)?[?!]??(?: ?\[[^\]\n]{0,20}\])?${COLOUR}(?<before>[ \t]{0,20})${SIGN}(?<after>[ \t]{0,20})(?:!!str[ \t]{1,4})?(?:(?:\*\*|__)[ \t]{1,4})?${COLOUR}`,
  "y",
);
const PAIR =
  /(?:\\{0,127}["'])?(?:,|\s|\\{1,127}[nrt]){1,40}(?:\\{0,127}["'])?(?:parameter)?value(?:\\{0,127}["'])?[ \t]{0,4}[:=][ \t]{0,4}/iy;
const PAIR_NAME = /(?:name|key)(?:\\{0,7}["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,7}["'])?$/i;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The value that `name` is given, if the text goes on with one. */
export function valueOf(scan: ScanText, name: Name): Assigned | undefined {
  const { text } = scan;
  const { start, end, flag } = name;
  if (text[end] === ">" && /<(?:\w{1,20}:)?$/.test(text.slice(Math.max(0, start - 22), start)))
    return elementText(scan, end + 1);
  if (flag && text[end] === " ") return flagValue(scan, end + 1);
  const item = flag ? matchAt(NEXT_ITEM, text, end) : null;
  if (item !== null) return flagValue(scan, end + item[0].length);
  const typed = matchAt(TYPED, text, end);
  if (typed !== null) return valueAt(scan, end + typed[0].length, "loose");
  const pair = matchAt(PAIR, text, end);
  if (pair !== null && PAIR_NAME.test(text.slice(Math.max(0, start - 16), start))) {
    return valueAt(scan, end + pair[0].length, "line");
  }
  const operator = matchAt(OPERATOR, text, end);
  return operator === null ? undefined : valueAfter(scan, name, operator);
}

/** What stands between an option and its value in a list of arguments. */
const NEXT_ITEM =
  /\\{0,127}["'](?:[ \t\n]{0,20},[ \t\n]{0,40}|\)\.arg\()(?=\\{0,127}["'])|[ \t]{0,8}\r?\n[ \t]{0,40}-[ \t]{1,8}(?=\S)/y;

/** In prose a flag is followed by a word, on a command line by its value. */
function flagValue(scan: ScanText, at: number): Assigned | undefined {
  if (scan.text[at] === "-") return undefined;
  const value = valueAt(scan, at, "declared");
  if (value === undefined || value.context === "quoted") return value;
  return /[^A-Za-z]/.test(scan.text.slice(value.start, value.end)) ? value : undefined;
}

/** `process.env.SECRET || "…"`: without quotes the other side is a variable. */
const FALLBACK = /^(?:\|\||\?\?)$/;

function valueAfter(scan: ScanText, name: Name, operator: RegExpExecArray): Assigned | undefined {
  const { close, before = "", sign = "", after = "" } = operator.groups ?? {};
  const at = name.end + operator[0].length;
  const tight = sign === "=" && before === "" && after === "";
  // A part of an address: `arn:aws:secretsmanager:eu-west-1:1:secret:name`.
  if (sign === ":" && after === "" && scan.text[name.start - 1] === ":") return undefined;
  const header = sign === ":" && name.text.includes("-");
  const value = valueAt(scan, at, header || (tight && isDeclaration(scan.text, name)) ? "declared" : "loose");
  if (value === undefined) return undefined;
  if (value.context === "quoted") {
    const closes = (close === undefined && closesLabel(scan.text, name, at)) || (value.cut && closesString(scan, at));
    return closes ? undefined : value;
  }
  if (FALLBACK.test(sign)) return undefined;
  // A quoted name and a value without quotes: a number, a variable or a keyword. Replacing it would break JSON.
  if (close !== undefined) return undefined;
  if (value.context === "loose" && endsLine(scan.text, value.end)) {
    const identifier = /^[A-Za-z_]\w*$/.test(scan.text.slice(value.start, value.end));
    if (/^(?:::?|[：＝]|%3a)$/i.test(sign)) return { ...value, context: "line" };
    if (startsLine(scan.text, name.start) && (!identifier || isInSection(scan.text, name.start)))
      return { ...value, context: "line" };
  }
  return value;
}

/** Whether the quote at `at` closes the one before the name, as in `"Password:"`. */
function closesLabel(text: string, { start }: Name, at: number): boolean {
  const before = /\\{0,7}["'`]$/.exec(text.slice(Math.max(0, start - 8), start))?.[0];
  return before !== undefined && text.startsWith(before, at);
}

const DECLARED_BEFORE =
  /(?:^|[\n\r?&;"'+|>]|\\[nrt]|(?:^|\s)(?:export|set|setx|env|ENV|ARG|-e|--env|-D|-P))[ \t]{0,8}-{0,2}[DP]?$/;

/** Whether `name=` is data: an environment variable, a flag, a query parameter, a line of its own. */
function isDeclaration(text: string, { text: name, start, flag }: Name): boolean {
  if (flag || (name === name.toUpperCase() && /[A-Z]{3}/.test(name))) return true;
  if (start === 0 || DECLARED_BEFORE.test(text.slice(Math.max(0, start - 16), start))) return true;
  return followsParameter(text, start);
}

/** An earlier parameter of the same command, request or log line: `username=ann password=…`. */
function followsParameter(text: string, start: number): boolean {
  const near = text.slice(Math.max(0, start - 128), start);
  const word = /[ \t]/.test(near.at(-1) ?? "") ? (near.trimEnd().split(/\s/).at(-1) ?? "") : "";
  return /[=/@]\S/.test(word) && !/[,;(){}"'`]/.test(word);
}

/** Whether the last `[section]` of an INI file stands before `at`, with nothing but settings and comments since. */
function isInSection(text: string, at: number): boolean {
  const near = text.slice(Math.max(0, at - 400), at);
  const lines = near.split("\n");
  const section = lines.findLastIndex((line) => /^[ \t]{0,4}\[[\w .:"@/-]{1,60}\][ \t\r]{0,4}$/.test(line));
  return (
    section >= 0 &&
    lines.slice(section + 1).every((line) => /^\s{0,40}(?:$|[#;]|[\w.-]{1,60}[ \t]{0,20}[=:])/.test(line))
  );
}

const startsLine = (text: string, at: number): boolean =>
  /(?:^|[\n\r]|\\n)[ \t+>|-]{0,40}$/.test(text.slice(Math.max(0, at - 40), at)) || at === 0;
const endsLine = (text: string, at: number): boolean =>
  /^[ \t]{0,8}(?:$|[\r\n]|\\+[nr]|#|[;][ \t])/.test(text.slice(at, at + 12));

/** `<name>value</name>` */
function elementText(scan: ScanText, at: number): Assigned | undefined {
  const end = scan.text.indexOf("<", at);
  if (end < 0 || end - at > 400 || scan.text[end + 1] !== "/") return undefined;
  // A quote may end the string that the element stands in.
  if (/["\\]/.test(scan.text.slice(at, end))) return undefined;
  return { start: at, end, context: "quoted", cut: false };
}

/** The value at `at`, in quotes or bare. */
export function valueAt(scan: ScanText, at: number, context: ValueContext): Assigned | undefined {
  const quoted = quotedAt(scan, at);
  if (quoted !== undefined) {
    return { start: quoted.start, end: quoted.end, context: "quoted", cut: quoted.open };
  }
  const { text } = scan;
  const runEnd = scan.runEnd(BARE, at);
  if (runEnd === at) return undefined;
  if (runEnd - at > LONG_VALUE) return { start: at, end: runEnd, context, cut: false };
  const marker = scan.cutMarkerIn(at, runEnd);
  const end = marker ?? at + bareLength(text.slice(at, runEnd));
  return { start: at, end, context, cut: marker !== undefined || scan.isCutAt(end) };
}

/** Drops what belongs to the syntax around a bare value: the next parameter, a closing bracket, a comma. */
function bareLength(value: string): number {
  const next = value.search(/[;&,](?=[A-Za-z_][\w.-]{0,80}=)/);
  const own = (next < 0 ? value : value.slice(0, next)).split("%26", 1)[0] ?? "";
  const trimmed = withoutEnd(own, ";,&|");
  return /[([{]/.test(trimmed) ? trimmed.length : withoutEnd(trimmed, ")]}").length;
}

/** Drops the characters of `chars` from the end. */
function withoutEnd(value: string, chars: string): string {
  let end = value.length;
  while (end > 0 && chars.includes(value.charAt(end - 1))) end--;
  return value.slice(0, end);
}

/** The rest of a header's line, up to the quote that encloses the header. */
export function headerValueAt(scan: ScanText, at: number): { start: number; end: number } {
  const quoted = quotedAt(scan, at);
  if (quoted !== undefined) return quoted;
  return { start: at, end: Math.min(scan.runEnd(HEADER, at), at + MAX_VALUE) };
}
