/** Errors that cost thought: what failed, what was tried, what was said about it, what mended it. */
import { findFixes, type ToolFix } from "../../parse/fixes.ts";
import type { ParseResult, ToolCall } from "../../parse/model.ts";
import { bounded, type Candidate } from "./candidate.ts";
import type { Conversation, Said } from "./conversation.ts";
import { CAUSE, cuesIn, REMEDY } from "./cues.ts";
import { cutTitle, proseOf } from "./sentences.ts";
import { isSlip } from "./slips.ts";

/** A line of an output that says what is wrong. */
const TELLING_LINE =
  /error|exception|fail|panic|fatal|cannot|can't|unable|denied|refused|undefined|unexpected|invalid|missing|mismatch|expected|timed? ?out|not /i;
const NOISE = /^(?:exit code \d+|\[[\w-]+\] \$|at |error:?$|fail(?:ed)?:?$|npm warn|warning)|task failed$/i;
/** Pieces of evidence of each kind; the text is made to fit later. */
const MAX_WORDS = 6;
const MAX_CHANGES = 4;
const MAX_ATTEMPTS = 3;

export function mendedErrors(result: ParseResult, conversation: Conversation): Candidate[] {
  const fixes = findFixes(result.messages, result.content_blocks, result.tool_calls).filter(({ fix }) => fix !== null);
  const byBlock = new Map(conversation.map((said) => [said.block.id, said]));
  // Calls that failed one after the other are mended by the same one: the first of them tells the story.
  const stories = Map.groupBy(fixes, ({ fix }) => fix);
  return [...stories.values()].flatMap((story) => candidateOf(story, byBlock, conversation) ?? []);
}

function candidateOf(
  story: readonly ToolFix[],
  byBlock: ReadonlyMap<string, Said>,
  conversation: Conversation,
): Candidate | undefined {
  const substantial = story.filter(({ failed }) => !isSlip(failed));
  const [first] = substantial;
  const start = first?.failed.use && byBlock.get(first.failed.use.block_id);
  const end = first?.fix?.use && byBlock.get(first.fix.use.block_id);
  if (first === undefined || !start || !end) return undefined;
  const telling = tellingLine(first.failed);
  if (telling === undefined) return undefined;
  const between = conversation.slice(start.at + 1, end.at);
  const words = between.filter(
    ({ block, message }) => block.block_type === "text" && message.message_type === "assistant",
  );
  const prose = words.map(({ block }) => proseOf(block.content_text ?? "")).join("\n");
  const causes = cuesIn(prose, CAUSE);
  const remedies = cuesIn(prose, REMEDY);
  const tries = new Set([...substantial.slice(1).map(({ failed }) => failed), ...first.attempts]).size;
  const score =
    0.3 +
    Math.min(causes.length, 2) * 0.2 +
    Math.min(remedies.length, 2) * 0.05 +
    Math.min(tries, 3) * 0.1 +
    (prose.length > 300 ? 0.1 : 0);
  const evidence = [
    start,
    ...resultOf(start, byBlock),
    ...middle(between, words, substantial, byBlock),
    end,
    ...resultOf(end, byBlock),
  ];
  return {
    snippet_type: "error_reasoning",
    title: cutTitle(`${first.failed.tool_name ?? "Tool"}: ${telling}`),
    score: bounded(score),
    reason: reasonOf(tries, causes),
    evidence: evidence.toSorted((a, b) => a.at - b.at),
    context: [],
  };
}

function reasonOf(tries: number, causes: readonly string[]): string {
  const tried = tries === 0 ? "" : ` after ${tries} more ${tries === 1 ? "failure" : "failures"}`;
  const told = causes.length === 0 ? "" : `, and the cause was told (“${causes[0]}”)`;
  return `A call failed, and a later one on the same target succeeded${tried}${told}.`;
}

/** The line of the error that says what is wrong. */
function tellingLine({ error }: ToolCall): string | undefined {
  const lines = (error ?? "")
    .slice(0, 20_000)
    .split("\n")
    .map((line) => line.trim());
  return lines.find((line) => line.length >= 12 && TELLING_LINE.test(line) && !NOISE.test(line));
}

function resultOf({ call }: Said, byBlock: ReadonlyMap<string, Said>): Said[] {
  const said = call?.result && byBlock.get(call.result.block_id);
  return said ? [said] : [];
}

/** What was said and changed between the failure and the fix, and what failed again. */
function middle(
  between: Conversation,
  words: readonly Said[],
  story: readonly ToolFix[],
  byBlock: ReadonlyMap<string, Said>,
): Said[] {
  const again = story.slice(1, 1 + MAX_ATTEMPTS).flatMap(({ failed }) => {
    const use = failed.use && byBlock.get(failed.use.block_id);
    return use ? [use, ...resultOf(use, byBlock)] : [];
  });
  const changes = between.filter(
    ({ call }) => call?.status === "completed" && /edit|write|patch/i.test(call.tool_name ?? ""),
  );
  return [...new Set([...words.slice(0, MAX_WORDS), ...changes.slice(-MAX_CHANGES), ...again])];
}
