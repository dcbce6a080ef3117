/** What was written down to be kept: rules for agents, and documents that give the reasons of a design. */
import { bounded, evidenceOf, type Candidate } from "./candidate.ts";
import { changesIn, type Change } from "./changes.ts";
import { typedText, type Conversation, type Turn } from "./conversation.ts";
import { CHOICE, cuesIn, LESSON, RATIONALE_HEADING, REASON, STANDING_RULE, WEIGHED } from "./cues.ts";
import { namesIn } from "./names.ts";
import { cutTitle, isTelling, lengthOf, proseOf, sentencesOf, titleFrom } from "./sentences.ts";

/** Files that agents read before they begin. */
const RULES =
  /(?:^|[\\/])(?:CLAUDE|AGENTS?|GEMINI|MEMORY|CONVENTIONS|LESSONS?)(?:\.local)?\.md$|\.cursorrules$|\.cursor[\\/]rules[\\/]|copilot-instructions\.md$|[\\/]memor(?:y|ies)[\\/][^\\/]+\.md$/i;
/** Folders and names of documents about decisions. */
const DESIGN =
  /(?:^|[\\/_-])(?:adrs?|decisions?|rfcs?|design(?:s|-docs)?|architecture|proposals?)(?=[\\/._-])[^]*\.mdx?$/i;
const FRONT_MATTER = /^\s*---\n[^]*?\n---\n/;
const MIN_RULE = 60;
/** More is a document, written for all there is to know. */
const MAX_RULE = 1_500;
const MIN_DESIGN = 600;

export function documents({ turns }: Conversation): Candidate[] {
  return turns.flatMap((turn) =>
    changesIn(turn.said).flatMap((change) => [...rule(change, turn), ...design(change, turn)]),
  );
}

/** A rule that was added to a file of rules. */
function rule(change: Change, { prompt, said }: Turn): Candidate[] {
  const { path, removed, added } = change;
  if (!RULES.test(path) || removed === "") return [];
  const before = new Set(removed.split("\n"));
  const fresh = added
    .split("\n")
    .filter((line) => !before.has(line))
    .join("\n");
  if (lengthOf(fresh) < MIN_RULE || lengthOf(fresh) > MAX_RULE) return [];
  const asked = prompt === undefined ? "" : (typedText(prompt) ?? "");
  const file = path.split(/[\\/]/).at(-1) ?? path;
  const isOnly = changesIn(said).every((other) => other.path === path);
  const score =
    0.3 +
    (asked.includes(file) ? 0.25 : 0) +
    (isOnly ? 0.15 : 0) +
    Math.min(cuesIn(fresh, LESSON).length, 2) * 0.1 +
    (STANDING_RULE.test(fresh) ? 0.15 : 0) +
    Math.min(cuesIn(fresh, REASON).length, 2) * 0.05;
  return [
    {
      snippet_type: "learning_pattern",
      title: cutTitle(sentencesOf(proseOf(fresh)).find(isTelling) ?? fresh),
      score: bounded(score),
      reason: `A rule is written into ${file}.`,
      evidence: [...evidenceOf("context", prompt), ...evidenceOf("changed", change.said)],
    },
  ];
}

/** A document that says why something is made as it is. */
function design({ said, path, removed, added }: Change, { prompt }: Turn): Candidate[] {
  if (!/\.mdx?$/i.test(path) || lengthOf(added) - lengthOf(removed) < MIN_DESIGN) return [];
  const prose = proseOf(added.replace(FRONT_MATTER, ""));
  const reasons = cuesIn(prose, REASON);
  const headings = prose.match(RATIONALE_HEADING) ?? [];
  const score =
    (DESIGN.test(path) ? 0.45 : -0.05) +
    // About the code as it is to be, in parts.
    (namesIn(prose).length >= 5 ? 0.1 : 0) +
    ((prose.match(/^#{2,4} /gm) ?? []).length >= 3 ? 0.1 : 0) +
    Math.min(headings.length, 2) * 0.15 +
    Math.min(reasons.length, 3) * 0.06 +
    Math.min(cuesIn(prose, CHOICE).length, 3) * 0.06 +
    Math.min(cuesIn(prose, WEIGHED).length, 2) * 0.04;
  const file = path.split(/[\\/]/).at(-1) ?? path;
  return [
    {
      snippet_type: "decision_rationale",
      title:
        prose.search(CHOICE) === -1
          ? cutTitle(`${file}: ${sentencesOf(prose).find(isTelling) ?? ""}`)
          : titleFrom(prose, CHOICE),
      score: bounded(score),
      reason: `A document about the design is written: ${file}.`,
      evidence: [...evidenceOf("context", prompt), ...evidenceOf("changed", said)],
    },
  ];
}
