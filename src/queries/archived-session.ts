/**
 * Reads a session from the store by turning its rows back into the units of its source, so everything that reads a file
 * reads the store too.
 */
import { isInDatabase } from "../agents/registry.ts";
import { basename } from "node:path";
import { hasContent } from "../indexing/is-current.ts";
import type { BlockDraft, MessageDraft, InputUnit } from "../parse/message-draft.ts";
import type { SessionContent } from "../parse/content.ts";
import { formatNamed } from "../agents/detect.ts";
import { msOf } from "../parse/times.ts";
import { claudePlace } from "../agents/claude-code/claude-sessions.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { type StoredBlock, type StoredMessage, type StoredSession, storedUsage } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { firstTimeOf, hostIn, storedRef } from "./stored-session.ts";

/**
 * Returns a stored session to be read from the store; undefined if nothing of it was indexed: it is only registered, for a
 * snippet. `withDropped`: see `Archive`.
 */
export function archivedSession(store: Store, session: StoredSession, withDropped = false): SessionRef | undefined {
  const { session_id: sessionId, place, path, cwd, counts, state, figures } = session;
  if (state.revision === 0) return undefined;
  const ref = storedRef(session);
  const host = hostIn(store, session);
  return {
    ...ref,
    // As for a file, whose head is not read for this.
    ...(place === "claude-code" && cwd === null
      ? { project: null, projectLabel: basename(claudePlace(path).folder) }
      : {}),
    ...(host === null ? {} : { path: null, database: null }),
    title: session.given_title,
    startedMs: msOf(session.started_at),
    lastMs: msOf(session.ended_at),
    modifiedMs:
      (isInDatabase({ place }) ? 0 : (figures ?? state).source_modified_ms) || (msOf(session.modified_at) ?? 0),
    bytes: ref.path === null ? null : (figures ?? state).source_bytes,
    archived: { sessionId, host, content: archivedContent(store, session, withDropped), counts },
  };
}

function withoutContent({ session_id: id }: StoredSession): TranscriptsError {
  const next =
    "`transcripts stats` shows them. `transcripts index` keeps the content of sessions whose files are there.";
  return new TranscriptsError("gone", `Only the figures of session ${id} were kept, and its file is gone.`, next);
}

/** Sources whose results do not name their tool; the store adds the name of the call's. */
const WITHOUT_RESULT_NAMES: ReadonlySet<string> = new Set(["claude-code", "claude-stream"]);

/** Returns a content that is the current rows of a session, or all of them. */
function archivedContent(store: Store, session: StoredSession, withDropped: boolean): SessionContent {
  const { format, subagent_copies } = session.state;
  const { name, lines, isRedacted = false } = formatNamed(format || "opencode-export");
  async function* units(subagentCopies: boolean | undefined): AsyncGenerator<InputUnit[]> {
    const id = session.session_id;
    if (!hasContent(session)) throw withoutContent(session);
    const isWanted = ({ superseded }: { superseded: boolean }): boolean => withDropped || !superseded;
    const messages = (await store.messages(id)).filter(isWanted);
    const blocks = (await store.blocks(id)).filter(isWanted);
    const isCopy = ({ is_sidechain, cwd }: StoredMessage): boolean => is_sidechain && cwd === null;
    const isLeftOut = name === "claude-code" && subagent_copies && subagentCopies !== true ? isCopy : () => false;
    yield unitsOf(
      session,
      messages.filter((message) => !isLeftOut(message)),
      blocks,
      name,
    );
  }
  return {
    open: async ({ subagentCopies }) => ({ format: { name, lines, isRedacted }, units: units(subagentCopies) }),
  };
}

/** A part of a message with its own place and id in the source. */
interface Piece {
  offset: number;
  line: number;
  /** Order among pieces at one place, as their blocks have it in the source. */
  order: number;
  message: StoredMessage;
  blocks: StoredBlock[];
  /** Whether it has the message's own fields. */
  isFirst: boolean;
}

