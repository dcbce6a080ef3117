/** Decides whether a later call has the target of an earlier failed one, and how certain that is. */
import { blameFor, failedFilter, type Clue } from "./evidence.ts";
import { callPath, relatePaths, samePath, type CallPath } from "../calls/file-paths.ts";
import { asPattern, inputLikeness, isSameInput, MANNERS, overlap, textLikeness } from "./likeness.ts";
import type { CommandWord } from "../calls/shell-actions.ts";
import type { Purpose, Step, Target } from "./targets.ts";

/** `same`: the same target. `similar`: a part, a wider or a changed form of it. */
export type Grade = "same" | "similar";

export interface Match {
  grade: Grade;
  /** Step with the same target. */
  step: Step | null;
  /** Something that the error refused was replaced: only soon after the failure is it the same purpose. */
  isReplaced?: boolean;
}

/** Minimum likeness of two versions of one text. */
const ALIKE = 0.5;
/** Minimum share of the smaller change that two changes of a file have in common if they are the same. */
const SAME_CHANGE = 0.6;

export function matchTargets(failed: Target, later: Target, clue: Clue): Match | null {
  if (isIdentical(failed, later)) {
    return { grade: "same", step: later.steps.find(({ role }) => role === "final") ?? null };
  }
  if (isOtherScript(failed, later)) return null;
  const { steps, others } = blameFor(failed.steps, clue);
  const match = best(steps.map((step) => matchStep(step, failed, later, clue)));
  // It ran only one of those that may have failed, or read what another command printed.
  const needed = [...others, ...steps.flatMap((step) => feedersOf(step, failed.steps))];
  return needed.some((step) => matchStep(step, failed, later, clue) === null) ? null : match;
}

// A script has a loop or variables of PowerShell: one of its commands alone is not what it was for. No space may be at two
// places of a pattern, or many line ends would take quadratic time.
const LOOP = /(?:^|[\n;&|])[^\S\n]*(?:for|while|until)\s/;
const LOOP_BODY = /[\n;][^\S\n]*do\b/;
const VARIABLE = /(?:^|[\n;&|])[^\S\n]*\$[\w:]+\s*=/;

function isOtherScript(failed: Target, later: Target): boolean {
  const script = failed.line ?? "";
  const isScript = (LOOP.test(script) && LOOP_BODY.test(script)) || VARIABLE.test(script);
  return isScript && textLikeness(script, later.line ?? "") < ALIKE;
}

export function isIdentical(failed: Target, later: Target): boolean {
  return failed.tool === later.tool && isSameInput(failed.input, later.input);
}

function best(matches: readonly (Match | null)[]): Match | null {
  return matches.find((match) => match?.grade === "same") ?? matches.find((match) => match !== null) ?? null;
}

function matchStep(step: Step, failed: Target, later: Target, clue: Clue): Match | null {
  if (step.purpose.kind === "use") return matchUse(failed, later, clue);
  return best(
    later.steps.map((laterStep) => {
      if (step.filter !== laterStep.filter && (isQuery(step) || printedNothing(step, failed, clue))) return null;
      if (step.filter === null && isHidden(laterStep)) return null;
      const match = matchPurpose(step.purpose, laterStep.purpose, clue);
      // A filter that failed has to run again.
      const filter = failedFilter(step, clue);
      if (filter !== null && !laterStep.pipedTo.includes(filter)) return null;
      return match && { ...match, step: laterStep };
    }),
  );
}

/** Returns whether a cmdlet lists things of one kind, of which a filter says which are meant. */
function isQuery({ command }: Step): boolean {
  return command !== null && /^get-/i.test(command.program);
}

/** Returns whether the search at the end of a pipeline found nothing; then only the same search can be a fix. */
function printedNothing({ filter, pipedTo }: Step, { steps }: Target, { bare, text }: Clue): boolean {
  if (filter === null) return false;
  const isAlone = steps.every(({ role }) => role !== "before");
  return bare || (isAlone && /^(?:[ef]?grep|rg)$/.test(pipedTo.at(-1) ?? "") && text.startsWith("Exit code 1\n"));
}

/** Returns whether a search leaves out lines of the output that may say how the step ended. A count of 0 says it. */
function isHidden({ filter, pipedTo, assured, purpose }: Step): boolean {
  return filter !== null && !assured && purpose.kind === "run" && !pipedTo.includes("wc");
}

/** Returns the steps whose output the step reads from a pipe. */
function feedersOf(step: Step, steps: readonly Step[]): readonly Step[] {
  const before = steps.slice(0, steps.indexOf(step));
  return before.slice(before.findLastIndex(({ pipedTo }) => pipedTo.length === 0) + 1);
}

type Likeness = Omit<Match, "step">;

