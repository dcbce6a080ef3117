/** Decides whether a later call has the target of an earlier failed one, and how certain that is. */
import { blameFor, failedFilter } from "./blame.ts";
import type { Target } from "./targets.ts";
import { compareCommands } from "./compare-commands.ts";
import type { Clue } from "./evidence.ts";
import { inputLikeness, isSameInput, MANNERS, overlap, textLikeness } from "./likeness.ts";
import { likelyMeant, relatePaths, samePath, type CallPath } from "./file-paths.ts";
import type { Purpose, Step } from "./purpose.ts";

/** `same`: the same target. `similar`: a part, a wider or a changed form of it. `guess`: what was probably meant. */
export type Grade = "same" | "similar" | "guess";

export interface Match {
  grade: Grade;
  /** Common target, completing "it succeeded on …". */
  on: string;
  /** Step with the same target. */
  step: Step | null;
}

const RANK: Record<Grade, number> = { same: 2, similar: 1, guess: 0 };
/** Minimum likeness of two versions of one text. */
const ALIKE = 0.5;
/** Minimum shares of the smaller of two changes of one file, which share many words anyway, to be the same or similar. */
const SAME_CHANGE = 0.6;
const SAME_SEARCH = 0.3;
const LIKE_CHANGE = 0.2;

export function matchTargets(failed: Target, later: Target, clue: Clue): Match | null {
  if (isIdentical(failed, later)) {
    return { grade: "same", on: "the same input", step: later.steps.find(({ role }) => role === "final") ?? null };
  }
  const { steps, others } = blameFor(failed.steps, clue);
  const match = best(steps.map((step) => matchStep(step, failed, later, clue)));
  // It only ran one of those that may have failed.
  const isPart =
    others.some((step) => matchStep(step, failed, later, clue) === null) ||
    steps.some((step) => isFedOther(step, failed, later, clue));
  return match !== null && isPart ? { ...match, grade: "guess" } : match;
}

export function isIdentical(failed: Target, later: Target): boolean {
  return failed.tool === later.tool && isSameInput(failed.input, later.input);
}

function best(matches: readonly (Match | null)[]): Match | null {
  let top: Match | null = null;
  for (const match of matches) {
    if (match !== null && (top === null || RANK[match.grade] > RANK[top.grade])) top = match;
  }
  return top;
}

function matchStep(step: Step, failed: Target, later: Target, clue: Clue): Match | null {
  if (step.purpose.kind === "use") return matchUse(failed, later, clue);
  return best(
    later.steps.map((laterStep) => {
      if (step.host !== laterStep.host) return null;
      if (searchesOther(step.filter, laterStep.filter, clue)) return null;
      const asked = step.purpose.kind === "fetch" && inputLikeness(failed.fields(), later.fields()) >= ALIKE;
      const match = matchPurpose(step.purpose, laterStep.purpose, clue, asked);
      // A filter that failed has to run again.
      const filter = failedFilter(step, clue);
      const isUnfiltered = filter !== null && !laterStep.pipedTo.includes(filter);
      return match && { ...match, step: laterStep, ...(isUnfiltered ? { grade: "guess" } : {}) };
    }),
  );
}

/** Returns whether the step reads from a pipe what another command of the same kind printed. */
function isFedOther(step: Step, failed: Target, later: Target, clue: Clue): boolean {
  const feeders = later.steps.filter(({ pipedTo }) => pipedTo.length > 0);
  return feedersOf(step, failed.steps).some(
    (feeder) =>
      feeders.some(({ purpose }) => purpose.kind === feeder.purpose.kind) &&
      matchStep(feeder, failed, later, clue) === null,
  );
}

function feedersOf(step: Step, steps: readonly Step[]): readonly Step[] {
  const before = steps.slice(0, steps.indexOf(step));
  return before.slice(before.findLastIndex(({ pipedTo }) => pipedTo.length === 0) + 1);
}

/** If a search at the end of a pipeline printed nothing, only the same search can be a fix. */
function searchesOther(failed: string | null, later: string | null, clue: Clue): boolean {
  if (failed === null || failed === later) return false;
  return clue.bare || (later !== null && textLikeness(failed, later) < SAME_SEARCH);
}

type Likeness = Omit<Match, "step">;

