/** What a person wants done from now on, and where they set right what the assistant did. */
import { userWords } from "../../parse/user-words.ts";
import { bounded, evidenceOf, type Candidate } from "./candidate.ts";
import { changesIn, type Change } from "./changes.ts";
import { answerText, resultOf, typedText, type Conversation, type Said, type Turn } from "./conversation.ts";
import { CORRECTION, cuesIn, PROBLEM, REASON, STANDING_RULE } from "./cues.ts";
import { namesIn } from "./names.ts";
import { cutTitle, isTelling, lengthOf, sentencesOf } from "./sentences.ts";

/** Longer texts are tasks or documents: what they rule holds for them. */
const MAX_RULE = 800;
/** Shorter words say what, and not why. */
const MIN_CORRECTION = 40;
/** Lines of code shorter than this stand everywhere. */
const MIN_LINE = 16;
const MAX_CHANGES = 3;
/** Words that only let it go on. */
const MIN_PROMPT = 12;

export function corrections(conversation: Conversation): Candidate[] {
  return [
    ...conversation.turns.flatMap((turn) => standingRules(turn)),
    ...conversation.all.flatMap((said) => refusals(said, conversation)),
    ...conversation.turns.flatMap((turn, at) => [
      ...reworked(conversation.turns[at - 1], turn),
      ...askedAgain(conversation.turns.slice(Math.max(at - 4, 0), at), turn),
    ]),
  ];
}

function standingRules({ prompt, said }: Turn): Candidate[] {
  const text = prompt === undefined ? undefined : typedText(prompt);
  if (prompt === undefined || text === undefined || text.length > MAX_RULE) return [];
  const rule = sentencesOf(text).find((sentence) => STANDING_RULE.test(sentence));
  if (rule === undefined) return [];
  const hasReason = cuesIn(text, REASON).length > 0;
  const reply = said.find((each) => each.at > prompt.at && answerText(each) !== undefined);
  return [
    {
      snippet_type: "learning_pattern",
      title: cutTitle(rule),
      score: bounded(0.65 + (CORRECTION.test(text) ? 0.1 : 0) + (hasReason ? 0.15 : 0)),
      reason: "The user says how things are to be done from now on.",
      evidence: evidenceOf("corrected", prompt, reply),
    },
  ];
}

/** Words with which a call was refused. */
function refusals(said: Said, conversation: Conversation): Candidate[] {
  const { call } = said;
  const words = call?.status === "rejected" ? userWords(call) : undefined;
  if (words === undefined || lengthOf(words) < MIN_CORRECTION) return [];
  const then = changesIn(conversation.all.slice(said.at + 1).filter(({ turn }) => turn === said.turn));
  return [
    {
      snippet_type: "learning_pattern",
      title: cutTitle(sentencesOf(words).find(isTelling) ?? words),
      score: STANDING_RULE.test(words) ? 0.75 : bounded(0.5 + Math.min(lengthOf(words), 200) / 1_000 + cueScore(words)),
      reason: "The user refused a call and said what to do instead.",
      evidence: [
        ...evidenceOf("tried", said),
        ...evidenceOf("corrected", resultOf(said, conversation)),
        ...evidenceOf("changed", then[0]?.said),
      ],
    },
  ];
}

/** What one turn wrote is written anew in the next, since the person said what is wrong with it. */
function reworked(before: Turn | undefined, turn: Turn): Candidate[] {
  const words = turn.prompt === undefined ? undefined : typedText(turn.prompt);
  if (before === undefined || words === undefined || lengthOf(words) < MIN_CORRECTION || words.length > MAX_RULE)
    return [];
  const earlier = changesIn(before.said);
  const pairs = changesIn(turn.said).flatMap((again) => {
    const first = earlier.find((change) => isAnew(change, again));
    return first === undefined ? [] : [{ first, again }];
  });
  const [pair] = pairs;
  if (pair === undefined) return [];
  const conclusion = turn.said.findLast((said) => said.at > pair.again.said.at && answerText(said) !== undefined);
  const score =
    0.4 +
    (CORRECTION.test(words) ? 0.15 : 0) +
    Math.min(namesIn(words).length, 2) * 0.05 +
    (lengthOf(words) >= 2 * MIN_CORRECTION ? 0.05 : 0) +
    cueScore(words);
  return [
    {
      snippet_type: "learning_pattern",
      title: cutTitle(sentencesOf(words).find(isTelling) ?? words),
      score: bounded(score),
      reason: "The user sets right what was done, and it is done anew.",
      evidence: [
        ...evidenceOf("context", pair.first.said),
        ...evidenceOf("corrected", turn.prompt),
        ...evidenceOf("changed", ...pairs.slice(0, MAX_CHANGES).map(({ again }) => again.said)),
        ...evidenceOf("concluded", conclusion),
      ],
    },
  ];
}

function cueScore(words: string): number {
  return Math.min(cuesIn(words, REASON).length, 2) * 0.08 + Math.min(cuesIn(words, PROBLEM).length, 2) * 0.05;
}

/** Whether a change takes out lines that the earlier one put in. */
function isAnew(earlier: Change, again: Change): boolean {
  if (earlier.path !== again.path) return false;
  const lines = again.removed.split("\n").filter((line) => line.trim().length >= MIN_LINE);
  const kept = new Set(again.added.split("\n"));
  return lines.some((line) => !kept.has(line) && earlier.added.includes(line.trim()));
}

/** The same prompt once more: what was done the first time did not do. */
function askedAgain(earlier: readonly Turn[], turn: Turn): Candidate[] {
  const words = turn.prompt === undefined ? undefined : typedText(turn.prompt);
  if (words === undefined || lengthOf(words) < MIN_PROMPT) return [];
  const first = earlier.find(({ prompt, said }) => {
    const isSame = prompt !== undefined && typedText(prompt) === words;
    return isSame && said.some((each) => answerText(each) !== undefined);
  });
  const last = turn.said.findLast((said) => answerText(said) !== undefined);
  if (first === undefined || last === undefined || lengthOf(answerText(last) ?? "") < MIN_CORRECTION) return [];
  const title = sentencesOf(answerText(last) ?? "").find(isTelling) ?? words;
  return [
    {
      snippet_type: "learning_pattern",
      title: cutTitle(title),
      score: 0.6,
      reason: "The user asked for the same again, since the first answer did not do.",
      evidence: [
        ...evidenceOf(
          "context",
          first.prompt,
          first.said.findLast((said) => answerText(said) !== undefined),
        ),
        ...evidenceOf("corrected", turn.prompt),
        ...evidenceOf("tried", ...turn.said.filter(({ call }) => call !== undefined).slice(-2)),
        ...evidenceOf("concluded", last),
      ],
    },
  ];
}
