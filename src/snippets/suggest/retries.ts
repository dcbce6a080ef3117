/** Commands that were made again and again in other ways, until one did. */
import { bounded, evidenceOf, type Candidate } from "./candidate.ts";
import { changeOf, fieldsOf, textOf } from "./changes.ts";
import { answerText, resultOf, type Conversation, type Said } from "./conversation.ts";
import { isLookup, isShellTool, tellingLine } from "./failures.ts";
import { cutTitle } from "./sentences.ts";
import { isSlip } from "./slips.ts";

/** So many ways of the same command are a search for the right one; after a failure fewer do. */
const MIN_WAYS = 3;
const MIN_WAYS_FAILED = 2;
/** So many entries may stand between two of them. */
const GAP = 6;
/** So near, the second way answers the first. */
const AT_ONCE = 3;
/** The share of words that two ways have in common. */
const MIN_LIKENESS = 0.75;
const MIN_LIKENESS_FAILED = 0.3;
/** Fewer words in common are those of the program alone. */
const MIN_COMMON = 4;
const MIN_COMMON_FAILED = 2;
/** What a command is wrapped in says nothing of it. */
const WRAPPER =
  /\b(?:sudo|ssh|powershell(?:\.exe)?|pwsh|cmd(?:\.exe)? \/c|(?:ba|z)?sh -c|-Command|-NoProfile)(?=\s)|(?<!\S)\S{1,60}@\S{1,80}|\bcd \S+ &&|2>&1|2>\/dev\/null|\btimeout \d+|\|\s*(?:tail|head|grep)\b[^|]*/g;
const MAX_SHOWN = 5;
const MAX_WORDS = 60;
/** What is looked at of a command. */
const MAX_COMMAND = 4_000;

interface Way {
  said: Said;
  words: ReadonlySet<string>;
  command: string;
}

export function retries(conversation: Conversation): Candidate[] {
  const chains: Way[][] = [];
  let open: Way[] = [];
  for (const said of conversation.all) {
    // After a change it is a check of the change.
    if (changeOf(said) !== undefined) open = [];
    const way = wayOf(said);
    if (way === undefined) continue;
    const last = open.at(-1);
    if (last !== undefined && isOtherWay(last, way)) open.push(way);
    else chains.push((open = [way]));
  }
  return chains.flatMap((chain) => candidateOf(chain, conversation));
}

function wayOf(said: Said): Way | undefined {
  const { call } = said;
  if (call === undefined || !isShellTool(call) || isLookup(call)) return undefined;
  const command = textOf(fieldsOf(call.tool_input), ["command", "cmd", "script"]);
  const words = command
    .slice(0, MAX_COMMAND)
    .replaceAll(WRAPPER, " ")
    .split(/\s+/, MAX_WORDS)
    .filter((word) => /\w{2}/.test(word));
  return words.length < 2 ? undefined : { said, command, words: new Set(words) };
}

function isOtherWay(one: Way, other: Way): boolean {
  if (other.said.at - one.said.at > GAP || other.said.message.agent_id !== one.said.message.agent_id) return false;
  const common = [...one.words].filter((word) => other.words.has(word)).length;
  const likeness = common / Math.min(one.words.size, other.words.size);
  const isAfterFailure = one.said.call?.status === "error";
  if (one.command === other.command) return false;
  if (isAfterFailure) return likeness >= MIN_LIKENESS_FAILED && common >= MIN_COMMON_FAILED;
  return likeness >= MIN_LIKENESS && common >= MIN_COMMON;
}

function candidateOf(chain: readonly Way[], conversation: Conversation): Candidate[] {
  const ways = new Set(chain.map(({ command }) => command)).size;
  const [first] = chain;
  const last = chain.at(-1);
  if (first === undefined || last === undefined || last.said.call?.status !== "completed") return [];
  const between = conversation.all.slice(first.said.at, last.said.at);
  const words = between.filter((said) => answerText(said) !== undefined);
  const failures = chain.slice(0, -1).flatMap(({ said }) => (said.call?.status === "error" ? [said.call] : []));
  const isHelped = between.some(asksForHelp);
  const substantial = failures.filter((call) => (isHelped || !isSlip(call)) && tellingLine(call) !== undefined);
  // Without a word between them, and without a failure, they are steps of one task.
  const isSearch = ways >= MIN_WAYS && words.length >= ways - 1;
  if (!isSearch && (ways < MIN_WAYS_FAILED || substantial.length === 0)) return [];
  const isAtOnce = last.said.at - first.said.at <= AT_ONCE;
  const score =
    0.42 +
    Math.min(ways - MIN_WAYS_FAILED, 3) * 0.07 +
    Math.min(substantial.length, 3) * 0.07 +
    (isAtOnce || words.length > 0 ? 0.06 : 0) +
    (words.length > 1 ? 0.06 : 0) +
    (isHelped ? 0.12 : 0);
  const [failure] = substantial;
  const shown = [...chain.slice(0, MAX_SHOWN - 1), last];
  return [
    {
      snippet_type: "error_reasoning",
      title: cutTitle(
        (failure && tellingLine(failure)) ?? `${ways} ways of one command; this one did: ${last.command}`,
      ),
      score: bounded(score),
      reason: `The same command was made in ${ways} ways, and the last one did.`,
      evidence: [
        ...evidenceOf("explained", ...words.slice(0, MAX_SHOWN)),
        ...shown.flatMap(({ said }) =>
          evidenceOf(said === last.said ? "succeeded" : "tried", said, resultOf(said, conversation)),
        ),
      ],
    },
  ];
}

/** A look at how a command wants to be called. */
function asksForHelp({ call }: Said): boolean {
  if (call === undefined || !isShellTool(call)) return false;
  return /\s(?:--help|-h|help)\b|^man\s/.test(textOf(fieldsOf(call.tool_input), ["command", "cmd", "script"]));
}
