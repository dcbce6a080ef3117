/** Finds secrets on command lines: in options, arguments and standard input, as listed in `command-table.ts`. */
import { charSet, inSet } from "./char-set.ts";
import { commandUsages } from "./command-table.ts";
import { findCookies } from "./credential-headers.ts";
import { type Finding, findingIf, NOTHING, secretAt, type Span } from "./finding.ts";
import { familyOf } from "./names.ts";
import { isStandIn, isThing } from "./placeholders.ts";
import { isChosen, isMadeUp, isRandom } from "./randomness.ts";
import { quotedAt } from "./quoting.ts";
import { charsBefore, matchEnd, type ScanText } from "./scan-text.ts";
import type { Rule } from "./trigger-index.ts";
import { isFingerprint, isSecretValue, isTypedPassword } from "./values.ts";

/** Argument without the quotes around it. In `-p"x"` the quote after the unquoted part is included. */
interface Word extends Span {
  /** Index after the closing quote. */
  next: number;
}

interface Command {
  words: Word[];
  /** Text after `<<<`, or the first line of a here-document. */
  input: Span | undefined;
}

const MAX_WORDS = 24;
/**
 * An unquoted word. It ends at a quote, an escaped quote and an escaped line break; a Windows share starts with
 * backslashes.
 */
