/** Values that stand after a sensitive name without `=` or `:` between them. */
import { type Assigned, type Name, valueAt } from "./assignment-syntax.ts";
import type { NameFamily } from "./names.ts";
import type { ScanText } from "./scan-text.ts";
import { isRandom, isRandomLetters } from "./randomness.ts";

/** Next to a name that only stands near, a value of this length must look random. */
const RANDOM_MIN = 20;

export function valueWithoutSign(scan: ScanText, name: Name, family: NameFamily): Assigned | undefined {
  return (
    defaultValue(scan, name, family) ??
    (family === "password" ? placedPassword(scan, name) : undefined) ??
    spokenValue(scan, name, family) ??
    nextColumn(scan, name) ??
    joinedValue(scan, name)
  );
}

function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const DEFAULT = /\\{0,63}["'][ \t]{0,2},[ \t]{0,20}(?:default[ \t]?[=:][ \t]?)?(?=\\{0,63}["'])/y;
const WITH_DEFAULT: ReadonlySet<NameFamily> = new Set(["password", "secret", "token", "api-key"]);

/** `getenv("SECRET_KEY", "…")` */
function defaultValue(scan: ScanText, { start, end }: Name, family: NameFamily): Assigned | undefined {
  const { text } = scan;
  if (!WITH_DEFAULT.has(family) || !/\([ \t]?\\{0,7}["']$/.test(text.slice(Math.max(0, start - 8), start))) {
    return undefined;
  }
  const at = after(DEFAULT, text, end);
  return at === undefined ? undefined : valueAt(scan, at, "loose");
}

const SQL = /[ \t]{1,4}(?=\\{0,127}')/y;
/** Whether `login`, a name and a space stand directly before `at`. */
const followsLogin = (text: string, at: number): boolean =>
  /\blogin$/.test(
    text
      .slice(Math.max(0, at - 160), at)
      .split(/[ \t\r\n]+/)
      .at(-3) ?? "",
  ) && /\s/.test(text.charAt(at - 1));

/** `PASSWORD '…'` of SQL, `login … password …` of a .netrc file. */
function placedPassword(scan: ScanText, { text: name, start, end }: Name): Assigned | undefined {
  const { text } = scan;
  const sql = /^password$/i.test(name) ? after(SQL, text, end) : undefined;
  if (sql !== undefined) return valueAt(scan, sql, "loose");
  const inNetrc = /[ \t]/.test(text[end] ?? "") && followsLogin(text, start);
  return inNetrc ? valueAt(scan, end + 1, "declared") : undefined;
}

const SPOKEN =
  /["'`]?[ \t](?:is|ist|lautet|war|[eéè]|es|est|är|er|je|là):?[ \t]{1,2}(?:(?:now|jetzt|currently|still)[ \t])?/iy;

/** `the password is …`; of a key or a token only if what follows is random. */
export function spokenValue(scan: ScanText, { end }: Name, family: NameFamily): Assigned | undefined {
  const at = after(SPOKEN, scan.text, end);
  const value = at === undefined ? undefined : valueAt(scan, at, "loose");
  if (value === undefined || value.context === "quoted") return value;
  const sentence = { ...value, end: scan.text[value.end - 1] === "." ? value.end - 1 : value.end };
  const text = scan.text.slice(sentence.start, Math.min(sentence.end, sentence.start + 200));
  if (family !== "password") return isRandom(text, RANDOM_MIN) ? sentence : undefined;
  return isMadeUp(text) ? { ...sentence, context: "line" } : undefined;
}

const COLUMN = /[ \t]{1,40}(?:\|[ \t]{0,40})?(?=[A-Za-z0-9])/y;

/** A name with an underscore and a random value in the next column: `aws configure set`, fish's `set -x`, tables. */
function nextColumn(scan: ScanText, { text: name, end }: Name): Assigned | undefined {
  const at = name.includes("_") ? after(COLUMN, scan.text, end) : undefined;
  const value = at === undefined ? undefined : valueAt(scan, at, "loose");
  return value !== undefined && isRandomIn(scan, value) ? value : undefined;
}

const isRandomIn = (scan: ScanText, { start, end }: Assigned): boolean =>
  isRandom(scan.text.slice(start, Math.min(end, start + 200)), RANDOM_MIN);

/** What stands between a sensitive name and its value in markup, code, tables and prose. */
interface Joint {
  /** In the last 48 characters before the name. */
  before?: RegExp;
  /** Sticky, after the name. */
  after: RegExp;
  /** `loose` unless the form leaves no doubt. */
  context?: "line";
  quotedOnly?: boolean;
  /** A sentence, where a word with digits at its end is no variable. */
  prose?: boolean;
}

const joints: readonly Joint[] = [
  // `**NAME**: v`, "`NAME`: `v`"
  { after: /(?:\*\*|__|`){1,2}[ \t]{0,4}[:=：][ \t*]{1,6}(?=\S)/y, context: "line" },
  // R, Go, Rust, C++, PHP
  {
    after:
      /(?:[ \t]?<-[ \t]?|[ \t][Ss]tring[ \t]?=[ \t]?|(?::[ \t]?[\w&' ]{1,24})?[ \t]?=[ \t]?(?:String::from|Secret(?:String|Str)?(?:::new|::from)?|Buffer\.from|bytes|str)\(|\\{0,63}["']?\]?[ \t]{0,2}=>[ \t\n]{0,8}string\(\d{1,4}\)[ \t]|\{|[ \t]<\w{1,12}>[ \t]?=[ \t]?)(?=\\{0,63}["'])/y,
    quotedOnly: true,
  },
  // `getenv("NAME") or "v"`, `env::var("NAME").unwrap_or("v")`
  {
    after:
      /\\{0,63}["'][)\]]{1,2}(?:[ \t](?:or|\|\||\?\?|\?:)[ \t]|\.(?:unwrap_or|unwrap_or_else|or_else|orElse|getOrElse)\((?:\|\w?\|[ \t]?)?)(?=\\{0,63}["'])/y,
    quotedOnly: true,
  },
  // A cookie jar.
  { before: /\t\d{1,12}\t$/, after: /\t/y },
  // `<td>NAME</td><td>v</td>`, `name="NAME">v<`, `NAME:</b> v`, `NAME: <code>v`
  {
    after:
      /:?(?:\\{0,63}["'][^<>\n]{0,60}(?<![%=/-])>|[ ][\w:]{1,20}=[^<>\n]{1,60}>|:?[ \t\r\n]{0,12}<\/?[A-Za-z][^<>\n]{0,40}>)(?:[ \t\r\n]{0,12}<\/?[A-Za-z][^<>\n]{0,40}>){0,4}[ \t]{0,4}(?=[^<\s])/y,
  },
  {
    before: /(?:name|id|type)=\\{0,63}["'][\w-]{0,20}$/,
    after: /\\{0,63}["'][^<>\n]{0,60}\bvalue=(?=\\{0,63}["'])/y,
  },
  // `fill('#NAME', 'v')`, `send_keys` after a selector with the name
  { before: /\([^()\n]{0,40}["'][^()\s]{0,40}$/, after: /["'\]]{1,4},[ \t]{0,4}(?=\\{0,63}["'])/y, quotedOnly: true },
  {
    after:
      /["'\]]{0,4}\)\.(?:clear\(\)\.)?(?:fill|type|send_?keys|press_?sequentially|set_?value|input)\([ \t]{0,2}(?=\\{0,63}["'])/iy,
    quotedOnly: true,
  },
  // `#define NAME "v"`, `@name "v"`, `:name "v"`, `try password "v"`
  { before: /(?:^|[\s:({[@])$/, after: /[ \t]{1,8}(?=\\{0,63}["'`])/y, quotedOnly: true },
  // `NAME { get; set; } = "v"`
  {
    after:
      /[ \t]?\{(?:[ \t]?(?:public|private|protected|internal|get|set|init);?){1,6}[ \t]?\}[ \t]{0,4}=[ \t]{0,4}(?=[@$]?")/y,
    quotedOnly: true,
  },
  // `variable "NAME" { … default = "v" }`
  {
    before: /variable[ \t]{1,4}\\{0,7}"$/,
    after: /\\{0,63}"[ \t]{0,4}\{[^{}]{0,300}?\bdefault[ \t]{0,12}=[ \t]{0,4}(?=\\{0,63}")/y,
    quotedOnly: true,
  },
  // YAML: the value on the next line; JSON: in a list
  { after: /:[ \t]{0,4}(?:[|>][+-]?)?[ \t]{0,4}\r?\n[ \t]{1,40}(?:-[ \t]{1,4})?(?=[^\s#-])/y },
  { after: /\\{0,63}["']?[ \t]{0,2}:[ \t]{0,2}\[[ \t\n]{0,8}(?=\\{0,63}["'])/y, quotedOnly: true },
  // A directive on a line of its own, and `NAME - v`
  {
    before: /(?:^|\n)[ \t]{0,20}$/,
    after: /[ \t](?=\S{6,64}[ \t]{0,4}(?:[;}\r\n]|$))/y,
    prose: true,
  },
  { after: /[ \t][-–—][ \t](?=\S)/y, prose: true },
  // `&lt;NAME&gt;v&lt;`
  { before: /&lt;$/, after: /&gt;(?=[^\s&])/y },
  // `[NAME] => v` of PHP, `= PASSWORD('v')` of SQL
  { after: /\][ \t]{0,2}=>[ \t]{0,2}/y, context: "line" },
  { before: /=[ \t]{0,2}$/, after: /\(\\{0,63}(?=')/y, quotedOnly: true },
  // A part of a form: the value after an empty line
  { before: /name=\\{0,63}["']$/, after: /\\{0,63}["'](?:;[^\n]{0,60})?(?:(?:\\r)?\\n|\r?\n){2}/y, context: "line" },
  { after: /[ \t]{0,4}(?:->|→)[ \t]{0,4}/y },
  // Columns
  {
    before: /(?:^|[\n|])[ \t+-]{0,20}(?:[A-Z][A-Za-z]{1,16}[ \t]){0,2}$/,
    after: /(?:[ \t]{2,40}|\t|[ \t]{0,20}\|[ \t]{0,20})`?(?=[A-Za-z0-9])/y,
  },
  // `password for the admin panel is v`, `token (staging): v`, `Key 1: v`, `password set to v`, `the password (v)`, `with password v`
  {
    after:
      /(?:[ \t](?:for|of|on|in|to|at|from|auf|für|von|vom|del|della|do|da|de)[ \t][^\s:=(]{1,60}(?:[ \t][^\s:=(]{1,40}){0,5}?)?(?:[ \t](?:\([^()\n]{1,60}\)|#?\d{1,3}))?(?:[ \t]?:[ \t]{1,2}|[ \t](?:is|was|ist|lautet|es|è|é)(?:[ \t]now)?:?[ \t])/y,
    prose: true,
  },
  {
    after:
      /[ \t](?:(?:is|was|has been|will be)[ \t])?(?:now|(?:re)?set to|changed to|updated to|generated for [\w@.-]{1,60}:|to|was|will be|is (?:now|still))[ \t](?=\S)/y,
    prose: true,
  },
  { after: /[ \t]\((?=[^\s()]{5,64}\))/y },
  {
    before: /\b(?:with|the|use|using|and|type|enter)[ \t](?:\w{1,12}[ \t])?$/i,
    after: /[ \t](?=[^\s]{6,64}(?:[ \t](?:to|for|on|and|at)\b|[.,]?$|[.,]?\s))/y,
    prose: true,
  },
];

function joinedValue(scan: ScanText, { start, end }: Name): Assigned | undefined {
  const before = scan.text.slice(Math.max(0, start - 48), start);
  for (const joint of joints) {
    const at = after(joint.after, scan.text, end);
    if (at === undefined || joint.before?.test(before) === false) continue;
    const value = valueAt(scan, at, joint.context ?? "loose");
    if (value === undefined || (joint.quotedOnly === true && value.context !== "quoted")) continue;
    const text = scan.text.slice(value.start, Math.min(value.end, value.start + 256));
    const isEnough = joint.prose === true || value.context === "quoted" ? isMadeUp : isStrong;
    if (joint.context === undefined && !isEnough(text)) continue;
    const context = joint.prose === true && value.context === "loose" ? "line" : value.context;
    return {
      ...value,
      context,
      end: /[^.][.,;]$/.test(text) && value.context !== "quoted" ? value.end - 1 : value.end,
    };
  }
  return undefined;
}

/** `summerRiver42`, `elephant77!`: no word, though it might be an identifier in code. */
export const isMadeUp = (value: string): boolean =>
  isStrong(value) ||
  (/^[A-Za-z][A-Za-z_.+*-]{4,40}\d{1,4}[.,;]?$/.test(value) && /[A-Z_*+-]|\d\d/.test(value) && value.length >= 8);

/** Where only the place speaks for it, a value must not look like a word, an identifier, a version or a size. */
export const isStrong = (value: string): boolean =>
  value.length >= 6 &&
  /[A-Za-z]/.test(value) &&
  (/[\d!@#$%^&*]/.test(value) || isRandomLetters(value, 12)) &&
  !/\s|[()[\]{}<>]/.test(value) &&
  !/^(?:[A-Za-z_.-]+\d{0,2}|v?[\d.:/-]+[a-z]{0,3})[.,:;]?$/.test(
    value.replace(/[.,:;]$/, "").concat(isRandomLetters(value, 12) ? "#" : ""),
  );