function matchPurpose(failed: Purpose, later: Purpose, clue: Clue): Likeness | null {
  switch (failed.kind) {
    case "read":
    case "list":
    case "write":
      return matchFiles(failed, later, clue);
    case "search":
    case "glob":
      return later.kind === failed.kind ? matchSearch(failed, later) : null;
    case "fetch":
      return later.kind === "fetch" ? matchUrls(failed.url, later.url) : null;
    case "run":
      return later.kind === "run" ? compareCommands(failed, later, clue) : null;
    case "use":
      return null;
  }
}

function matchFiles(
  failed: Purpose & { kind: "read" | "list" | "write" },
  later: Purpose,
  clue: Clue,
): Likeness | null {
  if (later.kind !== failed.kind) return null;
  const found = failed.paths.filter((path) => later.paths.some((other) => samePath(path, other)));
  if (found.length === 0) return null;
  // Changes of one file share many words anyway.
  if (failed.kind === "write" && later.kind === "write" && !isSameChange(failed, later, clue)) return null;
  const isWhole = found.length === failed.paths.length;
  return { grade: isWhole ? "same" : "similar" };
}

/** Matches the refusal of an edit whose old text is not in the file as it is. */
const WRONG_TEXT =
  /not (?:be )?found|no match|could not find|(?:does|did) not (?:match|contain)|matches of the string/i;

/**
 * Two edits of one file make the same change if they replace the same lines or similar texts. If the old text was wrong, they
 * need only have a line in common.
 */
function isSameChange(failed: Write, later: Write, clue: Clue): boolean {
  if (overlap(failed.words(), later.words()) < SAME_CHANGE) return false;
  if (failed.replaced.length === 0 || later.replaced.length === 0) return true;
  const anyAlike = (likeness: (a: string, b: string) => number): boolean =>
    failed.replaced.some((text) => later.replaced.some((other) => likeness(text, other) >= ALIKE));
  if (anyAlike(textLikeness)) return true;
  const lines = later.lines();
  if (WRONG_TEXT.test(clue.text)) return [...failed.lines()].some((line) => lines.has(line));
  return anyAlike((text, other) => overlap(linesOf(text), linesOf(other)));
}

type Write = Purpose & { kind: "write" };

function linesOf(text: string): Set<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

function matchSearch(
  failed: Purpose & { kind: "search" | "glob" },
  later: Purpose & { kind: "search" | "glob" },
): Likeness | null {
  if (!sharePlaces(failed.paths, later.paths)) return null;
  if (failed.pattern === later.pattern) return { grade: "same" };
  const isAlike = textLikeness(failed.pattern, later.pattern) >= ALIKE;
  return isAlike ? { grade: "similar" } : null;
}

function sharePlaces(a: readonly CallPath[], b: readonly CallPath[]): boolean {
  if (a.length === 0 || b.length === 0) return a.length === b.length;
  return a.some((path) => b.some((other) => relatePaths(path, other) === "same"));
}

function matchUrls(failed: string, later: string): Likeness | null {
  const [a, b] = [parseUrl(failed), parseUrl(later)];
  if (a === null || b === null) return failed === later ? { grade: "same" } : null;
  if (a.host !== b.host || a.path !== b.path) return null;
  return { grade: a.search === b.search ? "same" : "similar" };
}

