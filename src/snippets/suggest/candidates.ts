/** All rules on one conversation, and the best of what they find. */
import { findFixes, type ToolFix } from "../../parse/fixes.ts";
import { answers } from "./answers.ts";
import { bounded, type Candidate, core, type Evidence, MIN_SCORE } from "./candidate.ts";
import { choices } from "./choices.ts";
import { commits } from "./commits.ts";
import { conversationOf, type ConversationRows, type Said } from "./conversation.ts";
import { corrections } from "./corrections.ts";
import { documents } from "./documents.ts";
import { explanations } from "./explanations.ts";
import { withHiddenFailures } from "./failures.ts";
import { insights } from "./insights.ts";
import { mendedErrors } from "./mended-errors.ts";
import { reportedProblems } from "./reported-problems.ts";
import { retries } from "./retries.ts";
import { steps } from "./steps.ts";

/** More cannot be read as one passage. */
const MAX_EVIDENCE = 16;
const FAILED_AGAIN = 0.15;
/** So many entries apart, two passages of a turn are about the same. */
const NEAR = 4;
/** An entry so near to those of another passage adds nothing to it. */
const BESIDE = 2;

/** What may be worth keeping, best first, each passage once. */
export function candidatesIn(result: ConversationRows): Candidate[] {
  const rows = { ...result, tool_calls: withHiddenFailures(result) };
  const conversation = conversationOf(rows);
  const fixes = findFixes(rows.messages, rows.content_blocks, rows.tool_calls);
  const candidates = [
    ...mendedErrors(fixes, conversation),
    ...reportedProblems(conversation),
    ...choices(conversation),
    ...corrections(conversation),
    ...documents(conversation),
    ...answers(conversation),
    ...insights(conversation),
    ...retries(conversation),
    ...commits(conversation),
    ...withoutErrors([...steps(conversation), ...explanations(conversation)], fixes),
  ];
  return withoutOverlaps(candidates.filter(({ score, title }) => score >= MIN_SCORE && title !== ""));
}

/** An explanation after which the same failed again was none: it counts less. */
function withoutErrors(candidates: readonly Candidate[], fixes: readonly ToolFix[]): Candidate[] {
  const again = new Set(fixes.filter(({ attempts }) => attempts.length > 0).map(({ failed }) => failed));
  return candidates.map((candidate) => {
    const isWrong = candidate.evidence.some(({ said, role }) => role === "failed" && said.call && again.has(said.call));
    return isWrong ? { ...candidate, score: bounded(candidate.score - FAILED_AGAIN) } : candidate;
  });
}

/**
 * Best first. Of those that tell of the same passage only the best; it takes in what others of its type and turn add,
 * and those that follow closely.
 */
function withoutOverlaps(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.score - a.score || firstAt(a) - firstAt(b))) {
    const near = kept.find((other) => isSameStory(candidate, other));
    if (near !== undefined) near.evidence = joined(near, candidate);
    else if (!kept.some((other) => isSamePassage(candidate, other))) kept.push({ ...candidate });
  }
  return kept;
}

/** Whether they are of one type and turn, and have an entry in common or stand beside each other. */
function isSameStory(one: Candidate, other: Candidate): boolean {
  if (one.snippet_type !== other.snippet_type) return false;
  const [a, b] = [core(one), core(other)];
  const turns = new Set([...a, ...b].map(({ turn }) => turn));
  if (turns.size !== 1 || a.length + b.length > MAX_EVIDENCE) return false;
  const gap = Math.max((b[0]?.at ?? 0) - (a.at(-1)?.at ?? 0), (a[0]?.at ?? 0) - (b.at(-1)?.at ?? 0));
  return (gap > 0 && gap <= NEAR) || a.some((said) => b.includes(said));
}

function joined(one: Candidate, other: Candidate): Evidence[] {
  return [...one.evidence, ...other.evidence.filter(({ role }) => role !== "context")];
}

/** Whether they have an entry in common, or all of the one stands beside entries of the other. */
function isSamePassage(one: Candidate, other: Candidate): boolean {
  const [a, b] = [core(one), core(other)];
  return a.some((said) => b.includes(said)) || isBeside(a, b) || isBeside(b, a);
}

function isBeside(some: readonly Said[], others: readonly Said[]): boolean {
  return some.every(({ at }) => others.some((other) => Math.abs(other.at - at) <= BESIDE));
}

function firstAt(candidate: Candidate): number {
  return core(candidate)[0]?.at ?? 0;
}
