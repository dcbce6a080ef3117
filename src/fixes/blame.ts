/** Determines which command of a failed line failed, from what its output says. */
import type { Clue } from "./evidence.ts";
import type { Step } from "./purpose.ts";

export interface Blame {
  /** Steps of which one failed. */
  steps: readonly Step[];
  /** Steps that may have failed instead, or that the error names as well: a fix has to run them too. */
  others: readonly Step[];
}

/** Programs that report a failure with a message that begins with their name. Without one they succeeded. */
const PREFIXING = new Set(
  "ls cat head tail cp mv rm mkdir rmdir chmod chown touch ln find sed awk sort uniq wc cut tr tee xargs stat du df tar unzip zip curl wget kill pkill which".split(
    " ",
  ),
);
/** How programs report a failure without their name. */
const REPORTS: readonly (readonly [program: RegExp, report: RegExp])[] = [
  [/^(?:vue-)?tsc$/, /\berror TS\d+:/],
  [/^(?:go|gotestsum)$/, /^(?:go: |--- FAIL|FAIL\t|no Go files|# [\w.-]+\/[\w./-]+(?: |$)|.*\.go:\d+:\d+: )/m],
  [/^cargo$/, /^error(?:\[E\d+\])?: |^thread '.*' .*panicked/m],
  [/^(?:py\.?test|tox|nox)$/, /^=+ (?:FAILURES|ERRORS|short test summary info)|^E {3}/m],
  [/^(?:vitest|jest)$/, /^\s*(?:FAIL|Tests?(?: Files| Suites)?:?) .*|\bfailed\b.*\btotal$/m],
  [/^eslint$/, /✖ \d+ problems?/],
  [/^mypy$/, /^Found \d+ errors? in /m],
  [/^(?:python|.*\.py)$/, /^Traceback \(most recent|^\w*Error: /m],
  [/^(?:node|tsx|ts-node|.*\.[cm]?[jt]s)$/, /^Node\.js v\d|\bnode:internal\//m],
  [/^install packages$/, /\bnpm (?:ERR!|error) code\b|\bERR_PNPM|^error An unexpected/m],
  [/^pip3?$/, /^ERROR: /m],
  [/^docker(?:-compose)?$/, /failed to (?:solve|build)|Error response from daemon|no configuration file/],
  [/^cmake$/, /^CMake Error/m],
  [/^terraform$/, /^(?:│ )?Error: /m],
  [/^(?:gradlew?|mvnw?)$/, /^(?:FAILURE: |BUILD FAIL|\[ERROR\])/m],
];
/** Programs of this list that never fail without their report. */
const ALWAYS_REPORTING = /^(?:(?:vue-)?tsc|go|cargo|py\.?test|vitest|jest|eslint|mypy|cmake|pip3?)$/;
/** The same for commands of git, which often follow each other. */
const GIT_REPORTS: readonly (readonly [command: RegExp, report: RegExp])[] = [
  [/^(?:add|rm|mv)$/, /\bpathspec\b|paths are ignored|bad source/],
  [
    /^commit$/,
    /nothing (?:added )?to commit|no changes added|empty commit message|unmerged files|\b(?:pre-commit|commit-msg|husky|lint-staged|lefthook)\b/i,
  ],
  [/^push$/, /failed to push|^ ! \[|no upstream branch|src refspec|\bpre-push\b|Permission to .* denied/m],
  [
    /^(?:pull|merge|rebase|cherry-pick|am|apply)$/,
    /\bCONFLICT\b|divergent branches|fast-forward|overwritten by merge|Could not apply|unrelated histories|cannot (?:pull|rebase)|tracking information|patch does not apply|something we can merge|couldn't find remote ref/,
  ],
  [/^(?:checkout|switch|restore)$/, /\bpathspec\b|overwritten by checkout|invalid reference|a branch named/],
  [/^stash$/, /stash entr|No local changes|No stash/],
  [/^(?:fetch|clone)$/, /couldn't find remote ref|already exists and is not an empty|Repository not found/],
];
/** Printed by `git commit` when it succeeds. */
const COMMITTED = /^\[[\w./ ()-]+ [0-9a-f]{7,}\] /m;
/** Programs that print the name of each script before they run it. */
const ANNOUNCING = /^(?:run script|mise|task|just|turbo|nx|rake)$/;

/**
 * `a && b` ends with the first command that fails, so the failed one is the last that the output mentions. Without a
 * mention it is the end of the line, which is what the call was for, but may be any that would not have said so.
 */
export function blameFor(steps: readonly Step[], clue: Clue): Blame {
  const chain = steps.filter(({ role }) => role !== "apart");
  const ends = endsOf(chain.filter(({ role }) => role === "final"));
  if (steps.length < 2) return { steps: ends, others: [] };
  const reports = (step: Step): boolean => isReported(step, steps, clue.text);
  const apart = steps.filter((step) => step.role === "apart" && reports(step));
  const last = chain.findLastIndex(reports);
  const reported = chain[last];
  if (reported !== undefined) return { steps: alternativesOf(reported, ends), others: apart };
  if (apart.length > 0) return { steps: apart.slice(-1), others: apart.slice(0, -1) };
  const suspects = suspectsIn(chain, clue.text);
  const blamed = suspects.filter((step) => ends.includes(step));
  const likely = blamed.length > 0 ? blamed : suspects.slice(-1);
  return { steps: likely, others: suspects.filter((step) => step.role !== "final" && !likely.includes(step)) };
}

/** The last command of a pipeline decides how it ends. */
function endsOf(finals: readonly Step[]): readonly Step[] {
  const deciding = finals.filter(({ assured }) => assured);
  return deciding.length > 0 ? deciding : finals;
}

/** If the purpose of the call failed, so did all its alternatives. */
function alternativesOf(step: Step, ends: readonly Step[]): readonly Step[] {
  return ends.includes(step) ? ends : [step];
}

/** Returns the steps that may have failed: those before one that ran succeeded, and some would have reported it. */
function suspectsIn(chain: readonly Step[], text: string): readonly Step[] {
  const committed = COMMITTED.test(text) ? chain.findLastIndex((step) => gitCommand(step) === "commit") + 1 : 0;
  const ran = chain.findLastIndex((step) => isMentioned(step, chain, text));
  const first = Math.max(committed, ran, 0);
  const announced = chain[ran];
  // The next script would have been announced.
  const end = chain.findIndex(
    (step, index) => ran >= 0 && index > ran && isAnnounced(step) && announced !== undefined && isAnnounced(announced),
  );
  const rest = chain.slice(first, end < 0 ? undefined : end);
  const suspects = rest.filter((step) => !isSilentOnlyIfFine(step));
  return suspects.length > 0 ? suspects : rest.length > 0 ? rest : chain;
}

function isSilentOnlyIfFine({ purpose, command }: Step): boolean {
  const program = command?.program ?? "";
  return purpose.kind === "write" || PREFIXING.has(program) || ALWAYS_REPORTING.test(program);
}

function isAnnounced({ command }: Step): boolean {
  return command !== null && ANNOUNCING.test(command.program);
}

/** Returns whether the output has a message of the program about a failure. */
function isReported(step: Step, steps: readonly Step[], text: string): boolean {
  const { command } = step;
  if (command === null) return false;
  const { program } = command;
  if (hasPrefix(program, text)) return isNamedBest(step, steps, text);
  if (program === "git") return isGitReported(step, steps, text);
  return REPORTS.some(([name, report]) => name.test(program) && report.test(text)) && isNamedBest(step, steps, text);
}

function isGitReported(step: Step, steps: readonly Step[], text: string): boolean {
  const known = (each: Step): boolean =>
    GIT_REPORTS.some(([name, report]) => name.test(gitCommand(each) ?? "") && report.test(text));
  const others = steps.filter((each) => each.command?.program === "git");
  if (others.some(known)) return known(step) && isNamedBest(step, others.filter(known), text);
  return others.length === 1 && /^(?:fatal|error): /m.test(text);
}

function gitCommand({ command }: Step): string | null {
  if (command?.program !== "git") return null;
  return (
    command.words.find((word, index) => !word.startsWith("-") && !/^-[cC]$/.test(command.words[index - 1] ?? "")) ??
    null
  );
}

/** Returns the program that the output of a step was piped to and that reports a failure; null if none does. */
export function failedFilter({ pipedTo }: Step, { text }: Clue): string | null {
  return pipedTo.find((program) => hasPrefix(program, text)) ?? null;
}

/** Matches `ls: …`, `bash: line 1: ls: …`, `(eval):cd:1: …` and `zsh: command not found: ls`. */
function hasPrefix(program: string, text: string): boolean {
  const name = program.replaceAll(/[^\w]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`^(?:\S*/)?(?:.{0,60}: (?:line )?(?:\d+: )?|\(eval\):)?${name}(?:\[\d+\])?: ?\S|command not found: ${name}$`,
    "m",
  ).test(text);
}

/** Returns whether no other step of the program has more of its words in the output. */
function isNamedBest(step: Step, steps: readonly Step[], text: string): boolean {
  const siblings = steps.filter((each) => each.command?.program === step.command?.program);
  if (siblings.length < 2) return true;
  const share = (each: Step): number => {
    const words = ownWords(each, siblings);
    return words.length === 0 ? 0 : words.filter((word) => text.includes(word)).length / words.length;
  };
  const own = share(step);
  return siblings.every((each) => each === step || share(each) <= own);
}

/** Returns whether the output contains a word that only this step has. */
function isMentioned(step: Step, steps: readonly Step[], text: string): boolean {
  const words = ownWords(step, steps);
  if (isAnnounced(step)) return words.some((word) => announcement(word).test(text));
  return words.some((word) => /[./_\d-]/.test(word) && text.includes(word));
}

/** Matches `> app@1.0.0 lint`, `[lint] $ …`, `[lint:go] …` and `task: [lint] …`. */
function announcement(script: string): RegExp {
  const name = script.replaceAll(/[^\w]/g, String.raw`\$&`);
  return new RegExp(String.raw`^(?:> .{0,200} ${name}(?: |$)|\$ .*\b${name}\b|.{0,40}\[${name}(?::[\w-]+)?\])`, "m");
}

/** Returns words that no other of the steps has, without flags and prose. */
function ownWords(step: Step, steps: readonly Step[]): string[] {
  const all = step.command?.words ?? [];
  const isOther = (word: string): boolean => steps.some((each) => each !== step && each.command?.words.includes(word));
  return all.filter((word) => word.length > 2 && !word.startsWith("-") && !/\s/.test(word) && !isOther(word));
}
