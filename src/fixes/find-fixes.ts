/**
 * Finds what fixed a failed tool call: the later call of the same agent, on the same target, that succeeded.
 *
 * Only calls in messages after the failure was known count. The nearest is the fix. A call on a merely similar target
 * counts as further away, is searched for over a shorter distance, and gives way to an identical call. Distances are in
 * calls of the same agent.
 */
import { clueOf, outcomeOf, type Clue } from "./evidence.ts";
import { isIdentical, matchTargets, type Grade, type Match } from "./compare.ts";
import { ELSEWHERE, PASSING } from "./error-kinds.ts";
import { changeOf, editDiff } from "./call-diff.ts";
import { remediesFor } from "./remedies.ts";
import type { ToolTable } from "../calls/tools.ts";
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "../parse/model.ts";
import { once, targetOf, type Target } from "./targets.ts";

export interface ToolFix {
  failed: ToolCall;
  /** The later call that succeeded; null if none did. */
  fix: ToolCall | null;
  /** Calls between the two that made the difference, in order: edits and commands. */
  steps: FixStep[];
  /** Diff of the call itself; empty if that made no difference, or if another tool succeeded. */
  diff: string;
  /** Texts of the assistant between the two, in order. */
  words: string[];
  /** Failed calls on the same target in between; without a fix, all later ones. */
  attempts: ToolCall[];
  /** Says why no fix was found; empty if one was. */
  reason: string;
}

export interface FixStep {
  call: ToolCall;
  /** Its change to a file; empty for a command. */
  diff: string;
}

/** Maximum distance of a fix, in calls. */
const REACH: Record<Grade, number> = { same: 200, similar: 40 };
/**
 * The same if the error is only an exit code, which may be the result of a search, comparison or test, or if something was
 * replaced.
 */
const NEAR = 12;
/** Number of calls added to the distance of a fix of this grade. */
const HANDICAP: Record<Grade, number> = { same: 0, similar: 8 };

/**
 * Returns an item for each call that failed, was rejected or interrupted, in order. Only failed ones can have a fix.
 * `tools`: what the tools of the session's agent do. `of`: only these calls; default: all.
 */
