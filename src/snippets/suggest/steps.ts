/** Steps that are explained: what was found out before a change, after a failure, or from what was looked up. */
import type { SnippetType } from "../../store/model.ts";
import { bounded, evidenceOf, type Candidate, type Evidence } from "./candidate.ts";
import { changeOf, reportOf, type Change } from "./changes.ts";
import { answerText, resultOf, type Conversation, type Said } from "./conversation.ts";
import { CAUSE, CHOICE, cuesIn, LESSON, PROBLEM, REASON } from "./cues.ts";
import { namesFound, namesIn } from "./names.ts";
import { cutTitle, isTelling, lengthOf, proseOf, sentencesOf, titleFrom } from "./sentences.ts";
import { isSlip } from "./slips.ts";

/** Shorter texts announce what is done next. */
const MIN_TEXT = 120;
const LONG_TEXT = 280;
/** A sentence of this length says more than what follows. */
const MIN_ANNOUNCED = 100;
/** Longer ones are reports of the whole, which other rules look at. */
const MAX_TEXT = 3_000;
/** So many entries on, a change is what the text is about; so many back, a result. */
const REACH = 4;
const MAX_RESULT = 60_000;

export function steps(conversation: Conversation): Candidate[] {
  const reports = new Set(conversation.turns.flatMap((turn) => reportOf(turn) ?? []));
  return conversation.all.flatMap((said) => {
    const text = said.message.is_sidechain ? undefined : answerText(said);
    if (text === undefined || text.length > MAX_TEXT || reports.has(said)) return [];
    // "Let me change it:" is about what follows.
    const prose = sentencesOf(proseOf(text)).filter((each) => !/[:：]$/.test(each) || lengthOf(each) >= MIN_ANNOUNCED);
    if (lengthOf(prose.join(" ")) < MIN_TEXT) return [];
    return candidateOf(said, prose.join("\n"), conversation);
  });
}

function candidateOf(said: Said, prose: string, conversation: Conversation): Candidate[] {
  const { all } = conversation;
  const near = (from: number, to: number): Said[] =>
    all.slice(Math.max(from, 0), to).filter((each) => each.turn === said.turn && !each.message.is_sidechain);
  const names = namesIn(prose);
  const after = near(said.at + 1, said.at + 1 + REACH);
  const before = near(said.at - REACH, said.at);
  const change = after.flatMap((each) => changeOf(each) ?? [])[0];
  const failed = before.findLast((each) => each.call?.status === "error" && !isSlip(each.call));
  const results = before.map((each) => (each.block.result_text ?? "").slice(0, MAX_RESULT)).join("\n");
  const changed = change === undefined ? [] : namesFound(names, `${change.path}\n${change.removed}\n${change.added}`);
  const seen = namesFound(names, results);
  const cues = weigh(prose);
  const isAbout = changed.length >= 2 || seen.length >= 2 || (failed !== undefined && seen.length > 0);
  const isStrong = cues.count >= 2 && (changed.length > 0 || seen.length > 0);
  if (!isAbout && !isStrong) return [];
  const score =
    0.34 +
    (changed.length > 0 ? 0.06 + Math.min(changed.length, 4) * 0.02 : 0) +
    (failed !== undefined && seen.length > 0 ? 0.14 : 0) +
    Math.min(seen.length, 3) * 0.02 +
    Math.min(cues.count, 4) * 0.06 +
    (lengthOf(prose) >= LONG_TEXT ? 0.04 : 0);
  if (cues.count === 0) return [];
  return [
    {
      snippet_type: cues.type,
      title: titleOf(prose, cues.title),
      score: bounded(score),
      reason: reasonOf(changed.length > 0, failed !== undefined, changed.length > 0 ? changed : seen),
      evidence: evidence(said, failed, changed.length > 0 ? change : undefined, conversation),
    },
  ];
}

function evidence(said: Said, failed: Said | undefined, change: Change | undefined, all: Conversation): Evidence[] {
  const result = failed && resultOf(failed, all);
  return [
    ...(result !== undefined && result.at < said.at ? evidenceOf("failed", failed, result) : []),
    ...evidenceOf("explained", said),
    ...evidenceOf("changed", change?.said),
  ];
}

/** Which type the words speak for most. */
function weigh(prose: string): { type: SnippetType; title: RegExp; count: number } {
  const faults = cuesIn(prose, CAUSE).length * 1.5 + cuesIn(prose, PROBLEM).length * 0.5;
  const choices = cuesIn(prose, CHOICE).length * 1.5;
  const lessons = cuesIn(prose, LESSON).length * 1.5;
  const reasons = cuesIn(prose, REASON).length;
  const count = faults + choices + lessons + reasons;
  if (faults >= choices && faults >= lessons && faults > 0)
    return { type: "error_reasoning", title: prose.search(CAUSE) === -1 ? PROBLEM : CAUSE, count };
  if (lessons > choices) return { type: "learning_pattern", title: LESSON, count };
  return { type: "decision_rationale", title: choices > 0 ? CHOICE : REASON, count };
}

function titleOf(prose: string, cue: RegExp): string {
  const told = sentencesOf(prose).filter((sentence) => isTelling(sentence) && namesIn(sentence).length > 0);
  const telling = told.find((sentence) => sentence.search(cue) !== -1);
  return telling === undefined ? titleFrom(prose, cue) : cutTitle(telling);
}

function reasonOf(isChanged: boolean, isFailed: boolean, names: readonly string[]): string {
  const shown = names
    .slice(0, 3)
    .map((name) => `\`${name}\``)
    .join(", ");
  const after = isFailed ? " after a failure" : "";
  if (isChanged) return `The assistant explains a change${after} that has what it names (${shown}).`;
  return `The assistant explains what it found${after}${shown === "" ? "" : ` (${shown})`}.`;
}
