/** Finds secrets in tables, by the name of their column: Markdown, psql, CSV, TSV and `INSERT INTO`. */
import { type Name } from "./assignment-syntax.ts";
import { type Finding, firstFound, secretAt } from "./finding.ts";
import { familyOf, isForeignName, type NameFamily } from "./names.ts";
import { isStandIn } from "./placeholders.ts";
import { charsBefore, matchEnd, type ScanText } from "./scan-text.ts";
import { isMadeUp } from "./randomness.ts";
import { isLoginPassword, isSecretValue } from "./values.ts";

const MAX_LINE = 400;
/** Hosts cut off the output of tools before that. */
const MAX_ROWS = 2000;
/** A header: only names and separators. */
const HEADER = /^(?!.*\b(?:true|false)\b)[\p{L}\w"'`*. |,;\t()\\-]{3,}$/u;
/** Column whose values belong to one login each. */
const LOGIN_COLUMN =
  /^(?:(?:db_?|smtp_|ftp_)?(?:user|usr|login|account|konto|benutzer|usuario|usuário|utilisateur|utente)(?:_?(?:name|id|e?mail|s))?|e[-_]?mail(?:_address)?|nutzername|identifiant|hostname|host|server|device|gerät|system|service|dienst|site|ip(?:_address)?|ssid)$/i;
/** Columns that only spaces separate. */
const SPACES = "  ";
const SPACED_CELL = /\S+(?: \S+)*/g;
const FRAME = " \t\r\"'`*\\";
/** Number of a line in a view of a file. */
const LINE_NUMBER = /^[ \t]{0,8}\d{1,6}(?:\t|→|: )/;
/** Beginning of a line in a JSON string. */
const ESCAPED_START = /(?<!\\)"|\\n|\n/;
const RULER = /^[\s|:+─┼├┤┌┬┐└┴┘-]+$/;
const VALUES = /\)\s{0,20}values\s{0,20}\(/iy;
const NEXT_TUPLE = /\)\s{0,20},\s{0,20}\(/y;
/** Dump of PostgreSQL: columns are separated by tabs. */
const COPIED = /\)\s{0,4}from\sstdin[^\n]{0,40};\r?\n/iy;

/** Row separated by commas only. A list in code would have spaces, brackets or a comma at its end. */
const LISTED = /^[^\s,()[\]{}=;][^()[\]{}=;]*[^\s,]\s*$/;

interface Cell {
  start: number;
  text: string;
}

/** Returns the cells of `line`, which starts at `from` in the text, without spaces, quotes and marks around them. */
function cellsOf(line: string, from: number, sign: string): Cell[] {
  if (sign === SPACES)
    return Array.from(line.matchAll(SPACED_CELL), ({ index, 0: text }) => ({ start: from + index, text }));
  const cells: Cell[] = [];
  let start = 0;
  for (const raw of line.split(sign)) {
    let first = 0;
    let end = raw.length;
    while (first < end && FRAME.includes(raw.charAt(first))) first++;
    while (end > first && FRAME.includes(raw.charAt(end - 1))) end--;
    cells.push({ start: from + start + first, text: raw.slice(first, end) });
    start += raw.length + 1;
  }
  return cells;
}

