/** Boxes in which some hosts let the model say what can be learned from what it does. */
import { bounded, evidenceOf, type Candidate } from "./candidate.ts";
import { answerText, type Conversation } from "./conversation.ts";
import { cuesIn, REASON } from "./cues.ts";
import { namesIn } from "./names.ts";
import { cutTitle, isTelling, lengthOf, sentencesOf } from "./sentences.ts";

const BOX = /★\s*Insight[^\n]*\n([^]*?)(?:\n[ \t]*`?─{5,}|$)/;
const MIN_BOX = 120;

export function insights({ all }: Conversation): Candidate[] {
  return all.flatMap((said) => {
    const box = BOX.exec(answerText(said) ?? "")?.[1] ?? "";
    if (lengthOf(box) < MIN_BOX) return [];
    const telling = sentencesOf(box).find(isTelling);
    if (telling === undefined) return [];
    const score = 0.55 + Math.min(namesIn(box).length, 3) * 0.03 + Math.min(cuesIn(box, REASON).length, 2) * 0.04;
    return [
      {
        snippet_type: "learning_pattern",
        title: cutTitle(telling),
        score: bounded(score),
        reason: "The assistant sets apart what can be learned from it.",
        evidence: evidenceOf("explained", said),
      },
    ];
  });
}
