import { accepts, demandsFix, type FailureLabel } from "./label.ts";

/** Algorithm's result for a failed call, with calls named as in the labels. */
export interface Answer {
  fix: string | null;
  steps: readonly string[];
}

/** Results for the failed calls of one session. */
export type Answers = ReadonlyMap<string, Answer>;

export interface Miss {
  file: string;
  call: string;
  /** `not a failure`: the call is missing among the answers. */
  problem: "wrong fix" | "fix not found" | "fix where there is none" | "not a failure" | "other steps";
  expected: string | null;
  got: string | null;
}

export interface Score {
  labelled: number;
  /** Of these, the calls that the algorithm knows to have failed. */
  failures: number;
  named: number;
  /** Of the fixes named, those that a label names or accepts. */
  right: number;
  /** Labels that demand a fix, and those of them that got an accepted one. */
  demanded: number;
  found: number;
  /** Right fixes whose steps are labelled, and those of them with exactly these steps. */
  withSteps: number;
  stepsRight: number;
  precision: number;
  recall: number;
  misses: Miss[];
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

function problemOf(label: FailureLabel, got: string | null | undefined): Miss["problem"] | undefined {
  if (got === undefined) return "not a failure";
  if (accepts(label, got)) return undefined;
  if (got === null) return "fix not found";
  return label.fix === null ? "fix where there is none" : "wrong fix";
}

/** Compares the answers with the labels, session by session. An answer without a label counts for nothing. */
export function scoreAnswers(
  sessions: readonly { file: string; failures: readonly FailureLabel[]; answers: Answers }[],
): Score {
  const score = { labelled: 0, failures: 0, named: 0, right: 0, demanded: 0, found: 0, withSteps: 0, stepsRight: 0 };
  const misses: Miss[] = [];
  for (const { file, failures, answers } of sessions) {
    for (const label of failures) {
      const answer = answers.get(label.call);
      const got = answer?.fix;
      const problem = problemOf(label, got);
      const isNamed = typeof got === "string";
      score.labelled++;
      if (got !== undefined) score.failures++;
      if (isNamed) score.named++;
      if (isNamed && problem === undefined) score.right++;
      if (demandsFix(label)) score.demanded++;
      if (demandsFix(label) && problem === undefined) score.found++;
      if (isNamed && problem === undefined && label.steps !== undefined) {
        score.withSteps++;
        const [expected, steps] = [label.steps.join(" "), answer?.steps.join(" ") ?? ""];
        if (steps === expected) score.stepsRight++;
        else misses.push({ file, call: label.call, problem: "other steps", expected, got: steps });
      }
      if (problem !== undefined) {
        misses.push({ file, call: label.call, problem, expected: label.fix, got: got ?? null });
      }
    }
  }
  return {
    ...score,
    precision: share(score.right, score.named),
    recall: share(score.found, score.demanded),
    misses,
  };
}
