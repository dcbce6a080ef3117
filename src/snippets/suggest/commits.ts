/** Commits whose message says more than what was changed. */
import { bounded, evidenceOf, type Candidate } from "./candidate.ts";
import { changesIn, fieldsOf, textOf } from "./changes.ts";
import { resultOf, type Conversation, type Said } from "./conversation.ts";
import { CAUSE, CHOICE, cuesIn, PROBLEM, REASON } from "./cues.ts";
import { isShell } from "./failures.ts";
import { cutTitle, lengthOf } from "./sentences.ts";

const COMMIT = /\bgit\b[^\n|;&]{0,200}\bcommit\b/;
const GIVES_MESSAGE = /\s(?:-\w*m|--message|-F|--file)\b/;
/** The message, in a here-document or in quotes. */
const DOCUMENT = /<<-?\s*['"]?(\w+)['"]?\n([^]*?)\n[ \t]*\1\b/;
const QUOTED = /(?:-m|--message)[ =](["'])([^]*?)(?<!\\)\1/;
/** Lines that tools add. */
const TRAILER = /^(?:Co-Authored-By|Signed-off-by|Generated with|🤖|Entire-|Change-Id)[^\n]*$/gim;
/** Shorter bodies list what was changed. */
const MIN_BODY = 160;
const MAX_CHANGES = 2;
/** What is looked at of a command. */
const MAX_COMMAND = 10_000;

export function commits(conversation: Conversation): Candidate[] {
  return conversation.turns.flatMap(({ said }) => said.flatMap((each) => candidateOf(each, said, conversation)));
}

function candidateOf(said: Said, turn: readonly Said[], conversation: Conversation): Candidate[] {
  if (said.call === undefined || !isShell(said.call)) return [];
  const command = textOf(fieldsOf(said.call.tool_input), ["command", "cmd", "script"]).slice(0, MAX_COMMAND);
  if (!COMMIT.test(command) || !GIVES_MESSAGE.test(command)) return [];
  const found = DOCUMENT.exec(command) ?? QUOTED.exec(command);
  const message = (found?.[2] ?? "").replaceAll(TRAILER, "").trim();
  const [subject = "", ...rest] = message.split("\n");
  const body = rest.join("\n").trim();
  if (lengthOf(body) < MIN_BODY) return [];
  const faults = cuesIn(message, CAUSE).length + cuesIn(message, PROBLEM).length;
  const choices = cuesIn(message, CHOICE).length + cuesIn(message, REASON).length;
  // Items of a list say what, sentences say why.
  const isProse = body.split("\n").filter((line) => /^\s*[-*+]/.test(line)).length <= 1;
  const score =
    0.3 + (isProse ? 0.15 : 0) + Math.min(faults + choices, 5) * 0.05 + (lengthOf(body) >= 2 * MIN_BODY ? 0.05 : 0);
  const changes = changesIn(turn.filter(({ at }) => at < said.at)).slice(-MAX_CHANGES);
  return [
    {
      snippet_type: faults > choices ? "error_reasoning" : "decision_rationale",
      title: cutTitle(subject),
      score: bounded(score),
      reason: "A commit's message gives reasons.",
      evidence: [
        ...evidenceOf("changed", ...changes.map((change) => change.said)),
        ...evidenceOf("concluded", said, resultOf(said, conversation)),
      ],
    },
  ];
}
