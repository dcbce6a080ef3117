/** Choices that a person made: among options that were laid out, of a plan, of what was proposed. */
import { userWords } from "../../parse/user-words.ts";
import { bounded, evidenceOf, type Candidate } from "./candidate.ts";
import { changesIn, fieldsOf, textOf, type Change } from "./changes.ts";
import { answerText, resultOf, typedText, type Conversation, type Said, type Turn } from "./conversation.ts";
import { CHOICE, cuesIn, REASON } from "./cues.ts";
import { namesFound, namesIn } from "./names.ts";
import { cutTitle, isTelling, lengthOf, proseOf, sentencesOf, titleFrom } from "./sentences.ts";

/** A reply that settles what the answer before it left open. */
const MAX_REPLY = 160;
/** A proposal that is weighed takes so many words. */
const MIN_PROPOSAL = 500;
const MIN_PLAN = 400;
/** Own words of this length tell more than the name of an option. */
const MIN_OWN_WORDS = 60;
const MIN_DESCRIPTION = 40;
const MAX_CHANGES = 2;
/** A numbered, lettered or bold item of a list. */
const ITEM =
  /^\s*(?:[-*+]\s+)?(?:\*\*)?(?:(?:option|variant|approach|plan)\s+)?(?:([1-9]|[A-Fa-f])[.):]|(?:option|variant|approach)\s+([1-9A-F])\b)/gimu;

export function choices(conversation: Conversation): Candidate[] {
  return [
    ...conversation.all.flatMap((said) => [...answered(said, conversation), ...approvedPlan(said, conversation)]),
    ...conversation.turns.flatMap((turn, at) => settled(conversation.turns[at - 1], turn)),
  ];
}

interface Option {
  label: string;
  description: string;
}

/** A question with options that the person answered. */
function answered(said: Said, conversation: Conversation): Candidate[] {
  const result = resultOf(said, conversation);
  const text = said.call?.status === "completed" ? (result?.block.result_text ?? "") : "";
  const questions = questionsOf(said);
  if (text === "" || questions.length === 0) return [];
  const options = questions.flatMap((question) => question.options);
  const taken = options.filter(({ label }) => label !== "" && text.includes(`"${label}"`));
  const own = userWords(said.call ?? { status: "pending", result_text: null, tool_name: null }) ?? text;
  const isOwn = taken.length < questions.length && lengthOf(own) >= MIN_OWN_WORDS;
  const all = questions.map(({ text: asked }) => asked).join("\n");
  const names = namesIn(`${all}\n${options.map(({ label, description }) => `${label}\n${description}`).join("\n")}`);
  const isReasoned = taken.some(({ description }) => lengthOf(description) >= MIN_DESCRIPTION);
  const score =
    0.3 +
    (isReasoned ? 0.15 : 0) +
    (isOwn ? 0.15 : 0) +
    Math.min(names.length, 3) * 0.06 +
    Math.min(cuesIn(`${all}\n${own}`, REASON).length, 2) * 0.05;
  const first = questions[0]?.text ?? "";
  const [choice] = taken;
  return [
    {
      snippet_type: "decision_rationale",
      title: cutTitle(choice === undefined ? first : `${first} ${choice.label}`),
      score: bounded(score),
      reason: `The user chose among ${options.length} options that the assistant laid out.`,
      evidence: [...evidenceOf("offered", said), ...evidenceOf("chosen", result)],
    },
  ];
}

/** Questions with two or more options each, whatever the tool is called. */
function questionsOf({ call }: Said): { text: string; options: Option[] }[] {
  const { questions } = fieldsOf(call?.tool_input);
  if (!Array.isArray(questions)) return [];
  return questions.map(fieldsOf).flatMap((question) => {
    const options = Array.isArray(question["options"]) ? question["options"].map(fieldsOf) : [];
    if (options.length < 2) return [];
    return [
      {
        text: textOf(question, ["question", "text", "header"]),
        options: options.map((each) => ({
          label: textOf(each, ["label", "value"]),
          description: textOf(each, ["description"]),
        })),
      },
    ];
  });
}

