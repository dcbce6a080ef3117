/** Decides whether two command lines run the same program on the same target. */
import type { Clue } from "./evidence.ts";
import { textLikeness } from "./likeness.ts";
import { callPath, likelyMeant, relatePaths } from "./file-paths.ts";
import type { CommandWord, Purpose } from "./purpose.ts";

type Run = Purpose & { kind: "run" };
type Likeness = { grade: "same" | "similar" | "guess"; on: string };

/** Programs whose first word is a target, not a subcommand. */
const WITHOUT_SUBCOMMANDS = new Set(
  "mkdir rm rmdir cp mv ln chmod chown touch wc which type kill pkill jq awk diff cmp stat file du df open xargs node python ruby deno psql sqlite3".split(
    " ",
  ),
);
/** Flags whose value is prose. */
const PROSE_FLAGS = /^(?:-m|-am|--message|--body|-b|--title|-t|--notes|-F)$/;

export function compareCommands(failed: Run, later: Run, clue: Clue): Likeness | null {
  if (failed.program !== later.program) return clue.noProgram ? sameOperands(failed, later) : null;
  const name = failed.program;
  if (failed.code !== null && later.code !== null) return compareCode(name, failed.code, later.code, clue);
  const [first, laterFirst] = [subcommand(failed), subcommand(later)];
  if (first !== laterFirst || groupCommand(failed) !== groupCommand(later)) return null;
  // A call for help or for the status is not a fix.
  if (inspectionIn(later) !== inspectionIn(failed)) return null;
  const on = `the same command (${first === null ? name : `${name} ${first}`})`;
  if (selectsOther(failed, later) || isConfiguredOther(failed, later, clue) || narrowsToOther(failed, later, clue))
    return null;
  const own = operands(failed).filter((word) => word.text !== first);
  const given = later.words.filter((word) => word.text !== first && !word.text.startsWith("-"));
  const added = operands(later).filter((word) => word.text !== first);
  if (own.length === 0) return emptyOperands(failed, later, added, on, clue);
  if (added.length === 0) return first === null ? null : { grade: "same", on };
  const wanted = namedOf(own, clue);
  const covered = wanted.reduce((sum, word) => sum + coverage(word, given, clue), 0);
  const share = covered / wanted.length;
  if (share >= 0.99) return { grade: wanted === own ? "same" : "similar", on };
  const replaced = own.filter((word) => coverage(word, given, clue) === 0);
  const isReplaced = replaced.length > 0 && added.some((word) => !own.some((each) => covers(each, word) > 0));
  if (share >= 0.5 && !isReplaced) return { grade: "similar", on };
  const isCorrected = isReplaced && replaced.length < own.length && isWrongName(replaced, clue);
  if (isCorrected && replaced.every(({ path }) => path === null)) return { grade: "similar", on };
  return clue.missing ? meantOther(wanted, given, name) : null;
}

/** Returns the words that the error names, if it names some of several. */
function namedOf(words: readonly CommandWord[], { text }: Clue): readonly CommandWord[] {
  const named = words.filter((word) => word.text.length > 2 && text.includes(word.path?.given ?? word.text));
  return named.length > 0 && named.length < words.length && named.every(({ path }) => path !== null) ? named : words;
}

const WRONG_NAME =
  /not found|unknown|invalid|no such|(?:does|did)(?: not|n't) (?:exist|match)|not a valid|unrecognized|could(?: not|n't) find/i;

function isWrongName(words: readonly CommandWord[], { text }: Clue): boolean {
  return WRONG_NAME.test(text) && words.every((word) => word.text.length > 1 && text.includes(word.text));
}

/** Returns how well any of the words matches. A part of what was asked counts only if the error is about it. */
function coverage(wanted: CommandWord, given: readonly CommandWord[], clue: Clue): number {
  const shares = given.map((other) => {
    const share = covers(wanted, other);
    const isPart = wanted.path && other.path && relatePaths(wanted.path, other.path) === "inside";
    return isPart && !isConcerned(other, clue) ? 0 : share;
  });
  return Math.max(0, ...shares);
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
  const wanted = operands(failed);
  const isSame =
    (wanted.length > 1 || wanted.some(({ path }) => path !== null)) &&
    wanted.every(({ text }) => later.words.some((word) => word.text === text));
  return isSame ? { grade: "similar", on: "the same arguments, with another program" } : null;
}