/** Turns rows back into units: one for each place of the source that has any. */
function unitsOf(
  session: StoredSession,
  messages: readonly StoredMessage[],
  blocks: readonly StoredBlock[],
  source: string,
): InputUnit[] {
  const pieces = piecesOf(messages, blocks).toSorted((a, b) => a.offset - b.offset || a.order - b.order);
  const [first] = pieces;
  const place = { line: first?.line ?? 1, offset: first?.offset ?? 0 };
  const facts = { ...place, lines: 0, outcome: { as: "used" as const }, messages: [], problems: [] };
  const units: InputUnit[] = [{ ...facts, session: factsOf(session), timestamp: firstTimeOf(session) ?? undefined }];
  const groups = [...Map.groupBy(pieces, ({ offset }) => offset)];
  for (const [at, [offset, group]] of groups.entries()) {
    const line = group[0]?.line ?? 1;
    const next = groups[at + 1]?.[1][0]?.line ?? session.state.lines + 1;
    // An entry of markdown extends to the next one.
    const lines = source === "markdown" ? Math.max(next - line, 1) : 1;
    const drafts = group.map((piece) => draftOf(piece, source));
    const timestamp = drafts.find((draft) => draft.timestamp !== undefined)?.timestamp;
    units.push({ line, offset, lines, outcome: { as: "used" }, messages: drafts, problems: [], timestamp });
  }
  units.push({ ...facts, timestamp: session.ended_at ?? undefined });
  return units;
}

function piecesOf(messages: readonly StoredMessage[], blocks: readonly StoredBlock[]): Piece[] {
  const ofMessage = Map.groupBy(blocks, ({ message_id: id }) => id);
  let latest = 0;
  return messages.flatMap((message): Piece[] => {
    const { byte_offset: offset, line_number: line, uuid } = message;
    const own = ofMessage.get(message.message_id) ?? [];
    const order = own[0]?.ordinal ?? latest;
    const pieces: Piece[] = [{ offset, line, order, message, blocks: [], isFirst: true }];
    let last = { byte_offset: offset, source_uuid: uuid };
    for (const block of own) {
      if (block.byte_offset !== last.byte_offset || block.source_uuid !== last.source_uuid) {
        const { byte_offset, line_number, ordinal } = block;
        pieces.push({ offset: byte_offset, line: line_number, order: ordinal, message, blocks: [], isFirst: false });
        last = block;
      }
      pieces.at(-1)?.blocks.push(block);
      latest = Math.max(latest, block.ordinal);
    }
    return pieces;
  });
}

function factsOf(session: StoredSession): NonNullable<InputUnit["session"]> {
  const { agent_id: agentId, parent_id: parent, given_title: title } = session;
  return {
    // The file of a subagent of Claude Code names the session that started it as its own.
    sessionId: agentId === null ? storedRef(session).id : parent,
    parentSessionId: agentId === null ? parent : null,
    agentId,
    title,
    cwd: session.cwd,
    version: session.agent_version,
    gitBranch: session.git_branch,
  };
}

function draftOf({ message, blocks, isFirst }: Piece, source: string): MessageDraft {
  const [block] = blocks;
  return {
    type: message.message_type,
    role: message.role,
    userKind: message.user_kind ?? undefined,
    sourceId: message.source_id ?? undefined,
    uuid: (isFirst ? message.uuid : block?.source_uuid) ?? undefined,
    requestId: message.request_id ?? undefined,
    model: message.model ?? undefined,
    provider: message.provider ?? undefined,
    timestamp: block?.occurred_at ?? (isFirst ? message.occurred_at : null) ?? undefined,
    cwd: message.cwd ?? undefined,
    isSidechain: message.is_sidechain,
    agentId: message.agent_id ?? undefined,
    blocks: blocks.map((each) => blockDraft(each, source)),
    ...(isFirst
      ? {
          parentUuid: message.parent_uuid ?? undefined,
          usage: storedUsage(message),
          costUsd: message.recorded_cost_usd ?? undefined,
          // The reader adds to it.
          metadata: { ...message.metadata, ...droppedMark(message) },
        }
      : {}),
  };
}

function blockDraft(block: StoredBlock, source: string): BlockDraft {
  const { block_type: type, kept, metadata } = block;
  const isUse = type === "tool_use";
  const isResult = type === "tool_result";
  return {
    type,
    text: isUse || (kept === "none" && type !== "thinking") ? undefined : block.content,
    toolName: isResult && WITHOUT_RESULT_NAMES.has(source) ? undefined : (block.tool_name ?? undefined),
    toolUseId: block.tool_use_id ?? undefined,
    input: isUse ? JSON.parse(block.content) : undefined,
    isError: block.is_error ?? undefined,
    status: isResult ? (block.status ?? undefined) : undefined,
    exitCode: block.exit_code ?? undefined,
    metadata: { ...metadata, ...droppedMark(block) },
  };
}

function droppedMark({ superseded }: { superseded: boolean }): { superseded?: true } {
  return superseded ? { superseded: true } : {};
}
