/**
 * Decides whether two command lines run the same program on the same target: what the first was about has to be in the
 * later one too, apart from words that the error refuses, which had to change.
 */
import type { Clue } from "./evidence.ts";
import { textLikeness } from "./likeness.ts";
import { callPath, relatePaths } from "./file-paths.ts";
import type { CommandWord, Purpose } from "./purpose.ts";

type Run = Purpose & { kind: "run" };
type Likeness = { grade: "same" | "similar" | "guess"; on: string };

/** Flags whose value is prose. */
const PROSE_FLAGS = /^(?:-m|-am|--message|--body|-b|--title|-t|--notes|-F)$/;
/** Words that make a command only report. */
const INSPECTION =
  /^(?:help|version|status|logs?|ls|ps|list|show|view|describe|info|inspect|diff|history|top|events|--help|-h|-help|--version|--dry-run|\/\?)$/;
/** Flags that select what a check runs on. */
const SELECTING =
  /^(?:-run|-k|-t|-g|--grep|--filter|--testNamePattern|--test-name-pattern|--tests|--only|-p|--package)$/;
/** Matches an error that names the tests that failed. */
const NAMES_TESTS = /\b(?:FAIL|FAILED|FAILURES|Test[A-Z]\w+|test_\w+)\b|[✗✖×✕]/;

export function compareCommands(failed: Run, later: Run, clue: Clue): Likeness | null {
  if (failed.program !== later.program) return clue.noProgram ? sameOperands(failed, later) : null;
  const name = failed.program;
  if (failed.code !== null && later.code !== null) return compareCode(name, failed.code, later.code);
  const [first, laterFirst] = [subcommand(failed), subcommand(later)];
  if (first !== laterFirst || inspectionIn(failed) !== inspectionIn(later)) return null;
  const own = targets(failed);
  const added = targets(later).filter((word) => !own.some((other) => covers(other, word, clue)));
  // If the error names some of several files, it is about these.
  const named = own.filter((word) => word.path !== null && isNamed(word, clue));
  const wanted = named.length > 0 ? named : own;
  const shares = wanted.map((word) => coverage(word, later.words, clue));
  const isKept = wanted.every((word, at) => shares[at] !== null || (clue.refused && isNamed(word, clue)));
  if (!isKept || !added.every((word) => mayBeAdded(word, failed, clue))) return null;
  if (selectsPart(failed, later, clue) || sharesNothing(failed, later)) return null;
  const on = `the same command (${first === null ? name : `${name} ${first}`})`;
  const options = failed.words.filter(({ text }) => text.startsWith("-"));
  const isWhole = shares.every((share) => share === "whole") && options.every((option) => hasWord(later, option));
  return { grade: isWhole && wanted.length === own.length && added.length === 0 ? "same" : "similar", on };
}

function hasWord({ words }: Run, { text }: CommandWord): boolean {
  return words.some((word) => word.text === text);
}

/** Returns whether two commands with words have none in common: then their options say what they do. */
function sharesNothing(failed: Run, later: Run): boolean {
  return failed.words.length > 0 && later.words.length > 0 && !failed.words.some((word) => hasWord(later, word));
}

/** Returns all words but options, and the prose and numbers after them. */
function targets({ words }: Run): CommandWord[] {
  const isSetting = (text: string, flag: string | null): boolean =>
    text.startsWith("-") || (flag !== null && (PROSE_FLAGS.test(flag) || /^[\d.]+[a-z]{0,2}$/.test(text)));
  return words.filter(({ text, flag }) => !isSetting(text, flag));
}

/** Returns how much of a word the later command has: the value of a flag in the same flag, if it has it. */
function coverage(wanted: CommandWord, given: readonly CommandWord[], clue: Clue): "whole" | "part" | null {
  const sameFlag = given.filter(({ flag, path }) => flag !== null && flag === wanted.flag && path !== null);
  const found = wanted.path !== null && sameFlag.length > 0 ? sameFlag : given;
  const shares = found.map((word) => covers(wanted, word, clue));
  return shares.includes("whole") ? "whole" : shares.includes("part") ? "part" : null;
}

