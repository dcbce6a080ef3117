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
/** How programs report a failure without their name. Apart from git, they never fail without it. */
const REPORTS: readonly (readonly [program: RegExp, report: RegExp])[] = [
  [/^(?:vue-)?tsc$/, /\berror TS\d+:/],
  [/^go$/, /^(?:go: |--- FAIL|FAIL\t|no Go files|# [\w.-]+\/[\w./-]+(?: |$)|.*\.go:\d+:\d+: )/m],
  [/^cargo$/, /^error(?:\[E\d+\])?: |^thread '.*' .*panicked/m],
  [/^py\.?test$/, /^=+ (?:FAILURES|ERRORS|short test summary info)|^E {3}/m],
  [/^(?:vitest|jest)$/, /^\s*(?:FAIL|Tests?(?: Files| Suites)?:?) .*|\bfailed\b.*\btotal$/m],
  [/^eslint$/, /✖ \d+ problems?/],
  [/^pip3?$/, /^ERROR: /m],
  [/^git (?:add|rm|mv)$/, /\bpathspec\b|paths are ignored|bad source/],
  [/^git commit$/, /nothing (?:added )?to commit|no changes added|\b(?:pre-commit|commit-msg|husky|lint-staged|lefthook)\b/i],
  [/^git push$/, /failed to push|^ ! \[|no upstream branch|src refspec|Permission to .* denied/m],
  [/^git (?:pull|merge|rebase|cherry-pick)$/, /\bCONFLICT\b|divergent branches|fast-forward|overwritten by merge/],
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
  const committed = COMMITTED.test(text) ? chain.findLastIndex((step) => nameOf(step) === "git commit") + 1 : 0;
  const ran = chain.findLastIndex((step) => isMentioned(step, chain, text));
  const announced = ran >= 0 && isAnnounced(chain[ran]);
  // The next script would have been announced.
  const end = chain.findIndex((step, index) => announced && index > ran && isAnnounced(step));
  const rest = chain.slice(Math.max(committed, ran, 0), end < 0 ? undefined : end);
  const suspects = rest.filter((step) => !isSilentOnlyIfFine(step));
  return suspects.length > 0 ? suspects : rest.length > 0 ? rest : chain;
}

/** A hook of git may fail with any message. */
function isSilentOnlyIfFine(step: Step): boolean {
  const name = nameOf(step);
  const reports = !name.startsWith("git ") && REPORTS.some(([program]) => program.test(name));
  return step.purpose.kind === "write" || PREFIXING.has(name) || reports;
}

function isAnnounced(step: Step | undefined): boolean {
  return ANNOUNCING.test(step?.command?.program ?? "");
}

/** Returns whether the output has a message of the program about a failure. */
function isReported(step: Step, steps: readonly Step[], text: string): boolean {
  const name = nameOf(step);
  const reports = REPORTS.some(([program, report]) => program.test(name) && report.test(text));
  return (reports || hasPrefix(name, text)) && isNamedBest(step, steps, text);
}

/** Returns the program, for git with its command; empty for tools that run no command line. */
function nameOf({ command }: Step): string {
  if (command?.program !== "git") return command?.program ?? "";
  const { words } = command;
  return `git ${words.find((word, at) => !word.startsWith("-") && !/^-[cC]$/.test(words[at - 1] ?? "")) ?? ""}`;
}

/** Returns the program that the output of a step was piped to and that reports a failure; null if none does. */
export function failedFilter({ pipedTo }: Step, { text }: Clue): string | null {
  return pipedTo.find((program) => hasPrefix(program, text)) ?? null;
}

/** Matches `ls: …`, `bash: line 1: ls: …`, `(eval):cd:1: …` and `zsh: command not found: ls`. */
function hasPrefix(program: string, text: string): boolean {
  if (program === "") return false;
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
