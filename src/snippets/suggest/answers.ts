/** Questions of a person that were answered from the code, without a change: how something works, and where. */
import { bounded, evidenceOf, type Candidate } from "./candidate.ts";
import { changesIn } from "./changes.ts";
import { answerText, typedText, type Conversation, type Turn } from "./conversation.ts";
import { CAUSE, cuesIn, REASON } from "./cues.ts";
import { namesFound, namesIn } from "./names.ts";
import { cutTitle, isTelling, lengthOf, proseOf, sentencesOf, titleFrom } from "./sentences.ts";

const QUESTION =
  /[?？؟]|(?:か|吗|呢)[。\s]*$|^(?:what|why|how|where|when|which|who|is|are|does|do|did|can|could|should|explain|tell me)\b/i;
/** Longer texts are tasks. */
const MAX_QUESTION = 400;
const MIN_ANSWER = 300;
const MIN_ANSWER_BEFORE = 180;
/** Longer ones are surveys. */
const MAX_ANSWER = 6_000;
/** So many names in what was looked up, and the answer stands on it. */
const MIN_GROUNDED = 3;
const MAX_LOOKED_UP = 400_000;

export function answers(conversation: Conversation): Candidate[] {
  return conversation.turns.flatMap((turn) => candidateOf(turn, conversation) ?? []);
}

function candidateOf({ prompt, said }: Turn, conversation: Conversation): Candidate | undefined {
  const question = prompt === undefined ? "" : (typedText(prompt) ?? "");
  if (prompt === undefined || !QUESTION.test(question) || lengthOf(question) > MAX_QUESTION) return undefined;
  const [change] = changesIn(said);
  // An answer before a change is why it is made; behind it stands what was done.
  const answer = said.findLast(
    (each) =>
      answerText(each) !== undefined &&
      !each.message.is_sidechain &&
      (change === undefined || (each.at < change.said.at && lengthOf(answerText(each) ?? "") >= MIN_ANSWER_BEFORE)),
  );
  const text = (answer && answerText(answer)) ?? "";
  if (answer === undefined || text.length > MAX_ANSWER) return undefined;
  if (lengthOf(text) < (change === undefined ? MIN_ANSWER : MIN_ANSWER_BEFORE)) return undefined;
  const names = namesIn(text);
  const grounded = [
    ...new Set([...namesFound(names, lookedUp(answer.at, conversation)), ...namesFound(names, question)]),
  ];
  if (grounded.length < (change === undefined ? MIN_GROUNDED : 1)) return undefined;
  const prose = proseOf(text);
  const telling = sentencesOf(prose).find((sentence) => isTelling(sentence) && namesIn(sentence).length > 0);
  return {
    snippet_type: "learning_pattern",
    title: prose.search(CAUSE) === -1 ? cutTitle(telling ?? question) : titleFrom(prose, CAUSE),
    score: bounded(scoreOf(question, text, grounded.length, change !== undefined)),
    reason: `The user asks, and the assistant answers from the code (${grounded
      .slice(0, 3)
      .map((name) => `\`${name}\``)
      .join(", ")}).`,
    evidence: [...evidenceOf("explained", prompt, answer), ...evidenceOf("changed", change?.said)],
  };
}

function scoreOf(question: string, text: string, grounded: number, isChanged: boolean): number {
  const prose = proseOf(text);
  const reasons = [...cuesIn(prose, REASON), ...cuesIn(prose, CAUSE)];
  return (
    0.37 +
    // What is asked of something that has a name is no survey.
    (namesFound(namesIn(question), text).length > 0 ? 0.1 : 0) +
    Math.min(grounded, 6) * 0.025 +
    Math.min(reasons.length, 3) * 0.06 +
    (isChanged ? 0.05 : 0) +
    (text.includes("```") ? 0.05 : 0)
  );
}

/** What calls gave before the answer, the last first. */
function lookedUp(before: number, { all }: Conversation): string {
  let text = "";
  for (let at = before - 1; at >= 0 && text.length < MAX_LOOKED_UP; at--)
    text += `${all[at]?.block.result_text ?? ""}\n`;
  return text;
}
