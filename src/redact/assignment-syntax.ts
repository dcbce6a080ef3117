/** Syntaxes that give a name a value: `NAME=value`, `"name": "value"`, `--name value`, `<name>value</name>`, … */
import { charSet, type CharSet, charSetExcept, inSet } from "./char-set.ts";
import { secretAt, type Span } from "./finding.ts";
import { closesString, MAX_VALUE, quotedAt } from "./quoting.ts";
import { isMadeUp, isRandom } from "./randomness.ts";
import { charsBefore, type ScanText } from "./scan-text.ts";
import type { ValueContext } from "./values.ts";

const NAME_CHARS = charSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
const MAX_NAME = 80;
/** Characters of an unquoted value in any syntax. A backslash starts a JSON escape and must not be replaced. */
const BARE: CharSet = charSetExcept(" \t\r\n\f\v\u001b\"'`\\<>");

/** Characters of a header's value: all on its line except quotes, which may enclose the whole header. */
const HEADER: CharSet = charSetExcept("\r\n\"'`\\");
/** Unquoted values longer than this are not trimmed, which would be slow. */
const LONG_VALUE = 512;

export interface Name {
  /** Without leading dashes. */
  text: string;
  start: number;
  end: number;
  /** True for a command line flag: `--name`. */
  flag: boolean;
}