/** A part of a path counts only if the error is about it. */
function covers(wanted: CommandWord, given: CommandWord, clue: Clue): "whole" | "part" | null {
  if (wanted.text === given.text) return "whole";
  if (wanted.path && given.path) {
    const relation = relatePaths(wanted.path, given.path);
    if (relation !== "inside") return relation && "whole";
    return isConcerned(given, clue) ? "part" : null;
  }
  const isText = /\s/.test(wanted.text) || (wanted.flag !== null && wanted.flag === given.flag);
  return isText && textLikeness(wanted.text, given.text) >= 0.5 ? "whole" : null;
}

/** Returns whether the error names the word. */
function isNamed({ text, path }: CommandWord, clue: Clue): boolean {
  const name = path?.given ?? text;
  return text.length > 1 && new RegExp(`(?<![\\w-])${name.replaceAll(/\W/g, String.raw`\$&`)}(?![\\w-])`).test(clue.text);
}

function mayBeAdded(word: CommandWord, failed: Run, clue: Clue): boolean {
  if (failed.program === "install packages") return isNamed(word, clue);
  return word.path === null || isConcerned(word, clue);
}

/** Matches paths in an error. */
const PATH_IN_ERROR = /(?:[\w.@~-]+)?(?:\/[\w.@+-]+)+|\b[\w-]+\.[a-z]{1,4}\b(?=[:(, ]|$)/gim;

/** Returns whether the error names the path, something in it or around it, or no path at all. */
function isConcerned({ text, path }: CommandWord, clue: Clue): boolean {
  if (path === null || clue.usage || clue.text.includes(path.given)) return true;
  const named = (clue.text.match(PATH_IN_ERROR) ?? []).map((each) => callPath(each, null));
  return named.length === 0 || named.some((each) => relatePaths(path, each) !== null || each.full.endsWith(text));
}

/** Compares a missing program with another one on the same targets. */
function sameOperands(failed: Run, later: Run): Likeness | null {
  const wanted = targets(failed);
  const isSame = wanted.length > 0 && wanted.every(({ text }) => later.words.some((word) => word.text === text));
  return isSame ? { grade: "similar", on: "the same arguments, with another program" } : null;
}

function compareCode(name: string, a: string, b: string): Likeness | null {
  const likeness = textLikeness(a, b);
  if (likeness < 0.4) return null;
  const [files, others] = [filesIn(a), filesIn(b)];
  if (files.length > 0 && others.length > 0 && !files.some((file) => others.includes(file))) return null;
  return { grade: likeness >= 0.7 ? "same" : "similar", on: `similar ${name} code` };
}

/** Returns the files and addresses in the string literals of a program. */
function filesIn(code: string): string[] {
  return [...code.matchAll(/["']([\w@~:/. -]*[/.][\w@~:/.-]*\w)["']/g)].map((found) => found[1] ?? "");
}

/** Returns the word that makes a command only report: `status` in `docker compose status`, `--help`. */
function inspectionIn({ words }: Run): string | null {
  const end = words.findIndex(({ text }) => !/^[a-z][\w:-]*$/i.test(text));
  const verbs = words.slice(0, end < 0 ? 3 : Math.min(end, 3));
  return words.find((word) => INSPECTION.test(word.text) && (word.text.startsWith("-") || verbs.includes(word)))?.text ?? null;
}

/** Returns the first word if it cannot be a path, pattern or number: `commit` in `git commit`. */
function subcommand({ words }: Run): string | null {
  const word = words.find(({ flag, text }) => flag === null && !text.startsWith("-"));
  return word && /^[a-z][\w:-]*$/i.test(word.text) ? word.text : null;
}

/** Returns whether the later one runs only a part of the checks, which the error does not name. */
function selectsPart(failed: Run, later: Run, { text }: Clue): boolean {
  const before = selected(failed);
  const parts = selected(later).flatMap((value) => (before.includes(value) ? [] : value.split(/[|^$/*]+| or | and /)));
  if (before.length === 0 && !NAMES_TESTS.test(text)) return false;
  return parts.length > 0 && !parts.some((part) => part.length > 2 && text.includes(part));
}

function selected({ words }: Run): string[] {
  return words.flatMap((word) => {
    const [, name = word.flag ?? "", value = word.text] = /^(--?[\w-]+)=(.+)$/.exec(word.text) ?? [];
    return SELECTING.test(name) ? [value] : [];
  });
}