const BARE_WORD =
  /(?:\\{2,4}[\w.-]{1,64}\\{1,2}[\w$.-]{1,64})?(?:[^\s"'`;|&<>()\\]|\\(?![nrt"'`\\\s])|\\\\(?![nrt"'`\\\s])){0,512}/y;
/** Spaces, and line breaks after a backslash. */
const BLANKS = /(?:[ \t]|\\\r?\n|\\{3}n){0,32}/y;
/** Text between two strings of JSON or code: the quote before it ended the command. */
const OUTSIDE = /^\s*(?:[,:}\])]|$)/;

function wordAt(scan: ScanText, at: number): Word | undefined {
  const bareEnd = matchEnd(BARE_WORD, scan.text, at) ?? at;
  const quote = quotedAt(scan, bareEnd);
  // An empty argument is one too; text like that between two strings is not.
  const isText =
    quote !== undefined &&
    ((quote.start === quote.end && !quote.open) ||
      !OUTSIDE.test(scan.text.slice(quote.start, Math.min(quote.end, quote.start + 8))));
  if (!isText) return bareEnd === at ? undefined : { start: at, end: bareEnd, next: bareEnd };
  let next = quote.end;
  while (scan.text[next] === "\\") next++;
  // If the closing quote is missing, the argument ends with the text.
  const start = bareEnd > at ? at : quote.start;
  return { start, end: quote.end, next: Math.min(next + 1, scan.text.length) };
}

/** Separator between the items of a list in code, JSON or YAML: `", "`, `").arg("`, `", ["`, a line with a dash. */
const NEXT_ITEM =
  /\\{0,7}["'](?:\s|\\{1,4}n|[,[\](){}&]|\.args?(?=\()|vec!){1,40}|[ \t]{0,8}\r?\n[ \t]{0,40}-[ \t]{1,8}/y;
/** Item that is no literal: a variable, a field, a call. */
const EXPRESSION = /[\w.$]{1,64}(?:\([^()\n]{0,64}\))?[ \t]{0,4},[ \t\n]{0,40}/y;

/** Reads the items after the program in a list: `["mysql", "-pX"]`, `exec.Command("redis-cli", "-a", "X")`. */
function readList(scan: ScanText, at: number): Command | undefined {
  const { text } = scan;
  const command: Command = { words: [], input: undefined };
  const isYaml = /[\r\n]/.test(text.charAt(at));
  let next = at;
  for (let count = 0; count < MAX_WORDS; count++) {
    const start = matchEnd(NEXT_ITEM, text, next);
    if (start === undefined) break;
    next = start;
    for (let end = matchEnd(EXPRESSION, text, next); end !== undefined; end = matchEnd(EXPRESSION, text, next)) {
      command.words.push({ start: next, end: next, next });
      next = end;
    }
    const quote = quotedAt(scan, next);
    // One string contains several arguments.
    if (quote !== undefined && /^[-/]\S{1,40} /.test(text.slice(quote.start, Math.min(quote.end, quote.start + 48)))) {
      const { words } = readCommand(scan, quote.start);
      return { words: [...command.words, ...words], input: undefined };
    }
    // Only YAML has literals without quotes.
    const item = quote ?? (isYaml ? wordAt(scan, next) : undefined);
    if (item === undefined) break;
    command.words.push({ start: item.start, end: item.end, next: item.end });
    next = item.end;
  }
  return command.words.length > 0 ? command : undefined;
}

const HERE_DOCUMENT = /<<[-~]?[ \t]?\\{0,3}["']?(?<word>[A-Za-z_]\w{0,30})\\{0,3}["']?/dy;
const LINE_END = /\r?\n|\\{1,3}n/;
const MAX_LINE = 400;

/** Returns the first line of the here-document that starts at `at`, and where the command continues. */
function hereDocument(text: string, at: number): { input: Span; end: number } | undefined {
  const end = matchEnd(HERE_DOCUMENT, text, at);
  if (end === undefined) return undefined;
  const lineEnd = LINE_END.exec(text.slice(end, end + MAX_LINE));
  if (lineEnd === null) return undefined;
  const start = end + lineEnd.index + lineEnd[0].length;
  const line = text.slice(start, start + MAX_LINE);
  return { input: { start, end: start + (LINE_END.exec(line)?.index ?? line.length) }, end };
}

/** Returns the arguments from `at` to the end of the command. */
function readCommand(scan: ScanText, at: number): Command {
  const { text } = scan;
  const command: Command = { words: [], input: undefined };
  let next = at;
  for (let count = 0; count < MAX_WORDS; count++) {
    next = matchEnd(BLANKS, text, next) ?? next;
    const isInput = text.startsWith("<<<", next);
    const document = isInput || !text.startsWith("<<", next) ? undefined : hereDocument(text, next);
    if (document !== undefined) {
      command.input = document.input;
      next = document.end;
      continue;
    }
    if (isInput) next = matchEnd(BLANKS, text, next + 3) ?? next;
    const word = wordAt(scan, next);
    if (word === undefined) break;
    if (isInput) command.input = word;
    else command.words.push(word);
    next = word.next;
  }
  return command;
}

const PIPE_CHARS = 300;

/** Returns the last argument of the `echo` or `printf` that is piped into the command at `at`. */
function pipedInto(scan: ScanText, at: number): Span | undefined {
  const { text } = scan;
  const from = Math.max(0, at - PIPE_CHARS);
  const near = text.slice(from, at);
  const pipe = near.lastIndexOf("|");
  if (pipe < 0 || !/^\|[ \t]{0,8}(?:[\w./-]{1,40}[ \t]{1,4}){0,4}$/.test(near.slice(pipe))) return undefined;
  const cat = near.lastIndexOf("<<", pipe);
  if (cat > 0 && near[cat - 1] !== "<" && /\bcat[ \t]{1,4}$/.test(near.slice(Math.max(0, cat - 12), cat))) {
    return hereDocument(text, from + cat)?.input;
  }
  const hereString = near.lastIndexOf("cat <<<", pipe);
  if (hereString >= 0) return readCommand(scan, from + hereString + 3).input;
  const before = Math.max(
    near.lastIndexOf("echo ", pipe),
    near.lastIndexOf("printf ", pipe),
    near.lastIndexOf("yes ", pipe),
  );
  if (before < 0) return undefined;
  const { words } = readCommand(scan, from + near.indexOf(" ", before));
  const last = words.at(-1);
  if (last === undefined || matchEnd(BLANKS, text, last.next) !== from + pipe) return undefined;
  const lineBreak = /(?:\\{1,2}n)$/.exec(text.slice(last.start, last.end));
  return lineBreak === null ? last : { start: last.start, end: last.end - lineBreak[0].length };
}

const SORT = /PASSWORD|TOKEN|VALUE|COOKIES/;

/** Pattern of the table, such as `_:PASSWORD`, with the text before and after the secret. */
interface Slot {
  sort: string;
  pattern: RegExp;
}

interface Usage {
  /** True if the program must be at the start of a line. */
  atLineStart: boolean;
  /** Required subcommands and options, each with its alternatives. */
  required: string[][];
  options: { flag: string; slot: Slot; attached: boolean }[];
  /** Number of arguments between the last subcommand and the secret. */
  skipped: number;
  positional: Slot | undefined;
  input: Slot | undefined;
}

const escape = (text: string): string => text.replaceAll(/[$.*+?^|()[\]{}/\\]/g, String.raw`\$&`);

function slotOf(text: string): Slot {
  const sort = SORT.exec(text)?.[0] ?? "";
  const [before = "", after = ""] = text.split(sort);
  const start = before.startsWith("_")
    ? `[^${escape(before[1] ?? "")}]{0,128}${escape(before.slice(1))}`
    : escape(before);
  const end = after === "" ? "$" : escape(after.replace(/_$/, ""));
  return { sort, pattern: new RegExp(`^${start}(?<secret>.{1,512})${end}`, "ds") };
}

function usageOf(line: string): { programs: string[]; usage: Usage } {
  const [programs = "", ...items] = line.split(" ");
  const usage: Usage = {
    atLineStart: programs.startsWith("^"),
    required: [],
    options: [],
    skipped: 0,
    positional: undefined,
    input: undefined,
  };
  for (let i = 0; i < items.length; i++) {
    const item = items[i] ?? "";
    const following = items[i + 1] ?? "";
    const isOption = /^[-/]/.test(item);
    if (item.startsWith("<")) usage.input = slotOf(item.slice(1));
    else if (isOption && SORT.test(item)) {
      const flag = item.slice(0, SORT.exec(item)?.index);
      usage.options.push({ flag, slot: slotOf(item.slice(flag.length)), attached: true });
    } else if (isOption && SORT.test(following) && !following.startsWith("<")) {
      usage.options.push({ flag: item, slot: slotOf(following), attached: false });
      i++;
    } else if (SORT.test(item)) usage.positional = slotOf(item);
    else if (item === "_" || item === "NAME") usage.skipped++;
    else {
      usage.required.push(item.split("|"));
      usage.skipped = 0;
    }
  }
  return { programs: programs.replaceAll("^", "").split("|"), usage };
}

const usages = new Map<string, Usage[]>();
for (const line of commandUsages.trim().split("\n")) {
  const { programs, usage } = usageOf(line);
  for (const program of programs) usages.set(program, [...(usages.get(program) ?? []), usage]);
}

/** `name`: word before an argument; without it the value is that of an option or the input. */
function findInSlot(scan: ScanText, slot: Slot, span: Span | undefined, name?: string): readonly Finding[] {
  const { sort, pattern } = slot;
  if (span === undefined) return NOTHING;
  const [from, to] = pattern.exec(scan.text.slice(span.start, span.end))?.indices?.groups?.["secret"] ?? [];
  if (from === undefined || to === undefined) return NOTHING;
  const start = span.start + from;
  const end = span.start + to;
  if (sort === "COOKIES") return findCookies(scan, start, end);
  const value = scan.text.slice(start, end);
  const family = sort === "VALUE" ? familyOf(name?.replace(/^.*[:/]/, "") ?? "") : "token";
  if (isFingerprint(name ?? "", value) || value.startsWith("//")) return NOTHING;
  const isOption = name === undefined;
  const isSecret =
    sort === "PASSWORD"
      ? isTypedPassword(isOption ? value.replaceAll(" ", "-") : value, isOption)
      : family !== undefined && isSecretValue(value, family, "declared");
  return findingIf(isSecret, { start, end }, sort === "TOKEN" ? "token" : "password");
}

/** Quote within an argument: `-p"…"` */
const OPENING_QUOTE = /(?:\\{0,127}["'`])?/y;