/** Returns the whole name around index `at`; undefined if it is too long for a name. */
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
  // A single dash at the start of a line marks a removed line in a diff.
  const flag = /(?:^|[\s"'`([|=,;])--$|[ "']-$/.test(charsBefore(text, start, 3));
  return { text: text.slice(start, end), start, end, flag };
}

/** Returns the length of the end of an escape (`\n`, `\u001b`, a color code) that looks like part of the name. */
function escapeLength(text: string, start: number): number {
  const before = text[start - 1];
  if (before === "\\") return /^(?:u[0-9a-fA-F]{4}|[nrtbfv])/.exec(text.slice(start, start + 8))?.[0].length ?? 0;
  if (before === "[" || before === ";") return /^\d{0,3}m/.exec(text.slice(start, start + 8))?.[0].length ?? 0;
  return 0;
}

export interface Assigned extends Span {
  context: ValueContext;
  /** True if the end of the value was cut off. */
  cut: boolean;
}

/** Returns a complete value. */
const complete = ({ start, end }: Span, context: ValueContext): Assigned => ({ start, end, context, cut: false });

const TYPED =
  /[?!]?[ \t]?:[ \t]?&?[A-Za-z][\w<>[\]|. ]{0,40}?=[ \t]{0,20}(?:[A-Z]\w{1,20}(?:::from)?\()?(?=[bB]?["'`])/y;
/** Color codes of a terminal, raw or escaped. */
const COLOUR = String.raw`(?:(?:\u001b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,12}m){0,3}`;
const SIGN = String.raw`(?<sign>:=|=>|\|\|=?|\?\?=?|\?=|=(?![=~>])|={2,3}(?= ?["'])|:(?!:|\/\/)|::(?=[ \t])|[：＝]|%3[ADad])`;
const OPERATOR = new RegExp(
  String.raw`(?:(?<close>\\{0,127}["'\x60]|\\{1,127}u002[27]|&(?:quot|#34|#39|apos);|%22)\]?)?[?!]??(?:,[ \t]?(?:_|err|ok)(?=[ \t]{0,4}:?=))?(?: ?\[[^\]\n]{0,20}\])?${COLOUR}(?<before>[ \t]{0,20})${SIGN}(?<after>[ \t]{0,20})(?:!(?:!str|!binary|unsafe|sensitive)[ \t]{1,4})?(?:(?:\*\*|__)[ \t]{1,4})?${COLOUR}[ \t]{0,4}(?:\([\w *]{2,40}\*\)[ \t]?(?="))?(?<call>(?:new[ \t])?(?:[\w.:]{1,40}|\[\]byte)?\([ \t\r\n]{0,24}(?=[bBrfu]?\\{0,7}["'\x60]))?`,
  "y",
);
const PAIR =
  /(?:\\{0,127}["'])?(?:[,;]|\s|\\{1,127}[nrt]){1,40}(?:\\{0,127}["'])?(?:parameter|option_)?value(?:\\{0,127}["'])?[ \t]{0,4}[:=][ \t]{0,4}/iy;
const PAIR_NAME = /(?:name|key)(?:\\{0,7}["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,7}["'])?$/i;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Returns the value assigned to `name`, if one follows it. */
export function valueOf(scan: ScanText, name: Name): Assigned | undefined {
  const value = firstValueOf(scan, name);
  if (value?.context !== "quoted" || !/,[ \t]?$/.test(charsBefore(scan.text, name.start, 2))) return value;
  // `user, password = "ann", "…"`: each name has its own value.
  const before = NAMES_BEFORE.exec(charsBefore(scan.text, name.start, 120))?.[1] ?? "";
  let at = value.end + 1;
  let own: Assigned | undefined = value;
  for (let count = before.split(",").length - 1; count > 0 && own?.context === "quoted"; count--) {
    const next = matchAt(NEXT_VALUE, scan.text, at);
    if (next === null) return count === before.split(",").length - 1 ? value : undefined;
    own = valueAt(scan, at + next[0].length, "loose");
    at = (own?.end ?? at) + 1;
  }
  return own;
}

const NAMES_BEFORE =
  /(?:^|[\n;])[ \t]{0,20}(?:(?:const|let|var|local|my)[ \t]\(?)?((?:[A-Za-z_][\w.]{0,40}[ \t]?,[ \t]?){1,3})$/;
const NEXT_VALUE = /[ \t]{0,4},[ \t]{0,4}(?=["'`])/y;

function firstValueOf(scan: ScanText, name: Name): Assigned | undefined {
  const { text } = scan;
  const { start, end, flag } = name;
  if (text[end] === ">" && /<(?:\w{1,20}:)?$/.test(charsBefore(text, start, 22))) return elementText(scan, end + 1);
  if (flag && text[end] === " ") return flagValue(scan, end + 1);
  const item = flag ? matchAt(NEXT_ITEM, text, end) : null;
  if (item !== null) return flagValue(scan, end + item[0].length);
  const typed = matchAt(TYPED, text, end);
  if (typed !== null) return valueAt(scan, end + typed[0].length, "loose");
  const pair = matchAt(PAIR, text, end);
  if (pair !== null && PAIR_NAME.test(charsBefore(text, start, 16))) {
    return valueAt(scan, end + pair[0].length, "line");
  }
  const operator = matchAt(OPERATOR, text, end);
  return operator === null ? undefined : valueAfter(scan, name, operator);
}

/** Separator between an option and its value in a list of arguments. */
const NEXT_ITEM =
  /\\{0,127}["'](?:[ \t\n]{0,20},[ \t\n]{0,40}|\)\.arg\()(?=\\{0,127}["'])|[ \t]{0,8}\r?\n[ \t]{0,40}-[ \t]{1,8}(?=\S)/y;

/** Returns the value after a flag. A plain word counts only before another flag; in prose it is not a value. */
function flagValue(scan: ScanText, at: number): Assigned | undefined {
  if (scan.text[at] === "-") return undefined;
  const value = valueAt(scan, at, "declared");
  if (value === undefined || value.context === "quoted") return value;
  const isSure =
    /[^A-Za-z]/.test(scan.text.slice(value.start, value.end)) ||
    /^[ \t]{1,4}-{1,2}[a-z]/i.test(scan.text.slice(value.end, value.end + 8));
  return isSure ? value : undefined;
}

/** Values that end with a sign instead of a space, after the name and the sign that they need. */
const ENCLOSED: readonly { before: RegExp; value: RegExp; context: ValueContext }[] = [
  // Default of a variable: `${NAME:v}`, `${NAME:-v}`
  { before: /^\$\{:$/, value: /-?(?<secret>(?![?+=])[^\s{}"'`\\$]{4,128})(?=\})/dy, context: "declared" },
  // ODBC: `;PWD={…}`
  { before: /;=$/, value: /\{(?<secret>[^\s{}"'`\\]{3,128})\}/dy, context: "declared" },
  // A map in Java: `{client_secret=[v]}`
  { before: /=$/, value: /\[(?<secret>[^\s[\]"'`\\,]{8,128})\]/dy, context: "line" },
  // A connection string: `;Password=two words;`
  {
    before: /;=$/,
    value: /(?<secret>[^\s;"'`\\{}$()]{2,64}(?: [^\s;"'`\\{}$()=]{1,64}){1,4})(?=;|["'][\s,;)])/dy,
    context: "declared",
  },
];

/** Default value, `process.env.SECRET || "…"`. Without quotes it is a variable. */
const FALLBACK = /^(?:\|\||\?\?)$/;

/** Calls that only convert a literal: `[]byte("…")`, `Buffer.from("…", "hex")`, `String::from("…")`. */
const CONVERSION =
  /^(?:\(|(?!.*get_?pass).*(?:byte|from|from_?hex|unhexlify|atob|decode\w{0,8}|encode|SecretStr|String|str|Secret|SecureString|Some|Password|bytes|parse)\()/i;

function valueAfter(scan: ScanText, name: Name, operator: RegExpExecArray): Assigned | undefined {
  const { close, before = "", sign = "", after = "", call = "" } = operator.groups ?? {};
  const at = name.end + operator[0].length;
  const tight = sign === "=" && before === "" && after === "";
  // Part of an address: `arn:aws:secretsmanager:eu-west-1:1:secret:name`.
  if (sign === ":" && after === "" && scan.text[name.start - 1] === ":") return undefined;
  const around = charsBefore(scan.text, name.start, 2) + (tight || sign === ":" ? sign : "");
  for (const { before: signs, value, context } of ENCLOSED) {
    const secret = signs.test(around) ? secretAt(value, scan.text, at) : undefined;
    if (secret !== undefined) return complete(secret, context);
  }
  const header = sign === ":" && name.text.includes("-");
  const value = valueAt(scan, at, header || (tight && isDeclaration(scan.text, name)) ? "declared" : "loose");
  if (value === undefined) return undefined;
  const literal = scan.text.slice(value.start, Math.min(value.end, value.start + 256));
  if (call !== "" && !(value.context === "quoted" && (CONVERSION.test(call) || isRandom(literal, 20))))
    return undefined;
  // psql's `PASSWORD :'variable'`; `pw == "v"`
  if (name.text === "PASSWORD" && sign === ":" && before !== "" && after === "") return undefined;
  if (sign.startsWith("==") && !(/pass|pwd|pw$/i.test(name.text) && isMadeUp(literal) && /\d/.test(literal)))
    return undefined;
  if (value.context === "quoted") {
    return value.cut && closesString(scan, at) ? undefined : value;
  }
  if (FALLBACK.test(sign)) return undefined;
  if (tight && /^&[\w.-]{1,40}=/.test(scan.text.slice(value.end, value.end + 42)))
    return { ...value, context: "declared" };
  // An unquoted value of a quoted name is a number, a variable or a keyword. Replacing it would break JSON.
  if (close !== undefined) return undefined;
  return value.context === "loose" ? { ...value, context: contextOf(scan.text, name, sign, after, value) } : value;
}

/** Returns the context of an unquoted value that may be code, by what is around it. */
function contextOf(text: string, name: Name, sign: string, after: string, { start, end }: Assigned): ValueContext {
  const own = text.slice(start, end);
  const isColon = /^(?:::?|[：＝]|%3a)$/i.test(sign);
  if (endsLine(text, end) && (isColon || !/^[A-Za-z_]\w*$/.test(own) || isInSection(text, name.start))) return "line";
  // `{ user: ann, password: blueWhale58 }` in YAML, `password: hunter2` in prose, `{Host:db Password:v}` in Go
  const isPair = sign === ":" && (after !== "" || /^(?: [A-Z]\w{1,30}:|\})/.test(text.slice(end, end + 34)));
  return isPair && UNLIKE_CODE.test(own.slice(0, 64)) ? "line" : "loose";
}

/** Unquoted value that is unlikely to be an identifier in code. */
export const UNLIKE_CODE =
  /^(?!(?:u?int|bytes|float|sha|utf|base|md|argon|latin|iso|vec|mat|string|varchar|char|arg|param)\d)[a-z]{3}[A-Za-z]*\d{1,6}$/i;

/** A user's name or address before the password of the same login: `"email": "ann@…", "`, `username=ann&`. */
const LOGIN_BEFORE =
  /(?:(?<address>e?-?mail)|user(?:[-_ ]?(?:name|id))?|login|usuario|benutzer(?:name)?)["'`]?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}(?<quote>["'`]?)(?<user>[\w.@+-]{2,64})["'`]?(?<sign>[,;&](?:\r?\n)?|[ \t]{0,4}\r?\n)[^\n()<>]{0,60}$/i;
/** `CREATE USER ann WITH PASSWORD '` */
const SQL_LOGIN =
  /\b(?:user|role|login)\s{1,8}\S{1,64}\s{1,8}(?:with\s{1,8})?(?:login\s{1,8})?(?:encrypted\s{1,8})?password\s{0,8}=?\s{0,8}'$/i;
/** Words in the place of a user's name: `username: string`. */
const NO_USER =
  /^(?:string|str|text|user(?:_?name)?|e?mail|login|required|optional|name|none|null|undefined|true|false)$/i;

/**
 * Returns true if a user's name or address stands beside the value: it is then the password of a real login, whatever it
 * looks like.
 */
export function belongsToLogin(text: string, { start, end, context }: Assigned): boolean {
  const before = charsBefore(text, start, 200);
  if (SQL_LOGIN.test(before)) return true;
  const { address, quote = "", user = "", sign = "" } = LOGIN_BEFORE.exec(before)?.groups ?? {};
  if (user === "" || NO_USER.test(user) || /[ \t]/.test(text.charAt(end))) return false;
  const isAddress = /@[\w-]+\.\w/.test(user);
  if (address !== undefined && !isAddress) return false;
  if (context === "quoted") return isAddress || quote !== "" || sign.includes("\n");
  return quote === "" && (isAddress || /[&;\n]/.test(sign)) && !/[()[\]{}$]/.test(text.slice(start, end));
}

const DECLARED_BEFORE =
  /(?:^|[\n\r?&;"'+|>]|\\[nrt]|(?:^|\s)(?:export|set|setx|env|ENV|ARG|-e|--env|--set(?:-string)?|-D|-P))[ \t]{0,8}-{0,2}[DP]?$/;

/** Returns true if `name=` is an environment variable, a flag, a query parameter or at the start of a line. */
function isDeclaration(text: string, { text: name, start, flag }: Name): boolean {
  if (flag || (name === name.toUpperCase() && /[A-Z]{3}/.test(name))) return true;
  if (start === 0 || DECLARED_BEFORE.test(charsBefore(text, start, 16))) return true;
  return followsParameter(text, start);
}

/** Returns true after another parameter of the same line: `username=ann password=…`, `user=ann,pass=…`. */
function followsParameter(text: string, start: number): boolean {
  const near = charsBefore(text, start, 128);
  if (near.endsWith(","))
    return /(?:^|\s)(?:[\w.-]{1,40}(?:=[^\s,;(){}"'`]{1,80})?,){0,8}[\w.-]{1,40}=[^\s,;(){}"'`]{1,80},$/.test(near);
  const before = /[ \t]/.test(near.at(-1) ?? "") ? (near.trimEnd().split(/\s/).at(-1) ?? "") : "";
  const word = before.replace(/^["'`]/, "");
  return /[=/@]\S/.test(word) && !/[,;(){}"'`]/.test(word);
}

/** Returns true if only settings and comments are between a `[section]` of an INI file and `at`. */
function isInSection(text: string, at: number): boolean {
  const near = charsBefore(text, at, 400);
  const lines = near.split("\n");
  const section = lines.findLastIndex((line) => /^[ \t+-]{0,4}\[[\w .:"@/-]{1,60}\][ \t\r]{0,4}$/.test(line));
  return (
    section >= 0 &&
    lines.slice(section + 1).every((line) => /^[\s+-]{0,40}(?:$|[#;]|[\w.-]{1,60}[ \t]{0,20}[=:])/.test(line))
  );
}

const endsLine = (text: string, at: number): boolean =>
  /^[ \t]{0,8}(?:$|[\r\n]|\\+[nr]|#|[;][ \t])/.test(text.slice(at, at + 12));

const CDATA = "<![CDATA[";

/** `<name>value</name>` */
function elementText(scan: ScanText, from: number): Assigned | undefined {
  const isRaw = scan.text.startsWith(CDATA, from);
  const at = isRaw ? from + CDATA.length : from;
  const raw = isRaw ? scan.text.slice(at, at + 400).indexOf("]]>") : -1;
  if (raw >= 0) return complete({ start: at, end: at + raw }, "quoted");
  const end = scan.text.indexOf("<", at);
  if (end < 0 || end - at > 400 || scan.text[end + 1] !== "/") return undefined;
  // A quote may end the string that contains the element.
  if (/["\\]/.test(scan.text.slice(at, end))) return undefined;
  return complete({ start: at, end }, "quoted");
}

/** Quotes written as HTML entities, URL escapes or JSON escapes. */
const QUOTE_ENTITY = /&(?:quot|#34|#39|apos);|%22|\\{1,127}u002[27]/y;
const MAX_ENTITY_VALUE = 400;

/** Returns the value at `at`, quoted or not. */
export function valueAt(scan: ScanText, at: number, context: ValueContext): Assigned | undefined {
  const quoted = quotedAt(scan, at);
  if (quoted !== undefined) {
    return { start: quoted.start, end: quoted.end, context: "quoted", cut: quoted.open };
  }
  const { text } = scan;
  const entity = matchAt(QUOTE_ENTITY, text, at)?.[0];
  if (entity !== undefined) {
    const end = text.slice(at, at + MAX_ENTITY_VALUE).indexOf(entity, 1);
    return end < 0 || /["\n]/.test(text.slice(at, at + end))
      ? undefined
      : complete({ start: at + entity.length, end: at + end }, "quoted");
  }
  const runEnd = scan.runEnd(BARE, at);
  if (runEnd === at) return undefined;
  if (runEnd - at > LONG_VALUE) return complete({ start: at, end: runEnd }, context);
  const marker = scan.cutMarkerIn(at, runEnd);
  const end = marker ?? at + bareLength(text.slice(at, runEnd));
  return { start: at, end, context, cut: marker !== undefined || scan.isCutAt(end) };
}

/** Returns the length of an unquoted value without a next parameter, closing bracket or comma after it. */
function bareLength(value: string): number {
  const next = value.search(/[;&,](?=[A-Za-z_][\w.-]{0,80}=)/);
  const own = (next < 0 ? value : value.slice(0, next)).split(/%26(?=[\w.-]{1,80}%3d)/i, 1)[0] ?? "";
  const trimmed = withoutEnd(own, ";,&|");
  return /[([{]/.test(trimmed) ? trimmed.length : withoutEnd(trimmed, ")]}").length;
}

/** Removes the characters of `chars` from the end. */
export function withoutEnd(value: string, chars: string): string {
  let end = value.length;
  while (end > 0 && chars.includes(value.charAt(end - 1))) end--;
  return value.slice(0, end);
}

/** Returns the rest of a header's line, up to the quote that encloses the header. */
export function headerValueAt(scan: ScanText, at: number): { start: number; end: number } {
  const quoted = quotedAt(scan, at);
  if (quoted !== undefined) return quoted;
  return { start: at, end: Math.min(scan.runEnd(HEADER, at), at + MAX_VALUE) };
}
