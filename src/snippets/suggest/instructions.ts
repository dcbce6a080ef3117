/** What a person wants done from now on, what they corrected, and how they decided when asked. */
import { userWords } from "../../parse/user-words.ts";
import { bounded, type Candidate } from "./candidate.ts";
import { typedText, type Conversation, type Said } from "./conversation.ts";
import { CORRECTION, cuesIn, REASON, STANDING_RULE } from "./cues.ts";
import { cutTitle, sentencesOf } from "./sentences.ts";

/** Longer texts are tasks or documents: what they rule holds for them. */
const MAX_RULE_CHARS = 800;
const MIN_ANSWER_CHARS = 60;
const MIN_PLAN_CHARS = 400;

export function instructions(conversation: Conversation): Candidate[] {
  return conversation.flatMap((said) => [...standingRules(said, conversation), ...answers(said, conversation)]);
}

function standingRules(said: Said, conversation: Conversation): Candidate[] {
  const text = typedText(said);
  if (text === undefined || text.length > MAX_RULE_CHARS) return [];
  const rule = sentencesOf(text).find((sentence) => STANDING_RULE.test(sentence));
  if (rule === undefined) return [];
  const isCorrection = CORRECTION.test(text);
  const hasReason = cuesIn(text, REASON).length > 0;
  const reply = conversation.slice(said.at + 1).find(({ block }) => block.block_type === "text");
  return [
    {
      snippet_type: "learning_pattern",
      title: cutTitle(rule),
      score: bounded(0.65 + (isCorrection ? 0.1 : 0) + (hasReason ? 0.15 : 0)),
      reason: "The user says how things are to be done from now on.",
      evidence: [said, ...(reply?.message.message_type === "assistant" ? [reply] : [])],
      context: [],
    },
  ];
}

/** Words with which a call was refused, questions that were answered, plans that were approved. */
function answers(said: Said, conversation: Conversation): Candidate[] {
  const { call } = said;
  if (call === undefined) return [];
  const result = conversation.find(({ block }) => block.id === call.result?.block_id);
  const evidence = result === undefined ? [said] : [said, result];
  const words = userWords(call);
  if (call.status === "rejected") {
    if (words === undefined || !STANDING_RULE.test(words)) return [];
    const reason = "The user refused a call and said what to do instead.";
    return [{ snippet_type: "learning_pattern", title: cutTitle(words), score: 0.75, reason, evidence, context: [] }];
  }
  if (words !== undefined && words.length >= MIN_ANSWER_CHARS && cuesIn(words, REASON).length > 0) {
    const reason = "The user chose among options that the assistant laid out.";
    return [{ snippet_type: "decision_rationale", title: cutTitle(words), score: 0.7, reason, evidence, context: [] }];
  }
  return approvedPlan(said, evidence);
}

function approvedPlan({ call }: Said, evidence: Said[]): Candidate[] {
  if (call?.tool_name !== "ExitPlanMode" || call.status !== "completed") return [];
  const { tool_input: input } = call;
  const plan: unknown = typeof input === "object" && input !== null ? Reflect.get(input, "plan") : undefined;
  if (typeof plan !== "string" || plan.length < MIN_PLAN_CHARS) return [];
  const reasons = cuesIn(plan, REASON);
  const reason = "The user approved a plan that gives its reasons.";
  const score = bounded(0.45 + Math.min(reasons.length, 3) * 0.1);
  const title = cutTitle(`Plan: ${sentencesOf(plan)[0] ?? ""}`);
  return [{ snippet_type: "decision_rationale", title, score, reason, evidence, context: [] }];
}
