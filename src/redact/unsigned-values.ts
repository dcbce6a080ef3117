/** Values that stand after a sensitive name without `=` or `:` between them. */
import { type Assigned, type Name, valueAt } from "./assignment-syntax.ts";
import type { NameFamily } from "./names.ts";
import type { ScanText } from "./scan-text.ts";
import { isRandom } from "./randomness.ts";

/** Next to a name that only stands near, a value of this length must look random. */
const RANDOM_MIN = 20;

export function valueWithoutSign(scan: ScanText, name: Name, family: NameFamily): Assigned | undefined {
  return (
    defaultValue(scan, name, family) ??
    (family === "password" ? placedPassword(scan, name) : undefined) ??
    spokenValue(scan, name, family) ??
    nextColumn(scan, name)
  );
}

function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const DEFAULT = /\\*["'][ \t]{0,2},[ \t]{0,2}(?:default[ \t]?[=:][ \t]?)?(?=\\*["'])/y;
const WITH_DEFAULT: ReadonlySet<NameFamily> = new Set(["password", "secret", "token", "api-key"]);

/** `getenv("SECRET_KEY", "…")` */
function defaultValue(scan: ScanText, { start, end }: Name, family: NameFamily): Assigned | undefined {
  const { text } = scan;
  if (!WITH_DEFAULT.has(family) || !/\([ \t]?\\*["']$/.test(text.slice(Math.max(0, start - 8), start))) {
    return undefined;
  }
  const at = after(DEFAULT, text, end);
  return at === undefined ? undefined : valueAt(scan, at, "loose");
}

const SQL = /[ \t]{1,4}(?=\\*')/y;
const NETRC_BEFORE = /\blogin[ \t\r\n]+\S{1,100}[ \t\r\n]+$/;

/** `PASSWORD '…'` of SQL, `login … password …` of a .netrc file. */
function placedPassword(scan: ScanText, { text: name, start, end }: Name): Assigned | undefined {
  const { text } = scan;
  const sql = /^password$/i.test(name) ? after(SQL, text, end) : undefined;
  if (sql !== undefined) return valueAt(scan, sql, "loose");
  const inNetrc = /[ \t]/.test(text[end] ?? "") && NETRC_BEFORE.test(text.slice(Math.max(0, start - 160), start));
  return inNetrc ? valueAt(scan, end + 1, "declared") : undefined;
}

const SPOKEN = /["'`]?[ \t]is:?[ \t]{1,2}/iy;

/** `the password is …`; of a key or a token only if what follows is random. */
function spokenValue(scan: ScanText, { end }: Name, family: NameFamily): Assigned | undefined {
  const at = after(SPOKEN, scan.text, end);
  const value = at === undefined ? undefined : valueAt(scan, at, "loose");
  if (value === undefined || value.context === "quoted") return value;
  const sentence = { ...value, end: scan.text[value.end - 1] === "." ? value.end - 1 : value.end };
  return family === "password" || isRandomIn(scan, sentence) ? sentence : undefined;
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