function findInOption(
  scan: ScanText,
  words: readonly Word[],
  { flag, slot, attached }: Usage["options"][number],
): readonly Finding[] {
  for (const [i, { start, end }] of words.entries()) {
    if (!scan.text.startsWith(flag, start)) continue;
    const rest = start + flag.length;
    const next = words[i + 1];
    if (rest === end && !attached && next !== undefined) return findInSlot(scan, slot, next);
    const isAssigned = !attached && scan.text[rest] === "=";
    const from = matchEnd(OPENING_QUOTE, scan.text, isAssigned ? rest + 1 : rest) ?? rest;
    const found = (attached || isAssigned) && from < end ? findInSlot(scan, slot, { start: from, end }) : NOTHING;
    if (found.length > 0) return found;
  }
  return NOTHING;
}

/** Returns the index of the first word after the required ones; undefined if one is missing. */
function afterRequired(texts: readonly string[], required: readonly string[][]): number | undefined {
  let next = 0;
  for (const alternatives of required) {
    const isOption = alternatives[0]?.startsWith("-") ?? false;
    const found = texts.findIndex(
      (text, i) =>
        (isOption || i >= next) &&
        alternatives.some((word) => (word.endsWith("_") ? text.startsWith(word.slice(0, -1)) : text === word)),
    );
    if (found < 0) return undefined;
    next = Math.max(next, found + 1);
  }
  return next;
}

