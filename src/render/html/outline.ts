/** The input of a page, and its outline: the turns, which call started which subagent, and what fixed which call. */
import { allTools } from "../../agents/all-tools.ts";
import { fixesOf, type ToolFix } from "../../fixes/find-fixes.ts";
import type { ParsedContentBlock, ParseResult, ToolCall } from "../../parse/model.ts";
import { type Turn, turnsOf } from "../../parse/turns.ts";

/** Larger images become notes. */
export const MAX_IMAGE_BYTES = 1_000_000;

export interface PageImage {
  /** `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `image/avif`; others become a note. */
  mediaType: string;
  bytes: Uint8Array;
}

/** Session for a page, as the parser returns it, with the sessions of its subagents. */
export interface PageSession extends Pick<
  ParseResult,
  "messages" | "content_blocks" | "tool_calls" | "stats" | "metadata" | "errors"
> {
  /** Origin, if not this machine, as a clause. */
  origin?: string;
  /** Sessions of subagents. One named by a call is shown below the call, others at the end. */
  children: readonly PageSession[];
  /** Turns before the first message here, if this is a part of the session. Default: 0. */
  turnsBefore?: number;
  /** Address of the session's own page. Then a page that has it as a child links to it, and does not show its conversation. */
  href?: string;
  /** Address of the first failed call after this part of the session. */
  nextFailure?: string | undefined;
  /** Returns how often an error came up in all sessions; undefined if that is not known. */
  seen?: (error: string) => SeenError | undefined;
  /** Address of the page with the rows of this part of the session. */
  rows?: string;
  /** Finds the bytes of an image block; undefined if they are not available. Without it, images become notes. */
  readImage?: (block: ParsedContentBlock) => Promise<PageImage | undefined>;
}

/** How often an error came up. */
export interface SeenError {
  count: number;
  sessions: number;
  /** Address of the page that shows what fixed it; undefined if there is none. */
  href: string | undefined;
}

/** Call with the blocks that are shown in it. */
export interface PairedCall {
  call: ToolCall;
  use: ParsedContentBlock;
  /** Null if there is no result, or if its block is not in the session. */
  result: ParsedContentBlock | null;
  children: PageSession[];
}

/** A block with its place. */
export interface PlacedBlock {
  ordinal: number;
  order: number;
}

export interface Outline {
  turns: readonly Turn[];
  /** By id of the `tool_use` block. */
  calls: ReadonlyMap<string, PairedCall>;
  /** By failed call. */
  fixes: ReadonlyMap<ToolCall, ToolFix>;
  /** By id of the block of a failed call: that of the next one. */
  nextFailures: ReadonlyMap<string, PlacedBlock>;
  /** Ids of results shown in their call. */
  resultsInCalls: ReadonlySet<string>;
  /** Ordinals of messages that are shown entirely in calls. */
  emptied: ReadonlySet<number>;
  /** Children not named by any call. */
  otherChildren: readonly PageSession[];
  /** The whole session is a subagent's, so its messages need no label. */
  isSubagent: boolean;
}

export function outlineOf(session: PageSession): Outline {
  const turns = turnsOf(session, session.turnsBefore);
  const entries = turns.flatMap(({ messages }) => messages);
  const blocks = new Map(entries.flatMap((entry) => entry.blocks.map((block) => [block.id, block])));
  const calls = new Map<string, PairedCall>();
  for (const call of session.tool_calls) {
    // Part of a session may have results without their calls.
    const use = blocks.get(call.use?.block_id ?? "");
    if (use === undefined) continue;
    const result = blocks.get(call.result?.block_id ?? "") ?? null;
    calls.set(use.id, { call, use, result, children: [] });
  }
  const failed = entries.flatMap(({ message, blocks: own }) =>
    own
      .filter(({ id }) => calls.get(id)?.call.status === "error")
      .map(({ id, block_order: order }) => ({ id, ordinal: message.ordinal, order })),
  );
  const resultsInCalls = new Set([...calls.values()].flatMap(({ result }) => result?.id ?? []));
  const emptied = entries.filter(
    (entry) => entry.blocks.length > 0 && entry.blocks.every(({ id }) => resultsInCalls.has(id)),
  );
  return {
    turns,
    calls,
    fixes: new Map(
      fixesOf(session.messages, session.content_blocks, session.tool_calls, allTools).map((fix) => [fix.failed, fix]),
    ),
    nextFailures: new Map(failed.slice(1).map((next, at) => [failed[at]?.id ?? "", next])),
    resultsInCalls,
    emptied: new Set(emptied.map(({ message }) => message.ordinal)),
    otherChildren: otherChildren(session, calls, blocks),
    isSubagent: session.messages.every(({ is_sidechain: isSide }) => isSide),
  };
}

/** Puts the children into the calls that started them. Returns those that no call names. */
function otherChildren(
  session: PageSession,
  calls: ReadonlyMap<string, PairedCall>,
  blocks: ReadonlyMap<string, ParsedContentBlock>,
): PageSession[] {
  const started = new Map<string, PairedCall>();
  for (const [use, call] of calls) for (const name of startedBy(blocks.get(use))) started.set(name, call);
  for (const call of calls.values()) for (const name of startedBy(call.result)) started.set(name, call);
  return session.children.filter((child) => {
    const { agentId, sessionId } = child.metadata;
    // Subagents of Claude Code have their own id and the session's id; those of opencode have their own session.
    const names = [agentId, sessionId === session.metadata.sessionId ? null : sessionId];
    const call = names.map((name) => started.get(name ?? "")).find((found) => found !== undefined);
    call?.children.push(child);
    return call === undefined;
  });
}

/** Returns the agents and sessions named in a call or its result as started by it. */
function startedBy(block: ParsedContentBlock | null | undefined): string[] {
  const { subagent_session_id: session, subagent_id: agent } = block?.metadata ?? {};
  return [session, agent].filter((name) => typeof name === "string");
}