/** Name at the start of its line, and the value in the next column. */
const CHARS_OF_ROW_START = 60;
const ROW_START = /(?:^|\n)[ \t|│]{0,8}[\w.-]{0,40}$/;
const NEXT_COLUMN = /^[^\n]*?(?: {2}|[\t|│])/;
/** Header of a table of names and values: `NAME  TYPE  VALUE`, below a command or a line. */
const VALUES_HEADER =
  /^[ \t|│]{0,8}(?:#|id|name|key|variable|option|property|setting|parameter|field)(?![\w"':=])[^\n]{0,80}\b(?:value|setting)s?\b/i;
const LINES_ABOVE_TABLE = 3;
const ROW_VALUE =
  /[ \t]{0,80}(?: {2}|\t|[|│])[ \t]{0,80}(?<secret>[^\s|│]{1,64}(?: [^\s|│]{1,64}){0,2})[ \t|│]{0,80}(?:\r?\n|$)/dy;
/** Ruler below the names of columns, or above each record of psql. */
const RULED = /(?:^|\n)(?=[^\n]*(?:--|──|━━))[-+|─━┼├┤ \t]*(?:\[ RECORD \d+ \][-+]*)?\r?\n/;
const CHARS_OF_TABLE = 1500;

/** Finds the value in a table of names and values. */
function findInRow({ text }: ScanText, { start, end }: Name, family: NameFamily | undefined): readonly Finding[] {
  if (!NEXT_COLUMN.test(text.slice(end, end + CHARS_OF_ROW_START))) return [];
  if (!ROW_START.test(charsBefore(text, start, CHARS_OF_ROW_START))) return [];
  const before =
    charsBefore(text, start, CHARS_OF_TABLE)
      .split(/\n[ \t]*\r?\n/)
      .at(-1) ?? "";
  const header = before.split("\n", LINES_ABOVE_TABLE).find((line) => VALUES_HEADER.test(line));
  if (header !== undefined) return findBelowValues(text, start, header, family);
  if (!RULED.test(before)) return [];
  const cell = secretAt(ROW_VALUE, text, end);
  return cell === undefined ? [] : findInCell({ start: cell.start, text: cell.value }, family, true, true);
}

function findBelowValues(text: string, at: number, header: string, family: NameFamily | undefined): Finding[] {
  const from = text.lastIndexOf("\n", at) + 1;
  const [names = [], cells = []] = [header, text.slice(from, from + MAX_LINE).split("\n", 1)[0] ?? ""].map((line) => {
    const written = line.trimEnd().replaceAll("│", "|");
    return cellsOf(written, from, written.includes("|") ? "|" : SPACES);
  });
  const cell = cells[names.findLastIndex((name) => /value|setting/i.test(name.text))];
  return cell === undefined ? [] : findInCell(cell, family, true, true);
}

/** Finds the secrets in the table with the column or row `name`. Each header is examined once. */
export function findInTable(scan: ScanText, name: Name, family: NameFamily): readonly Finding[] {
  return firstFound([() => findInRow(scan, name, family), () => findInColumn(scan, name)]);
}

/** Length of the rest of a header's line. A `)` ends it too, unless it closes a unit: `size (MB)`. */
function headerLength(rest: string): number {
  for (const { index, 0: sign } of rest.matchAll(/[\r\n)]|\\(?:r\\)?n/g)) {
    if (sign !== ")" || !/\([^(),\n]{1,20}$/.test(rest.slice(Math.max(0, index - 21), index))) return index;
  }
  return rest.length;
}

function findInColumn(scan: ScanText, { start, end }: Name): readonly Finding[] {
  const { text } = scan;
  if (
    start < scan.seenTo.tables ||
    !/^\\{0,3}["'`*]{0,2}(?: [\w()]{1,12}){0,2}[ \t]{0,80}(?:[|│,;\t\r\n)]| {2}|(?:\\r)?\\n)/.test(
      text.slice(end, end + 84),
    )
  )
    return [];
  const near = charsBefore(text, start, MAX_LINE);
  const rest = text.slice(end, end + MAX_LINE);
  const to = end + headerLength(rest);
  const apart = text[to] === "\\" ? ESCAPED_START : text[to] === ")" ? /[\n(]/ : undefined;
  const lineChars =
    apart === undefined ? near.length - 1 - near.lastIndexOf("\n") : (near.split(apart).at(-1) ?? "").length;
  const lineStart = start - lineChars;
  const numbered = LINE_NUMBER.exec(text.slice(lineStart, start))?.[0].length ?? 0;
  const from = lineStart + numbered;
  scan.seenTo.tables = to;
  const written = text.slice(from, to).replaceAll("│", "|");
  // Wikis mark header cells this way.
  const isMarked = written.startsWith("||");
  const header = written.replaceAll("||", " |");
  const sign = ["|", "\t", ",", ";", SPACES].find((candidate) => header.trim().includes(candidate));
  if (sign === undefined || !HEADER.test(header) || /;\s*$/.test(header)) return [];
  const rowSign = matchEnd(COPIED, text, to) === undefined ? sign : "\t";
  const names = cellsOf(header, from, sign).map((cell) => cell.text.replace(/ ?\([^()]*\)$/, "").replaceAll(" ", "_"));
  const isLogin = names.some((name) => LOGIN_COLUMN.test(name));
  const rows = rowsBelow(text, to, { sign: rowSign, isNumbered: numbered > 0, isMarked: isMarked || isLogin });
  const last = rows.at(-1);
  if (last === undefined) return [];
  // Each row is read once, even if it looks like a header itself.
  scan.seenTo.tables = Math.max(to, last.start + last.text.length);
  // Words between bars may be code; with a line below the header they are a table.
  const isListed = sign === "|" ? isMarked || RULER.test(rows[0]?.text ?? "") : sign !== "\t" && sign !== SPACES;
  const columns = names.map((name) => (isForeignName(name.replaceAll("_", " ")) ? "password" : familyOf(name)));
  return rows.flatMap((row) => {
    const cells = cellsOf(row.text, row.start, rowSign);
    // The index of a data frame has no name.
    if (sign === SPACES && cells.length === columns.length + 1 && /^\d+$/.test(cells[0]?.text ?? "")) cells.shift();
    return cells.length === columns.length
      ? cells.flatMap((cell, i) => findInCell(cell, columns[i], isListed, isLogin))
      : [];
  });
}

/** Returns the rows of `VALUES (…), (…)`. */
function tuplesAt(text: string, at: number): Cell[] {
  const rows: Cell[] = [];
  let start = at;
  while (rows.length < MAX_ROWS) {
    const row = text.slice(start, start + MAX_LINE).split(")", 1)[0] ?? "";
    rows.push({ start, text: row });
    const next = matchEnd(NEXT_TUPLE, text, start + row.length);
    if (next === undefined) break;
    start = next;
  }
  return rows;
}

/** Returns the rows below the header that ends at `at`, or those of `VALUES (…)`. */
function rowsBelow(
  text: string,
  at: number,
  { sign, isNumbered, isMarked }: { sign: string; isNumbered: boolean; isMarked: boolean },
): Cell[] {
  const tuples = matchEnd(VALUES, text, at);
  if (tuples !== undefined) return tuplesAt(text, tuples);
  const copied = matchEnd(COPIED, text, at);
  const isCopied = copied !== undefined;
  const lineBreak = /^(?:\r?\n|(?:\\r)?\\n)/.exec(text.slice(at, at + 4))?.[0] ?? "";
  if (!isCopied && lineBreak === "") return [];
  const isEscaped = lineBreak.startsWith("\\");
  const rows: Cell[] = [];
  let start = copied ?? at + lineBreak.length;
  for (let count = 0; count < MAX_ROWS; count++) {
    if (isNumbered) start += LINE_NUMBER.exec(text.slice(start, start + 20))?.[0].length ?? 0;
    const line =
      text
        .slice(start, start + MAX_LINE)
        .split(isEscaped ? ESCAPED_START : "\n", 1)[0]
        ?.replaceAll("│", "|") ?? "";
    const isRow = isCopied
      ? line.includes("\t")
      : sign === "|"
        ? isMarked || count > 0 || RULER.test(line) || /^[^|\n]*[^|\s] +\| +[^|\s]/.test(line)
        : sign === SPACES ||
          (isMarked && line.includes(sign)) ||
          LISTED.test(sign === ";" ? line.replaceAll(/(?<=[^,;]);(?=[^,;])/g, ",") : line);
    if (line.trim() === "" || !isRow) break;
    rows.push({ start, text: line });
    start += line.length;
    if (isEscaped && !text.startsWith("\\n", start)) break;
    start += isEscaped ? 2 : 1;
  }
  return rows;
}

const FAMILIES: ReadonlySet<NameFamily | undefined> = new Set([
  "password",
  "passphrase",
  "secret",
  "signing",
  "token",
  "api-key",
]);

/** Returns true for anything that could be a password in a table of logins: not a mark, a number, a date or a hash. */
const isPassword = (text: string): boolean =>
  isLoginPassword(text) &&
  !isStandIn(text) &&
  /\p{L}/u.test(text) &&
  !/^\$\d?\w{0,8}\$|^[\da-f]{32,}$|^(?:(?:var|n)?char\w*(?: varying)?|uuid|bytea)(?:\(\d+\))?$|^(?:ok|set|disabled|unknown|hashed|active)$/i.test(
    text,
  );

const findInCell = (
  { start, text }: Cell,
  family: NameFamily | undefined,
  isListed: boolean,
  isLogin: boolean,
): Finding[] =>
  family !== undefined &&
  FAMILIES.has(family) &&
  ((family === "password" && isLogin && isPassword(text)) ||
    ((isMadeUp(text) || (family === "password" && isListed)) && isSecretValue(text, family, "quoted")))
    ? [{ start, end: start + text.length, kind: family === "signing" ? "secret" : family, byContext: true }]
    : [];
