/** Texts in which somebody says why: the cause of a fault, the reason of a decision, a lesson. */
import type { SnippetType } from "../../store/model.ts";
import { bounded, evidenceOf, type Candidate, type Evidence } from "./candidate.ts";
import { changeOf, reportOf } from "./changes.ts";
import { answerText, resultOf, type Conversation, type Said, typedText } from "./conversation.ts";
import { CAUSE, CHOICE, cuesIn, LESSON, RATIONALE_HEADING, REASON, REMEDY, STATED_CHOICE, WEIGHED } from "./cues.ts";
import { isShell } from "./failures.ts";
import { isSlip } from "./slips.ts";
import { proseOf, titleFrom } from "./sentences.ts";

/** Told when it is over: then a command in the shell may have been the remedy. */
const LOOKING_BACK =
  /\b(?:(?:was|were) caused by|(?:was|were) because|turned out|the (?:\w+ )?(?:issue|problem|cause|error|failure)s? (?:was|were)\b)/i;
/** Shorter texts announce what comes next; they explain nothing. */
const MIN_CHARS = 100;
/** What a person pastes beyond this is a document. */
const MAX_TYPED_CHARS = 4_000;
/** So many entries after an explanation its change is looked for. */
const CHANGE_REACH = 12;
/** So many entries before it a failure that it explains. */
const FAILURE_REACH = 4;

interface Weighed {
  type: SnippetType;
  score: number;
  cues: string[];
  title: RegExp;
}

export function explanations(conversation: Conversation): Candidate[] {
  const reports = new Set(conversation.turns.flatMap((turn) => reportOf(turn) ?? []));
  return conversation.all.flatMap((said) => {
    const answer = answerText(said);
    const text = answer ?? typedText(said);
    if (text === undefined || text.length < MIN_CHARS || (answer === undefined && text.length > MAX_TYPED_CHARS))
      return [];
    const prose = proseOf(text);
    const best = [
      diagnosis(prose, said, conversation),
      decision(prose, answer !== undefined, reports.has(said)),
      answer === undefined ? NO_LESSON : lesson(prose),
    ].toSorted((a, b) => b.score - a.score)[0];
    if (best === undefined || best.score === 0) return [];
    return [
      {
        snippet_type: best.type,
        title: titleFrom(prose, best.title),
        score: bounded(best.score),
        reason: reasonOf(best, answer !== undefined),
        evidence: [
          ...evidenceOf("context", answer === undefined ? undefined : promptOf(said, conversation)),
          ...(best.type === "error_reasoning" ? around(said, conversation) : evidenceOf("explained", said)),
        ],
      },
    ];
  });
}

function diagnosis(prose: string, said: Said, conversation: Conversation): Weighed {
  const causes = cuesIn(prose, CAUSE);
  const remedies = cuesIn(prose, REMEDY);
  const isMended =
    changesAfter(said, conversation).length > 0 || changedBefore(said, conversation, LOOKING_BACK.test(prose));
  const failed = failedJustBefore(said, conversation);
  const score =
    causes.length === 0 || (failed === undefined && (remedies.length === 0 || !isMended))
      ? 0
      : 0.42 +
        (failed === undefined ? 0 : 0.06) +
        Math.min(causes.length, 3) * 0.12 +
        Math.min(remedies.length, 3) * 0.04 +
        (prose.length > 400 ? 0.05 : 0);
  return { type: "error_reasoning", score, cues: causes, title: CAUSE };
}

/** Reports of what was done speak of choices too: only reasons make a decision of them. */
function decision(prose: string, isAnswer: boolean, isReport: boolean): Weighed {
  const choices = cuesIn(prose, CHOICE);
  const reasons = cuesIn(prose, REASON);
  const weighed = cuesIn(prose, WEIGHED);
  const hasHeading = prose.search(RATIONALE_HEADING) !== -1;
  const isStated = STATED_CHOICE.test(prose);
  const isReasoned = choices.length > 0 && reasons.length > 0 && (weighed.length > 0 || hasHeading);
  const score = !isReasoned
    ? isStated
      ? 0.62
      : 0
    : 0.3 +
      (isStated ? 0.1 : isReport ? -0.12 : 0) +
      Math.min(choices.length, 3) * 0.09 +
      Math.min(reasons.length, 3) * 0.07 +
      Math.min(weighed.length, 3) * 0.05 +
      (hasHeading ? 0.15 : 0) +
      (isAnswer ? 0 : 0.05);
  return {
    type: "decision_rationale",
    score,
    cues: [...choices, ...reasons],
    title: isReasoned ? CHOICE : STATED_CHOICE,
  };
}

/** What a person wants from now on is found by `instructions.ts`. */
const NO_LESSON: Weighed = { type: "learning_pattern", score: 0, cues: [], title: LESSON };

function lesson(prose: string): Weighed {
  const lessons = cuesIn(prose, LESSON);
  const reasons = cuesIn(prose, REASON);
  const isLesson = lessons.length > 0 && reasons.length > 0;
  const score = isLesson ? 0.3 + Math.min(lessons.length, 3) * 0.15 + Math.min(reasons.length, 2) * 0.05 : 0;
  return { type: "learning_pattern", score, cues: lessons, title: LESSON };
}

function reasonOf({ type, cues }: Weighed, isAnswer: boolean): string {
  const who = isAnswer ? "The assistant" : "The user";
  const words = cues
    .slice(0, 3)
    .map((cue) => `“${cue}”`)
    .join(", ");
  if (type === "error_reasoning") return `${who} names a cause, and a change follows or precedes (${words}).`;
  if (type === "decision_rationale") return `${who} gives reasons for a choice (${words}).`;
  return `${who} says what holds beyond the task (${words}).`;
}

/** A call that failed so lately that the text speaks of it. */
function failedJustBefore({ at, turn }: Said, { all }: Conversation): Said | undefined {
  const before = all.slice(Math.max(at - FAILURE_REACH, 0), at).filter((each) => each.turn === turn);
  return before.findLast(({ call }) => call?.status === "error" && !isSlip(call));
}

/** The failure that it explains, what it says, and the change that follows. */
function around(said: Said, conversation: Conversation): Evidence[] {
  const failed = failedJustBefore(said, conversation);
  const result = failed && resultOf(failed, conversation);
  return [
    ...(result !== undefined && result.at < said.at ? evidenceOf("failed", failed, result) : []),
    ...evidenceOf("explained", said),
    ...evidenceOf("changed", ...changesAfter(said, conversation)),
  ];
}

function changesAfter({ at, turn }: Said, { all }: Conversation): Said[] {
  const after = all.slice(at + 1, at + 1 + CHANGE_REACH).filter((each) => each.turn === turn);
  return after.filter((each) => changeOf(each) !== undefined).slice(0, 2);
}

function changedBefore({ at, turn }: Said, { byTurn }: Conversation, isLookingBack: boolean): boolean {
  const before = byTurn.get(turn)?.said.filter((each) => each.at < at);
  return (before ?? []).some(
    (each) => changeOf(each) !== undefined || (isLookingBack && each.call !== undefined && isShell(each.call)),
  );
}

/** What the person had asked. */
function promptOf({ at, turn }: Said, { byTurn }: Conversation): Said | undefined {
  const prompt = byTurn.get(turn)?.prompt;
  return prompt !== undefined && prompt.at < at ? prompt : undefined;
}