function parseUrl(text: string): { host: string; path: string; search: string } | null {
  const url = URL.parse(/^\w+:\/\//.test(text) ? text : `https://${text}`);
  return url && { host: url.host, path: url.pathname.replace(/\/$/, ""), search: url.search };
}

/** Compares calls of unknown tools: the same tool with a similar input. */
function matchUse(failed: Target, later: Target, clue: Clue): Match | null {
  if (failed.tool === "" || failed.tool !== later.tool) return null;
  const likeness = inputLikeness(failed.fields(), later.fields());
  if (likeness < ALIKE || namesOther(failed, later, clue)) return null;
  return { grade: likeness >= 0.8 ? "same" : "similar", step: null };
}

/**
 * Returns whether a field that both have names another thing: a value without spaces, such as a path, id or number. A
 * value that the error refuses had to change.
 */
function namesOther(failed: Target, later: Target, clue: Clue): boolean {
  const others = later.fields();
  return [...failed.fields()].some(([name, { text, words }]) => {
    const other = others.get(name);
    const isName = words.size > 0 && ![text, other?.text ?? " "].some((each) => /[\s[{]/.test(each));
    if (!isName || other === undefined || other.text === text || MANNERS.has(name)) return false;
    const isRefused =
      clue.text.includes(other.text) || (clue.refused && (clue.text.includes(text) || clue.text.includes(name)));
    return !isRefused;
  });
}

// Compares command lines: what the first was about has to be in the later one too, apart from words that the error refuses,
// which had to change.

type Run = Purpose & { kind: "run" };
/** Flags whose value is prose. */
const PROSE_FLAGS = /^(?:-m|-am|--message|--body|-b|--title|-t|--notes|-F)$/;
/** Words that make a command only report. */
const INSPECTION =
  /^(?:help|version|status|logs?|ls|ps|list|show|view|describe|info|inspect|diff|history|top|events|-I|--head|--help|-h|-help|--version|--dry-run|\/\?)$/;
/** Flags that select what a check runs on. */
const SELECTING =
  /^(?:-run|-k|-t|-g|--grep|--filter|--testNamePattern|--test-name-pattern|--tests|--only|-p|--package)$/;
/** Flags that leave something out. */
const SKIPPING = /^--(?:skip|deselect|exclude)(?:[-=]|$)/;
/** Matches an error that names the tests that failed. */
const NAMES_TESTS = /\b(?:FAIL|FAILED|FAILURES|Test[A-Z]\w+|test_\w+)\b|[✗✖×✕]/;
/** Matches a file whose tests failed. */
const FAILED_FILE = /\bFAIL(?:ED)?:? +([\w@./\\-]+\.[a-z]\w*)(?=::|\s|$)/gm;

function compareCommands(failed: Run, later: Run, clue: Clue): Likeness | null {
  if (failed.program !== later.program) return clue.noProgram ? sameOperands(failed, later) : null;
  if (failed.code !== null || later.code !== null) {
    return failed.code === later.code ? { grade: "same" } : null;
  }
  const [first, laterFirst] = [subcommand(failed), subcommand(later)];
  if (failed.program === "git" && /\bCONFLICT\b/.test(clue.text) && concludes(first, later)) {
    return { grade: "same" };
  }
  if (first !== laterFirst || inspectionIn(failed) !== inspectionIn(later)) return null;
  const [own, given] = [targets(failed), targets(later)];
  const added = given.filter((word) => !own.some((other) => covers(other, word, clue)));
  // If the error names some of several files, it is about these.
  const isOther = ({ path }: CommandWord): boolean => path !== null && !isNamed(path.given, clue);
  const isAboutSome = own.some((word) => word.path !== null && !isOther(word));
  const wanted = isAboutSome ? own.filter((word) => !isOther(word)) : own;
  const shares = wanted.map((word) => coverage(word, given, clue));
  const isRefused = (word: CommandWord): boolean =>
    clue.refused && !SELECTING.test(word.flag ?? "") && isNamed(nameOf(word), clue);
  const isKept = wanted.every((word, at) => shares[at] !== null || isRefused(word));
  if (!isKept || !added.every((word) => mayBeAdded(word, failed, clue))) return null;
  if (leavesOut(failed, later) || selectsPart(own, given, clue) || sharesNothing(failed, later)) return null;
  const options = failed.words.filter(({ text }) => text.startsWith("-"));
  const isWhole = shares.every((share) => share === "whole") && options.every((option) => hasWord(later, option));
  const isReplaced = added.length > 0 && wanted.some((word, at) => shares[at] === null && isRefused(word));
  return {
    grade: isWhole && wanted.length === own.length && added.length === 0 ? "same" : "similar",
    ...(isReplaced ? { isReplaced } : {}),
  };
}

/** Returns whether a command of git ends what a conflict stopped. */
function concludes(stopped: string | null, later: Run): boolean {
  const words = later.words.map(({ text }) => text);
  const isMerge = stopped === "merge" || stopped === "pull";
  return words.includes("--continue") || (isMerge && words[0] === "commit");
}

/** Returns true if the later run skips something that the failed one did not: that may be what failed. */
function leavesOut(failed: Run, later: Run): boolean {
  return later.words.some((word) => SKIPPING.test(word.text) && !hasWord(failed, word));
}

function hasWord({ words }: Run, { text }: CommandWord): boolean {
  return words.some((word) => word.text === text);
}

/** Returns whether two commands with words have none in common: then their options say what they do. */
function sharesNothing(failed: Run, later: Run): boolean {
  return failed.words.length > 0 && later.words.length > 0 && !failed.words.some((word) => hasWord(later, word));
}

/** Returns the words and the values of options, without prose and numbers in these. */
function targets({ words }: Run): CommandWord[] {
  const split = words.map((word) => {
    const [, flag, text] = /^(--?[\w-]+)=(.+)$/.exec(word.text) ?? [];
    return flag === undefined || text === undefined ? word : { text, flag, path: null };
  });
  const isSetting = ({ text, flag }: CommandWord): boolean =>
    /^[-+]/.test(text) || (flag !== null && (PROSE_FLAGS.test(flag) || /^[\d.]+[a-z]{0,2}$/.test(text)));
  return split.filter((word) => !isSetting(word));
}

/** Returns how much of a word the later command has: the value of a flag in the same flag, if it has it. */
function coverage(wanted: CommandWord, given: readonly CommandWord[], clue: Clue): "whole" | "part" | null {
  const sameFlag = given.filter(({ flag, path }) => flag !== null && flag === wanted.flag && path !== null);
  const found = wanted.path !== null && sameFlag.length > 0 ? sameFlag : given;
  const shares = new Set(found.map((word) => covers(wanted, word, clue)));
  return shares.has("whole") ? "whole" : shares.has("part") ? "part" : null;
}

/** A part of a path counts only if the error is about it. */
function covers(wanted: CommandWord, given: CommandWord, clue: Clue): "whole" | "part" | null {
  if (wanted.text === given.text) return "whole";
  if (wanted.path && given.path) {
    const relation = relatePaths(wanted.path, given.path);
    if (relation !== "inside") return relation && "whole";
    return isConcerned(given, clue) ? "part" : null;
  }
  const isOfSameFlag = wanted.flag !== null && wanted.flag === given.flag;
  if (isOfSameFlag && given.text.includes(wanted.text)) return "whole";
  const isText = isOfSameFlag || /\s/.test(wanted.text);
  return isText && textLikeness(wanted.text, given.text) >= 0.5 ? "whole" : null;
}

function nameOf({ text, path }: CommandWord): string {
  return path?.given ?? text;
}

/** Returns whether the error names a word or path. */
function isNamed(name: string, { text }: Clue): boolean {
  if (name.length < 2 || !text.includes(name)) return false;
  return new RegExp(String.raw`(?<![\w-])${asPattern(name)}(?![\w-])`).test(text);
}

function mayBeAdded(word: CommandWord, failed: Run, clue: Clue): boolean {
  if (failed.program === "install packages") return isNamed(nameOf(word), clue);
  return word.path === null || isConcerned(word, clue);
}

/** Matches paths in an error. */
const PATH_IN_ERROR = /(?:[\w.@~-]+)?(?:\/[\w.@+-]+)+|\b[\w-]+\.[a-z]{1,4}\b(?=[:(, ]|$)/gim;

/** Returns whether the error names the path, something in it or around it, or no path at all. */
function isConcerned({ text, path }: CommandWord, clue: Clue): boolean {
  if (path === null || clue.text.includes(path.given)) return true;
  const named = (clue.text.match(PATH_IN_ERROR) ?? []).map((each) => callPath(each, null));
  return named.length === 0 || named.some((each) => relatePaths(path, each) !== null || each.full.endsWith(text));
}

/** Compares a missing program with another one on the same targets. */
function sameOperands(failed: Run, later: Run): Likeness | null {
  const wanted = targets(failed);
  const isSame = wanted.length > 0 && wanted.every(({ text }) => later.words.some((word) => word.text === text));
  return isSame ? { grade: "similar", isReplaced: true } : null;
}

/** Returns the word that makes a command only report: `status` in `docker compose status`, `--help`. */
function inspectionIn({ words }: Run): string | null {
  return words.find(({ text }, at) => INSPECTION.test(text) && (at < 3 || text.startsWith("-")))?.text ?? null;
}

/** Returns the first word if it cannot be a path, pattern or number: `commit` in `git commit`. */
function subcommand({ words }: Run): string | null {
  const word = words.find(({ flag, text }) => flag === null && !text.startsWith("-"));
  return word && /^[a-z][\w:-]*$/i.test(word.text) ? word.text : null;
}

/** Returns whether the later one runs only a part of the checks, and not all that the error names. */
function selectsPart(own: readonly CommandWord[], given: readonly CommandWord[], { text }: Clue): boolean {
  const namesTests = NAMES_TESTS.test(text);
  const isSelection = ({ flag, path }: CommandWord): boolean =>
    SELECTING.test(flag ?? "") || (namesTests && flag === null && path === null);
  const before = own.filter(isSelection).map((word) => word.text);
  if (before.length === 0 && !namesTests) return false;
  const isNew = (word: CommandWord): boolean => !own.some((other) => other.text === word.text);
  const added = given.filter(isNew);
  const parts = added.filter(isSelection).flatMap((word) => word.text.split(/[|^$/*]+| or | and /));
  if (parts.length > 0 && !parts.some((part) => part.length > 2 && text.includes(part))) return true;
  const files = added.flatMap(({ path }) => (path === null ? [] : callPath(path.given, null)));
  const failures = [...text.matchAll(FAILED_FILE)].map(([, file = ""]) => callPath(file, null));
  return files.length > 0 && failures.some((file) => !files.some((other) => relatePaths(other, file) !== null));
}
