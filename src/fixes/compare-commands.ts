/** Decides whether two command lines run the same program on the same target. */
import type { Clue } from "./evidence.ts";
import { textLikeness } from "./likeness.ts";
import { likelyMeant, relatePaths } from "./file-paths.ts";
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
  if (failed.code !== null && later.code !== null) return compareCode(name, failed.code, later.code);
  const [first, laterFirst] = [subcommand(failed), subcommand(later)];
  if (first !== laterFirst) return null;
  // A call for help or for the status is not a fix.
  if (inspectionIn(later) !== inspectionIn(failed)) return null;
  const on = `the same command (${first === null ? name : `${name} ${first}`})`;
  if (selectsOther(failed, later)) return null;
  const wanted = operands(failed).filter((word) => word.text !== first);
  const given = later.words.filter((word) => word.text !== first && !word.text.startsWith("-"));
  if (wanted.length === 0)
    return emptyOperands(
      failed,
      later,
      operands(later).filter((word) => word.text !== first),
      on,
      clue,
    );
  if (operands(later).every((word) => word.text === first)) return first === null ? null : { grade: "same", on };
  const covered = wanted.reduce((sum, word) => sum + Math.max(0, ...given.map((other) => covers(word, other))), 0);
  const share = covered / wanted.length;
  if (share >= 0.99) return { grade: "same", on };
  if (share >= 0.5) return { grade: "similar", on };
  return clue.missing ? meantOther(wanted, given, name) : null;
}

/** Compares a missing program with another one on the same targets. */
function sameOperands(failed: Run, later: Run): Likeness | null {
  const wanted = operands(failed);
  const isSame =
    (wanted.length > 1 || wanted.some(({ path }) => path !== null)) &&
    wanted.every(({ text }) => later.words.some((word) => word.text === text));
  return isSame ? { grade: "similar", on: "the same arguments, with another program" } : null;
}

function compareCode(name: string, a: string, b: string): Likeness | null {
  const likeness = textLikeness(a, b);
  if (likeness < 0.4) return null;
  return { grade: likeness >= 0.7 ? "same" : "similar", on: `similar ${name} code` };
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
  if (!prose && !clue.usage && asksOther(failed, later)) return null;
  return { grade: prose || (given.length === 0 && keepsOptions(failed, later)) ? "same" : "similar", on };
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