export function fixesOf(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
  calls: readonly ToolCall[],
  tools: ToolTable,
  of = calls,
): ToolFix[] {
  const unhappy = of.filter(({ status }) => status === "error" || status === "rejected" || status === "interrupted");
  if (unhappy.length === 0) return [];
  const placed = laneCalls(messages, blocks, calls, tools);
  return unhappy.map((call) => {
    const at = placed.get(call);
    if (call.status === "rejected") return unmended(call, "A person refused the call, so there is nothing to fix.");
    if (call.status === "interrupted") return unmended(call, "The call was interrupted; it did not fail.");
    if (!at) return unmended(call, "The call itself is not in the session, so its target is not known.");
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
    // An identical call takes precedence over a similar one, however much later.
    const isAgain = isIdentical(failed.target(), later.target());
    if (!isReaction(failed, later) || (isSettled && !isAgain)) continue;
    const match = matchTargets(failed.target(), later.target(), clue);
    if (match === null || !isInReach(failed, later, match, clue)) continue;
    // Nothing was wrong with the call, so only the same one, or a read of the same thing, was a second try.
    if (PASSING.test(clue.text) && !isAgain && (match.grade !== "same" || match.step?.purpose.kind === "write"))
      continue;
    const outcome = outcomeOf(later.call, match.step, clue);
    if (outcome === "failed") attempts.push(later);
    if (outcome !== "succeeded" || (!isAgain && repeatsSibling(failed, later))) continue;
    const cost = distance + HANDICAP[match.grade];
    const isBetter = best === null || cost < best.cost || (isAgain && best.match.grade !== "same");
    if (isBetter) best = { later, match, cost };
  }
  return best === null ? withoutFix(failed, attempts, clue, following.length) : withFix(failed, best, attempts, clue);
}

/** Calls of one message are parallel, so none of them reacts to another's failure. */
function isReaction(failed: LaneCall, later: LaneCall): boolean {
  return (later.call.use?.message_ordinal ?? 0) >= failed.knownFrom;
}

/** A call that repeats one made beside the failed one has the aim of that one. */
function repeatsSibling(failed: LaneCall, later: LaneCall): boolean {
  const siblings = failed.lane.calls.filter(
    (each) => each !== failed && !isReaction(failed, each) && !isReaction(each, failed),
  );
  return siblings.some((each) => isIdentical(each.target(), later.target()));
}

function isInReach(failed: LaneCall, later: LaneCall, { grade, isReplaced = false }: Match, { bare }: Clue): boolean {
  const isNear = bare || isReplaced;
  if (isNear && later.turn !== failed.turn) return false;
  return later.index - failed.index <= (isNear ? NEAR : REACH[grade]);
}

function withFix(failed: LaneCall, { later }: Candidate, attempts: readonly LaneCall[], clue: Clue): ToolFix {
  const tried = attempts.filter(({ index }) => index < later.index);
  // Calls that began before the failure was known are no reaction to it.
  const between = failed.lane.calls.slice(failed.index + 1, later.index).filter((each) => isReaction(failed, each));
  const steps = isElsewhere(failed, later, clue) ? [] : remediesFor(failed, between, tried, clue);
  return {
    failed: failed.call,
    fix: later.call,
    steps: steps.map((call) => ({ call, diff: editDiff(failed.lane.tools(call.tool_name, call.tool_input)) })),
    diff: changeOf(failed.target(), later.target(), steps, clue),
    words: failed.lane.texts.slice(failed.textsBefore, later.textsBefore),
    attempts: tried.map(({ call }) => call),
    reason: "",
  };
}

/** Returns whether the same command ran in another folder than the one that the error is about: nothing else was needed. */
function isElsewhere(failed: LaneCall, later: LaneCall, { text }: Clue): boolean {
  const [before, after] = [failed.target(), later.target()];
  const isSameLine = before.line !== null && before.line === after.line;
  return isSameLine && before.steps[0]?.folder !== after.steps[0]?.folder && ELSEWHERE.test(text);
}

function withoutFix(failed: LaneCall, attempts: readonly LaneCall[], clue: Clue, following: number): ToolFix {
  const tried = attempts.length === 0 ? "" : ` It was tried again ${times(attempts.length)} and failed each time.`;
  const after =
    following === 0
      ? "No call of the same agent follows it."
      : following < REACH.same
        ? "No later call on the same target succeeded."
        : `No call on the same target succeeded within the next ${REACH.same} calls.`;
  const answer = clue.bare ? " The exit code may be a result, such as no match, rather than a failure." : "";
  return { ...unmended(failed.call, `${after}${tried}${answer}`), attempts: attempts.map(({ call }) => call) };
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function unmended(failed: ToolCall, reason: string): ToolFix {
  return { failed, fix: null, steps: [], diff: "", words: [], attempts: [], reason };
}

// Groups calls and texts by agent, in order: an agent's success does not fix the failure of another one.

interface Lane {
  tools: ToolTable;
  calls: LaneCall[];
  /** Texts of the assistant. */
  texts: string[];
}

interface LaneCall {
  call: ToolCall;
  lane: Lane;
  index: number;
  /** Number of the lane's texts before it. */
  textsBefore: number;
  /** Messages before this one were written before the result was known. */
  knownFrom: number;
  /** Number of the user's prompts before it. */
  turn: number;
  target: () => Target;
}

/** Returns lanes by call, without calls that have no `tool_use` block. */
function laneCalls(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
  calls: readonly ToolCall[],
  tools: ToolTable,
): Map<ToolCall, LaneCall> {
  const blocksOf = Map.groupBy(blocks, ({ message_id: id }) => id);
  const callOf = new Map(calls.map((call) => [call.use?.block_id, call]));
  const lanes = new Map<string, Lane>();
  const laneNames = new Map<string | null, string>();
  const found = new Map<ToolCall, LaneCall>();
  let turn = 0;
  for (const message of messages.toSorted((a, b) => a.ordinal - b.ordinal)) {
    if (message.user_kind === "human" && !message.is_sidechain) turn += 1;
    const own = (blocksOf.get(message.id) ?? []).toSorted((a, b) => a.block_order - b.block_order);
    const name = laneName(message, laneNames);
    const isNameless = message.is_sidechain && message.agent_id === null;
    const uuids = isNameless ? [message.uuid, ...own.map((block) => block.source_uuid)] : [];
    for (const uuid of uuids) laneNames.set(uuid, name);
    const lane = lanes.get(name) ?? { tools, calls: [], texts: [] };
    lanes.set(name, lane);
    for (const { id, block_type: type, content_text: text } of own) {
      const isSaid = type === "text" && message.message_type === "assistant" && text !== null && text.trim() !== "";
      if (isSaid) lane.texts.push(text);
      const call = callOf.get(id);
      if (call === undefined) continue;
      const laneCall: LaneCall = {
        call,
        lane,
        index: lane.calls.length,
        textsBefore: lane.texts.length,
        knownFrom: Math.max(message.ordinal, call.result?.message_ordinal ?? 0) + 1,
        turn,
        target: once(() => targetOf(tools, call.tool_name, call.tool_input, message.cwd)),
      };
      lane.calls.push(laneCall);
      found.set(call, laneCall);
    }
  }
  return found;
}

/**
 * Identifies the agent of a message by its id. Older files have parallel subagents without ids, which are identified by the
 * first message of the chain of parents. `known`: their names by the uuid of an earlier line.
 */
function laneName(
  { id, agent_id: agent, is_sidechain: isSide, parent_uuid: parent }: TranscriptMessage,
  known: ReadonlyMap<string | null, string>,
): string {
  if (agent !== null) return `agent ${agent}`;
  if (!isSide) return "main";
  return parent === null ? `sidechain ${id}` : (known.get(parent) ?? "sidechain");
}