/** A plan that the person approved, and that was carried out. */
function approvedPlan(said: Said, conversation: Conversation): Candidate[] {
  const { call } = said;
  if (call?.status !== "completed" || !/^exit_?plan_?mode$/i.test(call.tool_name ?? "")) return [];
  const plan = textOf(fieldsOf(call.tool_input), ["plan"]);
  if (lengthOf(plan) < MIN_PLAN) return [];
  const changes = changesIn(conversation.all.slice(said.at + 1));
  const names = namesFound(namesIn(plan), codeOf(changes));
  const score =
    0.35 +
    (names.length >= 3 ? 0.15 : 0) +
    Math.min(cuesIn(plan, REASON).length, 3) * 0.07 +
    (cuesIn(plan, CHOICE).length > 0 ? 0.05 : 0);
  return [
    {
      snippet_type: "decision_rationale",
      title: cutTitle(`Plan: ${sentencesOf(plan).find((each) => !/^(?:implementation )?plan:?$/i.test(each)) ?? ""}`),
      score: bounded(score),
      reason: "The user approved a plan, and it was carried out.",
      evidence: evidenceOf("chosen", said, resultOf(said, conversation)),
    },
  ];
}

/** An answer that lays something out, and a short reply after which it is done. */
function settled(before: Turn | undefined, turn: Turn): Candidate[] {
  const proposal = before?.said.findLast((said) => answerText(said) !== undefined && !said.message.is_sidechain);
  const reply = turn.prompt === undefined ? undefined : typedText(turn.prompt);
  const text = proposal === undefined ? "" : (answerText(proposal) ?? "");
  if (before === undefined || reply === undefined || lengthOf(reply) > MAX_REPLY || lengthOf(text) < MIN_PROPOSAL)
    return [];
  // After changes it is a report of what was done.
  if (changesIn(before.said).length > 0) return [];
  const changes = changesIn(turn.said);
  const names = namesFound(namesIn(text), codeOf(changes));
  if (changes.length === 0 || names.length < 2) return [];
  const isAsking = /[?？]/.test(text.slice(-200));
  const items = itemsOf(text);
  const picked = [...items.keys()].find((item) => new RegExp(String.raw`(?:^|\W)${item}(?:\W|$)`, "i").test(reply));
  const isPicked = items.size >= 2 && picked !== undefined;
  const reasons = cuesIn(text, REASON);
  const score =
    0.3 +
    (isAsking ? 0.1 : 0) +
    (isPicked ? 0.2 : 0) +
    Math.min(names.length, 4) * 0.03 +
    Math.min(reasons.length, 3) * 0.05 +
    Math.min(cuesIn(text, CHOICE).length, 2) * 0.05;
  return [
    {
      snippet_type: "decision_rationale",
      title: titleOf(isPicked ? items.get(picked) : undefined, proseOf(text), reply),
      score: bounded(score),
      reason: `The assistant lays out what can be done, the user ${isPicked ? "picks from it" : "agrees"}, and it is done.`,
      evidence: [
        ...evidenceOf("context", before.prompt),
        ...evidenceOf("offered", proposal),
        ...evidenceOf("chosen", turn.prompt),
        ...evidenceOf("changed", ...changes.slice(0, MAX_CHANGES).map(({ said }) => said)),
      ],
    },
  ];
}

/** What was picked, else the choice in the proposal, else the first of it that names something. */
function titleOf(picked: string | undefined, prose: string, reply: string): string {
  if (picked === undefined && prose.search(CHOICE) !== -1) return titleFrom(prose, CHOICE);
  const told = sentencesOf(picked ?? prose).filter(isTelling);
  return cutTitle(told.find((sentence) => namesIn(sentence).length > 0) ?? told[0] ?? reply);
}

/** The items of a list by their numbers or letters; the first of each. */
function itemsOf(text: string): Map<string, string> {
  const items = new Map<string, string>();
  const found = [...text.matchAll(ITEM)];
  for (const [at, match] of found.entries()) {
    const name = (match[1] ?? match[2] ?? "").toUpperCase();
    const from = match.index + match[0].length;
    if (!items.has(name)) items.set(name, text.slice(from, found[at + 1]?.index ?? from + MIN_PROPOSAL));
  }
  return items;
}

function codeOf(changes: readonly Change[]): string {
  return changes.map(({ path, removed, added }) => `${path}\n${removed}\n${added}`).join("\n");
}