function matchPurpose(failed: Purpose, later: Purpose, clue: Clue, asked: boolean): Likeness | null {
  switch (failed.kind) {
    case "read":
    case "list":
    case "write":
      return matchFiles(failed, later, clue);
    case "search":
    case "glob":
      return later.kind === failed.kind ? matchSearch(failed, later, clue) : null;
    case "fetch":
      return later.kind === "fetch" ? matchUrls(failed.url, later.url, clue, asked) : null;
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
  if (!("paths" in later)) return null;
  if (later.kind !== failed.kind) {
    const listed = clue.folder && failed.kind === "read" && (later.kind === "list" || later.kind === "glob");
    const shared = listed && failed.paths.some((path) => later.paths.some((other) => samePath(path, other)));
    return shared ? { grade: "similar", on: "the same folder, listed" } : null;
  }
  const wanted = blamed(failed.paths, clue);
  const found = wanted.filter((path) => later.paths.some((other) => samePath(path, other)));
  const thing = failed.kind === "list" ? "folder" : "file";
  if (found.length > 0) {
    if (failed.kind === "write" && later.kind === "write") return matchChanges(overlap(failed.words(), later.words()));
    return { grade: found.length === wanted.length ? "same" : "similar", on: `the same ${thing}` };
  }
  if (!clue.missing && !clue.folder) return null;
  for (const path of wanted) {
    for (const other of later.paths) {
      const why = likelyMeant(path, other, clue.looked);
      if (why !== null && clue.missing) return { grade: "guess", on: why };
      if (clue.folder && relatePaths(path, other) === "inside") return { grade: "guess", on: "a file in the folder" };
    }
  }
  return null;
}

function matchChanges(share: number): Likeness | null {
  if (share >= SAME_CHANGE) return { grade: "same", on: "the same file" };
  if (share >= LIKE_CHANGE) return { grade: "similar", on: "the same file, with a change that is partly the same" };
  return null;
}

/** Returns the paths named in the error, or all if it names none. */
function blamed(paths: readonly CallPath[], clue: Clue): readonly CallPath[] {
  if (paths.length < 2) return paths;
  const named = paths.filter(({ given }) => given.length > 2 && clue.text.includes(given));
  return named.length > 0 ? named : paths;
}

function matchSearch(
  failed: Purpose & { kind: "search" | "glob" },
  later: Purpose & { kind: "search" | "glob" },
  clue: Clue,
): Likeness | null {
  const samePattern = failed.pattern === later.pattern;
  const around = sharePlaces(failed.paths, later.paths);
  if (samePattern)
    return { grade: around ? "same" : "similar", on: around ? "the same search" : "the same pattern elsewhere" };
  if (!around && !clue.missing) return null;
  if (textLikeness(failed.pattern, later.pattern) < ALIKE) return null;
  return { grade: around ? "similar" : "guess", on: "a similar pattern" };
}

function sharePlaces(a: readonly CallPath[], b: readonly CallPath[]): boolean {
  if (a.length === 0 || b.length === 0) return a.length === b.length;
  return a.some((path) => b.some((other) => relatePaths(path, other) === "same"));
}

/** `asked`: both have the same question. */
function matchUrls(failed: string, later: string, clue: Clue, asked: boolean): Likeness | null {
  const [a, b] = [parseUrl(failed), parseUrl(later)];
  if (a === null || b === null) return failed === later ? { grade: "same", on: "the same address" } : null;
  const query = a.search === b.search;
  if (a.host === b.host && a.path === b.path) return { grade: query ? "same" : "similar", on: "the same address" };
  if (clue.text.includes(later)) return { grade: "similar", on: "the address that the error names" };
  const likeness = textLikeness(a.path, b.path);
  if (a.host !== b.host || (likeness < ALIKE && !clue.missing && !asked) || areOthers(a.path, b.path)) return null;
  const on = "an address on the same host";
  if (likeness >= ALIKE && isSamePage(a.path, b.path)) return { grade: "similar", on };
  return clue.missing || asked ? { grade: "guess", on } : null;
}

/** Returns whether two paths have the same last part, or one is in the other. */
function isSamePage(a: string, b: string): boolean {
  return a.split("/").at(-1) === b.split("/").at(-1) || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** On hosts with many owners the first two path segments name a project; if it moved, one of them is the same. */
function areOthers(a: string, b: string): boolean {
  const [[, owner, name], [, otherOwner, otherName]] = [a.split("/"), b.split("/")];
  if (name === undefined || otherName === undefined) return false;
  return owner !== otherOwner && name !== otherName;
}

function parseUrl(text: string): { host: string; path: string; search: string } | null {
  const url = URL.parse(/^\w+:\/\//.test(text) ? text : `https://${text}`);
  return url && { host: url.host.replace(/^www\./, ""), path: url.pathname.replace(/\/$/, ""), search: url.search };
}

/** Compares calls of unknown tools: the same tool with a similar input. */
function matchUse(failed: Target, later: Target, clue: Clue): Match | null {
  if (failed.tool === "" || failed.tool !== later.tool) return null;
  const likeness = inputLikeness(failed.fields(), later.fields());
  const grade = likeness >= 0.8 ? "same" : likeness >= ALIKE ? "similar" : clue.malformed ? "guess" : null;
  if (grade === null) return null;
  if (!clue.malformed && namesOther(failed, later, clue)) return null;
  const on = grade === "guess" ? "the same tool, after its input was refused" : "the same tool with a similar input";
  return { grade, on, step: null };
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
      clue.text.includes(other.text) ||
      (clue.refused && (clue.text.includes(text) || clue.text.includes(name)));
    return !isRefused && !/^(?:true|false)$/.test(text);
  });
}
