/** Errors that cost thought: what failed, what was tried, what was said about it, what mended it. */
import type { ToolFix } from "../../parse/fixes.ts";
import type { ToolCall } from "../../parse/model.ts";
import { bounded, evidenceOf, type Candidate, type Evidence } from "./candidate.ts";
import { changesIn } from "./changes.ts";
import { answerText, reasoningText, resultOf, type Conversation, type Said } from "./conversation.ts";
import { CAUSE, cuesIn, REMEDY } from "./cues.ts";
import { tellingLine } from "./failures.ts";
import { namesFound, namesIn } from "./names.ts";
import { cutTitle, isTelling, lengthOf, proseOf, sentencesOf } from "./sentences.ts";
import { isSlip } from "./slips.ts";

/** Pieces of evidence of each kind; the text is made to fit later. */
const MAX_WORDS = 6;
const MAX_THOUGHTS = 2;
const MAX_CHANGES = 4;
const MAX_ATTEMPTS = 3;
/** Shorter texts announce what is done next. */
const MIN_EXPLANATION = 90;
const LONG_EXPLANATION = 300;
/** So many entries later it is still the same matter, if nobody says so. */
const NEAR = 30;
/** So many later much else was done in between. */
const FAR = 80;
/** So many entries after the end of a story its summary may stand. */
const CONCLUSION_REACH = 12;

export function mendedErrors(fixes: readonly ToolFix[], conversation: Conversation): Candidate[] {
  // Calls that failed one after the other are mended by the same one: the first of them tells the story.
  const stories = Map.groupBy(
    fixes.filter(({ fix }) => fix !== null),
    ({ fix }) => fix,
  );
  return [...stories.values()].flatMap((story) => candidateOf(story, conversation) ?? []);
}

function candidateOf(story: readonly ToolFix[], conversation: Conversation): Candidate | undefined {
  const { byBlock, all } = conversation;
  const substantial = story.filter(({ failed }) => !isSlip(failed));
  const [first] = substantial;
  const start = first?.failed.use && byBlock.get(first.failed.use.block_id);
  const end = first?.fix?.use && byBlock.get(first.fix.use.block_id);
  const telling = first === undefined ? undefined : tellingLine(first.failed);
  if (first === undefined || !start || !end || telling === undefined) return undefined;
  // Turns later the same call may succeed for any reason.
  if (end.turn !== start.turn && end.at - start.at > FAR) return undefined;
  const between = all.slice(start.at + 1, end.at);
  const words = wordsOf(first.failed, between);
  const prose = words.map((said) => proseOf(reasoningText(said))).join("\n");
  const changes = changesIn(between);
  const tried = triesOf(substantial, conversation);
  const isExplained = lengthOf(prose) >= MIN_EXPLANATION && speaksOf(first.failed, words);
  const distance = end.at - start.at;
  const causes = cuesIn(prose, CAUSE);
  const isNear = distance <= NEAR || isExplained || tried.length > 0;
  // Without a change of files it is the call itself that was made in another way.
  const isChanged = changes.length > 0 ? 0.15 : isExplained && first.changes.length > 0 ? 0.1 : 0;
  const score =
    (isNear ? 0.3 : 0.05) + isChanged + (distance > FAR ? -0.2 : 0) + thoughtIn(prose, isExplained, tried.length);
  return {
    snippet_type: "error_reasoning",
    title: titleOf(prose, causes, telling),
    score: bounded(score),
    reason: reasonOf(tried.length, changes.length, isExplained),
    evidence: [
      ...evidenceOf("failed", start),
      ...focused(evidenceOf("failed", resultOf(start, conversation)), telling),
      ...evidenceOf("explained", ...words.slice(0, MAX_WORDS)),
      ...tried.slice(0, MAX_ATTEMPTS).flatMap((each) => failure(each, conversation)),
      ...evidenceOf("changed", ...changes.slice(-MAX_CHANGES).map(({ said }) => said)),
      ...evidenceOf("succeeded", end, resultOf(end, conversation)),
      ...evidenceOf("concluded", conclusionOf(first.failed, end, conversation)),
    ],
  };
}

