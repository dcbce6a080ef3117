/**
 * What mended a failed tool call: the later call of the same agent, on the same target, that succeeded.
 *
 * A call counts as an answer to a failure only if it was made in a message after the failure was known. The nearest
 * such call is the fix, where a call on a merely similar target counts as further away than it is, is not looked
 * for as long, and gives way to an identical call. All distances are in calls of the same agent.
 */
import { clueOf, outcomeOf, type Clue } from "./fixes/evidence.ts";
import { laneCalls, type LaneCall } from "./fixes/lanes.ts";
import { globFolders, type CallPath } from "./fixes/paths.ts";
import { isIdentical, matchTargets, type Grade, type Match } from "./fixes/compare.ts";
import { diffText, inputChanges, type InputChange } from "./input-diff.ts";
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "./model.ts";

export type { InputChange } from "./input-diff.ts";

export interface ToolFix {
  failed: ToolCall;
  fix: ToolCall | null;
  /** What differs between the inputs of the two. */
  changes: InputChange[];
  /** The same as text, in the style of `diff -u`. */
  diff: string;
  /** What the assistant wrote between the two, in order. */
  words: string[];
  /** Calls on the same target in between that failed too; without a fix all that followed. */
  attempts: ToolCall[];
  /** Why this call is the fix, or why there is none: one sentence. */
  reason: string;
}

/** How many calls later a fix may come. */
const REACH: Record<Grade, number> = { same: 200, similar: 40, guess: 12 };
/** By how many calls a fix of this grade counts as further away. */
const HANDICAP: Record<Grade, number> = { same: 0, similar: 8, guess: 20 };
/** The same for a command whose exit code was lost in a pipe or list. */
const DOUBT = 4;

/** One for each call that failed, was refused or interrupted, in order; a fix is looked for only for those that failed. */
export function findFixes(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
  calls: readonly ToolCall[],
): ToolFix[] {
  const unhappy = calls.filter(({ status }) => status === "error" || status === "rejected" || status === "interrupted");
  if (unhappy.length === 0) return [];
  const placed = laneCalls(messages, blocks, calls);
  return unhappy.map((call) => {
    const at = placed.get(call);
    if (call.status === "rejected") return unmended(call, "A person refused the call, so there is nothing to mend.");
    if (call.status === "interrupted") return unmended(call, "The call was interrupted; it did not fail.");
    if (!at) return unmended(call, "The call itself is not in the source, so its target is not known.");
    return fixOf(at);
  });
}

interface Candidate {
  later: LaneCall;
  match: Match;
  cost: number;
}

function fixOf(failed: LaneCall): ToolFix {
  const clue = clueOf(failed.call);
  const attempts: LaneCall[] = [];
  let best: Candidate | null = null;
  const following = failed.lane.calls.slice(failed.index + 1, failed.index + 1 + REACH.same);
  for (const later of following) {
    const distance = later.index - failed.index;
    const isSettled = best !== null && distance >= best.cost;
    if (isSettled && best?.match.grade === "same") break;
    // The same call wins over a similar one, however much later.
    const isAgain = isIdentical(failed.target(), later.target());
    if (!isReaction(failed, later) || (isSettled && !isAgain)) continue;
    clue.looked.push(...foldersLookedInto(later));
    const match = matchTargets(failed.target(), later.target(), clue);
    if (match === null || !isInReach(failed, later, match, clue)) continue;
    const outcome = outcomeOf(later.call, match.step, clue);
    if (outcome === "failed" && match.grade !== "guess") attempts.push(later);
    if (outcome !== "succeeded") continue;
    const cost = distance + HANDICAP[match.grade] + (match.step?.assured === false ? DOUBT : 0);
    const isBetter = best === null || cost < best.cost || (isAgain && best.match.grade !== "same");
    if (isBetter) best = { later, match, cost };
  }
  return best === null ? withoutFix(failed, attempts, clue, following.length) : withFix(failed, best, attempts);
}

/** Calls of one message are made at once, and none of them is an answer to another's failure. */
function isReaction(failed: LaneCall, later: LaneCall): boolean {
  return (later.call.use?.message_ordinal ?? 0) >= failed.knownFrom;
}

function isInReach(failed: LaneCall, later: LaneCall, { grade }: Match, clue: Clue): boolean {
  const near = grade === "guess" || clue.bare;
  if (near && later.turn !== failed.turn) return false;
  return later.index - failed.index <= (near ? REACH.guess : REACH[grade]);
}

function foldersLookedInto(later: LaneCall): CallPath[] {
  if (later.call.status !== "completed") return [];
  return later.target().steps.flatMap(({ purpose }) => {
    if (purpose.kind === "list" || purpose.kind === "search") return purpose.paths;
    return purpose.kind === "glob" ? globFolders(purpose.pattern, purpose.paths) : [];
  });
}

function withFix(failed: LaneCall, { later, match }: Candidate, attempts: readonly LaneCall[]): ToolFix {
  const changes = inputChanges(failed.call.tool_input, later.call.tool_input);
  const distance = later.index - failed.index;
  const where = distance === 1 ? "with the next call" : `${distance} calls later`;
  const between = attempts.filter(({ place }) => place < later.place).map(({ call }) => call);
  return {
    failed: failed.call,
    fix: later.call,
    changes,
    diff: diffText(changes, nameOf(failed.call), nameOf(later.call)),
    words: failed.lane.texts.slice(failed.textsBefore, later.textsBefore),
    attempts: between,
    reason: `${later.call.tool_name ?? "A tool"} succeeded ${where} on ${match.on}.`,
  };
}

function nameOf({ tool_name, tool_use_id }: ToolCall): string {
  return [tool_name ?? "unknown tool", tool_use_id ?? ""].join(" ").trim();
}

function withoutFix(failed: LaneCall, attempts: readonly LaneCall[], clue: Clue, following: number): ToolFix {
  const tried = attempts.length === 0 ? "" : ` It was tried again ${times(attempts.length)} and failed each time.`;
  const after =
    following === 0
      ? "No call of the same agent follows it."
      : following < REACH.same
        ? "No later call on the same target succeeded."
        : `No call on the same target succeeded within the next ${REACH.same} calls.`;
  const answer = clue.bare ? " The exit code may be an answer, such as nothing found, and no fault." : "";
  return { ...unmended(failed.call, `${after}${tried}${answer}`), attempts: attempts.map(({ call }) => call) };
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function unmended(failed: ToolCall, reason: string): ToolFix {
  return { failed, fix: null, changes: [], diff: "", words: [], attempts: [], reason };
}
