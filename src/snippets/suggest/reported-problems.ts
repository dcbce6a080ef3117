/** Problems that a person reports and that are then mended: what was told, why it was so, what was changed. */
import { FAILURE_LINE } from "../../parse/fixes/evidence.ts";
import { bounded, evidenceOf, type Candidate } from "./candidate.ts";
import { changesIn, type Change } from "./changes.ts";
import { answerText, typedText, type Conversation, type Said, type Turn } from "./conversation.ts";
import { CAUSE, cuesIn, PROBLEM, REQUEST } from "./cues.ts";
import { isShell } from "./failures.ts";
import { namesFound, namesIn } from "./names.ts";
import { cutTitle, isTelling, lengthOf, proseOf, sentencesOf } from "./sentences.ts";

/** Frames of a stack, and places as compilers name them. */
const TRACE = /^\s+at .+:\d+|^\s*File ".+", line \d+|\b[\w./-]+\.\w{1,4}[:(]\d+[:,]\d+\)?:?\s/m;
const MIN_REPORT = 60;
/** Longer texts are tasks or documents. */
const MAX_REPORT = 6_000;
const MIN_WORDS = 120;
const MAX_CHANGES = 4;
/** More changes, or more new files, are the building of something. */
const MANY_CHANGES = 10;
/** So much more is written than was there, beyond some room for tests. */
const GROWTH = 4;
const ROOM = 600;

interface Signs {
  /** The report shows what a program printed. */
  isShown: boolean;
  /** Things that the report names and that the changed code has. */
  named: string[];
  explanation: Said | undefined;
  conclusion: Said | undefined;
  isChecked: boolean;
  /** Ways of speaking of faults in the report. */
  faults: number;
  /** Those, and ways of speaking of causes in all. */
  cues: string[];
  isBuilding: boolean;
}

export function reportedProblems(conversation: Conversation): Candidate[] {
  return conversation.turns.flatMap((turn) => candidateOf(turn) ?? []);
}

function candidateOf(turn: Turn): Candidate | undefined {
  const report = turn.prompt === undefined ? undefined : typedText(turn.prompt);
  const changes = changesIn(turn.said);
  if (report === undefined || changes.length === 0) return undefined;
  if (lengthOf(report) < MIN_REPORT || report.length > MAX_REPORT) return undefined;
  const signs = signsOf(report, turn, changes);
  const score = scoreOf(signs);
  const { explanation, conclusion } = signs;
  if (score === 0) return undefined;
  return {
    snippet_type: "error_reasoning",
    title: titleOf(report, signs),
    score: bounded(score),
    reason: reasonOf(signs),
    evidence: [
      ...evidenceOf("reported", turn.prompt),
      ...evidenceOf("explained", explanation),
      ...evidenceOf("changed", ...changes.slice(0, MAX_CHANGES).map(({ said }) => said)),
      ...evidenceOf("concluded", conclusion),
    ],
  };
}

function signsOf(report: string, turn: Turn, changes: readonly Change[]): Signs {
  const first = changes[0]?.said.at ?? 0;
  const last = changes.at(-1)?.said.at ?? 0;
  const removed = changes.map((change) => change.removed).join("\n");
  const added = changes.map((change) => change.added).join("\n");
  const paths = changes.map(({ path }) => path).join("\n");
  const code = `${removed}\n${paths}\n${added}`;
  const speaksOfIt = (said: Said): boolean => {
    const text = answerText(said) ?? "";
    if (said.message.is_sidechain || lengthOf(text) < MIN_WORDS) return false;
    const names = namesIn(text);
    return namesFound(names, code).length >= 2 || namesFound(names, report).length >= 2;
  };
  const explanation = turn.said.findLast((said) => said.at < first && speaksOfIt(said));
  const conclusion = turn.said.findLast((said) => said.at > last && speaksOfIt(said));
  const words = [report, ...[explanation, conclusion].map((said) => (said && answerText(said)) ?? "")];
  const prose = words.map(proseOf).join("\n");
  const faults = cuesIn(proseOf(report), PROBLEM);
  const created = changes.filter((change) => change.removed === "").length;
  return {
    isShown: FAILURE_LINE.test(report) || TRACE.test(report),
    named: namesFound(namesIn(report), `${removed}\n${paths}`),
    explanation,
    conclusion,
    isChecked: turn.said.some(({ at, call }) => at > last && call !== undefined && isShell(call)),
    faults: faults.length,
    cues: [...faults, ...cuesIn(prose, CAUSE)],
    isBuilding:
      REQUEST.test(report) ||
      changes.length > MANY_CHANGES ||
      created * 2 > changes.length ||
      added.length > GROWTH * (removed.length + ROOM),
  };
}

/** 0 if it need not be a problem, or if nobody says anything about it. */
function scoreOf({ isShown, named, explanation, conclusion, isChecked, faults, cues, isBuilding }: Signs): number {
  const isTold = isShown || named.length >= 2 || cues.length >= 2;
  if (!isTold || (explanation === undefined && conclusion === undefined)) return 0;
  return (
    0.2 +
    (isShown ? 0.25 : 0) +
    Math.min(named.length, 4) * 0.06 +
    (explanation === undefined ? 0 : 0.15) +
    (conclusion === undefined ? 0 : 0.1) +
    (isChecked ? 0.05 : 0) +
    Math.min(cues.length, 4) * 0.07 -
    (isBuilding && !isShown && faults < 2 ? 0.15 : 0)
  );
}

function reasonOf({ isShown, named, explanation, isChecked }: Signs): string {
  const told = isShown
    ? "shows an error"
    : named.length > 0
      ? `tells of ${named
          .slice(0, 3)
          .map((name) => `\`${name}\``)
          .join(", ")}`
      : "tells of a problem";
  const why = explanation === undefined ? "" : ", the assistant says why it is so";
  return `The user ${told}${why}, and files are changed${isChecked ? " and checked" : ""}.`;
}

/** The sentence that names the cause; else the report's own that names most. */
function titleOf(report: string, { explanation, conclusion }: Signs): string {
  for (const said of [explanation, conclusion]) {
    const told = sentencesOf(proseOf((said && answerText(said)) ?? "")).filter(isTelling);
    const cause = told.find((sentence) => sentence.search(CAUSE) !== -1 && namesIn(sentence).length > 0);
    if (cause !== undefined) return cutTitle(cause);
  }
  const sentences = sentencesOf(proseOf(report)).filter(isTelling);
  const [most] = sentences.toSorted((a, b) => namesIn(b).length - namesIn(a).length);
  return cutTitle(most ?? report);
}