/** How much thought it cost. */
function thoughtIn(prose: string, isExplained: boolean, tries: number): number {
  return (
    (isExplained ? 0.15 : 0) +
    (isExplained && lengthOf(prose) >= LONG_EXPLANATION ? 0.1 : 0) +
    Math.min(tries, 3) * 0.1 +
    Math.min(cuesIn(prose, CAUSE).length, 2) * 0.1 +
    (cuesIn(prose, REMEDY).length > 0 ? 0.05 : 0)
  );
}

/** What the assistant said; what it thought only as far as that speaks of the error. */
function wordsOf(failed: ToolCall, between: readonly Said[]): Said[] {
  const said = between.filter((each) => answerText(each) !== undefined);
  if (speaksOf(failed, said) && lengthOf(said.map(reasoningText).join("")) >= MIN_EXPLANATION) return said;
  const thought = between.filter(({ block }) => block.block_type === "thinking");
  const telling = thought.filter((each) => speaksOf(failed, [each])).slice(0, MAX_THOUGHTS);
  return [...said, ...telling].toSorted((a, b) => a.at - b.at);
}

/** Whether words follow at once, or name something that the error names. */
function speaksOf({ error, result }: ToolCall, words: readonly Said[]): boolean {
  const named = namesIn(error ?? "");
  return words.some((said) => {
    const isNext = said.message.ordinal - (result?.message_ordinal ?? 0) <= 1;
    const text = reasoningText(said);
    if (isNext && lengthOf(text) >= MIN_EXPLANATION) return true;
    return namesFound(named, text).length > 0 || namesFound(namesIn(text), error ?? "").length > 0;
  });
}

/** The last answer of the turn, if it speaks of the error. */
function conclusionOf(failed: ToolCall, end: Said, { byTurn }: Conversation): Said | undefined {
  const last = byTurn
    .get(end.turn)
    ?.said.findLast((said) => answerText(said) !== undefined && !said.message.is_sidechain);
  if (last === undefined || last.at < end.at || last.at - end.at > CONCLUSION_REACH) return undefined;
  const names = namesFound(namesIn(failed.error ?? ""), answerText(last) ?? "");
  return names.length > 0 && lengthOf(answerText(last) ?? "") >= MIN_EXPLANATION ? last : undefined;
}

function failure(said: Said, conversation: Conversation): Evidence[] {
  const telling = said.call && tellingLine(said.call);
  return [...evidenceOf("tried", said), ...focused(evidenceOf("tried", resultOf(said, conversation)), telling)];
}

function focused(evidence: readonly Evidence[], focus: string | undefined): Evidence[] {
  return evidence.map((each) => ({ ...each, focus }));
}

/** The calls that failed in between. */
function triesOf([first, ...others]: readonly ToolFix[], { byBlock }: Conversation): Said[] {
  const again = new Set([...others.map(({ failed }) => failed), ...(first?.attempts ?? [])]);
  return [...again].flatMap(({ use }) => (use && byBlock.get(use.block_id)) ?? []);
}

function reasonOf(tries: number, changes: number, isExplained: boolean): string {
  const tried = tries === 0 ? "" : ` after ${tries} more ${tries === 1 ? "failure" : "failures"}`;
  const changed = changes === 0 ? "" : ` and ${changes} ${changes === 1 ? "change" : "changes"} of files`;
  return `A call failed, and a later one on the same target succeeded${tried}${changed}${isExplained ? "; the assistant says why" : ""}.`;
}

/** The cause, if it is told in a sentence that can stand alone, else what the program said. */
function titleOf(prose: string, causes: readonly string[], telling: string): string {
  const told = causes.length === 0 ? [] : sentencesOf(prose).filter(isTelling);
  const cause = told.find((sentence) => sentence.search(CAUSE) !== -1 && namesIn(sentence).length > 0);
  return cutTitle(cause ?? telling);
}