function compareCode(name: string, a: string, b: string, clue: Clue): Likeness | null {
  const likeness = textLikeness(a, b);
  if (likeness < 0.4) return null;
  const [files, others] = [filesIn(a), filesIn(b)];
  const isOther = files.length > 0 && others.length > 0 && !files.some((file) => others.includes(file));
  if (isOther) return clue.missing ? { grade: "guess", on: `similar ${name} code, with another file` } : null;
  return { grade: likeness >= 0.7 ? "same" : "similar", on: `similar ${name} code` };
}

/** Returns the files and addresses in the string literals of a program. */
function filesIn(code: string): string[] {
  return [...code.matchAll(/["']([\w@~:/. -]*[/.][\w@~:/.-]*\w)["']/g)].map((found) => found[1] ?? "");
}

const INSPECTIONS = new Set(
  "help version status log logs ls ps list show view describe info inspect diff history top events".split(" "),
);

/** Returns the word that makes a command only report: `status` in `docker compose status`, `--help`. */
function inspectionIn({ words }: Run): string | null {
  const flag = words.find(({ text }) => /^(?:--help|-h|-help|--version|--dry-run|\/\?)$/.test(text));
  if (flag) return flag.text;
  const end = words.findIndex(({ text }) => text.startsWith("-") || !/^[a-z][\w:-]*$/i.test(text));
  const verbs = words.slice(0, end < 0 ? undefined : end).slice(0, 3);
  return verbs.find(({ text }) => INSPECTIONS.has(text))?.text ?? null;
}

/** Returns the first word if it cannot be a path, pattern or number: `commit` in `git commit`. */
function subcommand(run: Run): string | null {
  if (WITHOUT_SUBCOMMANDS.has(run.program)) return null;
  const word = run.words.find(({ flag, text }) => flag === null && !text.startsWith("-"));
  return word && /^[a-z][\w:-]*$/i.test(word.text) ? word.text : null;
}

/** Programs with commands of two words: `gh pr create`. */
const GROUPING =
  /^(?:git|gh|glab|docker|podman|kubectl|go|dotnet|terraform|helm|npm|pnpm|yarn|brew|aws|az|gcloud|firebase|supabase|wrangler|rustup|conda)$/;
const GROUPS = new Set(
  "pr mr issue repo release workflow run auth gist label secret variable cache compose image container volume network system context buildx remote stash submodule worktree bisect lfs notes mod tool rollout config create state workspace plugin nuget ef services s3 ec2 functions db migration toolchain target component env".split(
    " ",
  ),
);

/** Returns the second word of a command that has two. */
function groupCommand({ program, words }: Run): string | null {
  const at = words.findIndex(({ text, flag }) => flag === null && !text.startsWith("-"));
  const isImage = /^(?:docker|podman|go|kubectl)$/.test(program) && words[at]?.text === "run";
  if (!GROUPING.test(program) || !GROUPS.has(words[at]?.text ?? "") || isImage) return null;
  const second = words.slice(at + 1).find(({ text }) => /^[a-z][a-z-]*$/.test(text));
  return second?.text ?? null;
}

/** Flags that select what a check runs on. */
const SELECTING =
  /^(?:-run|-k|-t|-g|--grep|--filter|--testNamePattern|--test-name-pattern|--tests|--only|-p|--package)$/;

/** Matches an error that names the tests that failed. */
const NAMES_TESTS = /\b(?:FAIL|FAILED|FAILURES|Test[A-Z]\w+|test_\w+)\b|[✗✖×✕]/;

/** Returns whether the later one runs only a part of the checks, which the error does not name. */
function narrowsToOther(failed: Run, later: Run, { text }: Clue): boolean {
  if (!/^(?:go|pytest|vitest|jest|mocha|cargo|run script|gradlew?|rspec|bun|playwright|dotnet)$/.test(later.program))
    return false;
  const values = later.words.flatMap((word) => {
    const [flag = "", value = ""] = /^(-[^=]+)=(.+)$/.exec(word.text)?.slice(1) ?? [word.flag ?? "", word.text];
    return SELECTING.test(flag) && !failed.words.some((each) => each.text.split("=")[0] === flag) ? [value] : [];
  });
  const parts = values.flatMap((value) => value.split(/[|^$/*]+| or | and /).filter((part) => part.length > 2));
  return NAMES_TESTS.test(text) && parts.length > 0 && !parts.some((part) => text.includes(part));
}

/** Returns the words that are certainly not values of flags. */
function operands(run: Run): CommandWord[] {
  const loose = WITHOUT_SUBCOMMANDS.has(run.program);
  return run.words.filter(({ text, flag, path }) => !text.startsWith("-") && (flag === null || path !== null || loose));
}

/** Returns whether neither has operands, or only the later one: `go test`, then `go test ./a`. */
function emptyOperands(
  failed: Run,
  later: Run,
  given: readonly CommandWord[],
  on: string,
  clue: Clue,
): Likeness | null {
  const prose = proseOf(failed);
  if (failed.program === "install packages" && !failed.words.some(isPackage) && later.words.some(isPackage))
    return null;
  if (given.length > 0 && !clue.usage && !prose && dropsValues(failed, later)) return null;
  const paths = failed.program === "git" ? [] : given.filter(({ path }) => path !== null);
  if (paths.length > 0 && !paths.some((path) => isConcerned(path, clue))) return null;
  if (!prose && !clue.usage && asksOther(failed, later)) return null;
  return { grade: prose || (given.length === 0 && keepsOptions(failed, later)) ? "same" : "similar", on };
}

function isPackage({ text, flag }: CommandWord): boolean {
  return !text.startsWith("-") && !/^(?:--prefix|-C|--dir|--cwd|--filter|-w|--workspace)$/.test(flag ?? "");
}

/** Returns whether none of the words that may be values of flags, or what the command is about, is kept. */
function dropsValues(failed: Run, later: Run): boolean {
  const values = failed.words.filter(
    ({ text, flag }) => flag !== null && !text.startsWith("-") && !/^[\d.]+$/.test(text),
  );
  return values.length > 0 && !values.some(({ text }) => later.words.some((word) => word.text.endsWith(text)));
}

function keepsOptions(failed: Run, later: Run): boolean {
  return failed.words.every(({ text }) => !text.startsWith("-") || later.words.some((word) => word.text === text));
}

/** Returns whether they share no word and have options that determine the action: `--import`, or one with a value. */
function asksOther(failed: Run, later: Run): boolean {
  const runs = [failed, later];
  const says = runs.every(({ words }) => words[0]?.text.startsWith("--") || words.some(({ flag }) => flag !== null));
  return says && !failed.words.some(({ text }) => later.words.some((word) => word.text === text));
}

function proseOf(run: Run): boolean {
  return run.words.some(({ text, flag }) => flag !== null && PROSE_FLAGS.test(flag) && !text.startsWith("-"));
}

/** Returns whether the same flag selects different targets: `-run TestA`, then `-run TestB`. */
function selectsOther(failed: Run, later: Run): boolean {
  const picks = selections(later);
  return selections(failed).some(({ flag, text }) => {
    const others = picks.filter((pick) => pick.flag === flag);
    return (
      others.length > 0 && others.every((pick) => textLikeness(pick.text, text) < 0.3 && !pick.text.includes(text))
    );
  });
}

/** Flags with the file or folder that a command works on. */
const PLACING = /^(?:-f|--file|-c|--config|--project|--manifest-path|--prefix|-C)$/;

function isConfiguredOther(failed: Run, later: Run, clue: Clue): boolean {
  return failed.words.some(({ flag, path, text }) => {
    if (path === null || !PLACING.test(flag ?? "") || (clue.missing && clue.text.includes(text))) return false;
    const others = later.words.flatMap((word) => (word.flag === flag && word.path !== null ? [word.path] : []));
    return others.length > 0 && others.every((other) => relatePaths(path, other) === null);
  });
}

function selections(run: Run): { flag: string; text: string }[] {
  const picks: { flag: string; text: string }[] = [];
  for (const { flag, text, path } of run.words) {
    const joined = /^(--?[\w-]+)=(.+)$/.exec(text);
    if (joined) picks.push({ flag: joined[1] ?? "", text: joined[2] ?? "" });
    else if (flag !== null && path === null && !text.startsWith("-")) picks.push({ flag, text });
  }
  return picks.filter(({ flag, text }) => !PROSE_FLAGS.test(flag) && !/^[\d.]+[a-z]{0,2}$/.test(text));
}

/** Returns how well a word of the later command matches one of the earlier. */
function covers(wanted: CommandWord, given: CommandWord): number {
  if (wanted.text === given.text) return 1;
  if (wanted.path && given.path) {
    const relation = relatePaths(wanted.path, given.path);
    return relation === "same" || relation === "around" ? 1 : relation === "inside" ? 0.6 : 0;
  }
  const prose = /\s/.test(wanted.text) && /\s/.test(given.text);
  const likeness = prose ? textLikeness(wanted.text, given.text) : 0;
  return likeness >= 0.5 ? likeness : 0;
}

function meantOther(wanted: readonly CommandWord[], given: readonly CommandWord[], name: string): Likeness | null {
  for (const { path } of wanted) {
    for (const { path: other } of given) {
      const why = path && other ? likelyMeant(path, other, []) : null;
      if (why !== null) return { grade: "guess", on: `${name} with ${why}` };
    }
  }
  return null;
}