const AROUND_PROGRAM = charSet(" \t\r\n\"'`;|&()[{=/>$#:+-\\");
const LINE_START = /(?:^|[\n\r]|\\n|[>#$:"'`])[ \t]{0,8}$/;

/** Returns true if the program may be called at `at`: it is a whole word there, not part of a path or a name. */
function isCalled(text: string, at: number, program: string): boolean {
  const after = at + program.length;
  if (after < text.length && !inSet(AROUND_PROGRAM, text.charCodeAt(after))) return false;
  return (
    at === 0 ||
    inSet(AROUND_PROGRAM, text.charCodeAt(at - 1)) ||
    (text[at - 2] === "\\" && /[nrt]/.test(text[at - 1] ?? ""))
  );
}

/** Long options without a value. The word after any other long option is its value, not an argument. */
const SWITCH =
  /^--(?:totp|base32|global|local|location|secret|raw|plaintext|batch|encrypt|force|quiet|verbose|yes|stdin)$/;
const takesValue = (word: string | undefined): boolean =>
  word !== undefined && /^--[a-z][\w-]*$/.test(word) && !SWITCH.test(word);

function findInCommand(scan: ScanText, at: number, program: string): readonly Finding[] {
  const { text } = scan;
  // Each command is read once, even if its arguments repeat the program's name.
  if (at < (scan.commandsSeenTo.get(program) ?? 0) || !isCalled(text, at, program)) return NOTHING;
  const after = at + program.length;
  const command =
    (/["'\\\n\r]/.test(text.charAt(after)) ? readList(scan, after) : undefined) ?? readCommand(scan, after);
  scan.commandsSeenTo.set(program, command.words.at(-1)?.next ?? at);
  const texts = command.words.map(({ start, end }) => text.slice(start, end));
  const startsLine = LINE_START.test(charsBefore(text, at, 12));
  const found: Finding[] = [];
  const named: Finding[] = [];
  for (const { atLineStart, required, options, positional, skipped, input } of usages.get(program) ?? []) {
    if (atLineStart && !startsLine) continue;
    const firstArgument = afterRequired(texts, required);
    if (firstArgument === undefined) continue;
    for (const option of options) found.push(...findInOption(scan, command.words, option));
    if (input !== undefined) found.push(...findInSlot(scan, input, command.input ?? pipedInto(scan, at)));
    if (positional === undefined || found.length > 0) continue;
    const args = command.words
      .map((word, i) => ({ word, text: texts[i] ?? "" }))
      .filter(({ text: arg }, i) => i >= firstArgument && !/^(?:-|\/\w+:)/.test(arg) && !takesValue(texts[i - 1]));
    const word = args[skipped]?.word;
    named.push(...findInSlot(scan, positional, word, args[skipped - 1]?.text ?? ""));
  }
  return found.length > 0 ? found : named;
}

/** Returns the triggers of a program. Each costs time at every word that begins like it, so there are few. */
function triggersOf(program: string, of: readonly Usage[]): string[] {
  if (program.length > 2 && of.some(({ input }) => input !== undefined)) return [program];
  if (of.every(({ atLineStart }) => atLineStart)) return [`${program} `, `${program}\t`];
  if (of.every(({ options }) => options.length === 0)) return [`${program} `];
  // Only options are looked for in lists of arguments. A short name needs both quotes, to differ from a word in a text.
  return program.length > 3
    ? [" ", '"', "'", "\\", "\n"].map((after) => program + after)
    : [`${program} `, `"${program}"`, `'${program}'`];
}

const FROM_STDIN = /--(?:[a-z]{1,16}-){0,2}(?:password|passphrase|pass|token|secret)$/;
const STDIN: Slot = { sort: "PASSWORD", pattern: /^(?<secret>.{1,512})$/ds };

/** `echo … | anything --password-stdin` */
function findStdin(scan: ScanText, at: number): readonly Finding[] {
  const before = charsBefore(scan.text, at, PIPE_CHARS).split("\n").at(-1) ?? "";
  if (!FROM_STDIN.test(before)) return NOTHING;
  const pipe = before.lastIndexOf("|");
  const piped = pipe < 0 ? undefined : pipedInto(scan, at - before.length + pipe + 1);
  return findInSlot(scan, STDIN, piped ?? readCommand(scan, at + "-stdin".length).input);
}

const SHORT_OPTION =
  /[ "']-(?<letter>[pPt])(?: \\{0,7}["']?|(?<=["']-p))(?<secret>[^\s"'`\\|;<>()${}:]{7,256})(?=[\s"'`\\;|)]|$)/dy;
const USER_OPTION = /[\s"'](?:-u|-U|--user(?:name)?)(?:[ =]|["'],[ ]?["'])?(?=[^-\s])/;

/** `anything -u ann -p v`, `["-u", "ann", "-pv"]`; without a user the value must have a sign. */
function findShortOption({ text }: ScanText, at: number): readonly Finding[] {
  const option = secretAt(SHORT_OPTION, text, at);
  if (option === undefined || isStandIn(option.value) || isThing(option.value)) return NOTHING;
  const { end, value } = option;
  const isToken = option.groups["letter"] === "t";
  const line = `${charsBefore(text, at, 160).split("\n").at(-1)}${text.slice(end, end + 80).split("\n", 1)[0]}`;
  const isSecret = USER_OPTION.test(line)
    ? isRandom(value, isToken ? 24 : 16) || (!isToken && !value.includes("/") && (isChosen(value) || isMadeUp(value)))
    : !isToken && /[!#*+]/.test(value) && isChosen(value);
  return findingIf(isSecret, option, isToken ? "token" : "password");
}

export const commandRules: readonly Rule[] = [
  ...[...usages].map(([program, of]) => ({
    triggers: triggersOf(program, of),
    find: (scan: ScanText, at: number) => findInCommand(scan, scan.text.startsWith(program, at) ? at : at + 1, program),
  })),
  { triggers: ["-stdin"], find: findStdin },
  { triggers: [" -p ", " -P ", " -t ", '"-p', "'-p"], find: findShortOption },
];
