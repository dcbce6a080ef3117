/** Writes a session with its subagents as JSON, or as transcripts of our own format. */
import { basename, extname } from "node:path";
import { guardJson } from "../neutral-text.ts";
import type { BlockPlace, ToolCall } from "../parse/model.ts";
import { conversationEntries, separateSubagents, type StartedSession } from "../queries/conversation-entries.ts";
import { turnsOf } from "../parse/turns.ts";
import type { Conversation } from "../queries/read-session.ts";
import { agentOf, type SessionRef } from "../sessions/session-ref.ts";
import { encodeMarkdownEntry, encodeMarkdownHeader, type TranscriptHeader } from "../transcript/format/formats.ts";
import { safeSegment } from "../transcript/transcript-paths.ts";
import { VERSION } from "../version.ts";
import type { Write } from "./write-file.ts";
import { messageRow } from "./message-row.ts";
import type { Output } from "./output-schemas.ts";

/** Session that was read, with those of its subagents. */
export interface ReadSession {
  ref: SessionRef;
  conversation: Conversation;
  children: ReadSession[];
}

// JSON, in pieces, because the JSON of a long session can be longer than a string may be.

export async function writeJson(session: ReadSession, write: Write): Promise<void> {
  await writeSessionJson(session, write);
  await write("\n");
}

async function writeSessionJson({ ref, conversation, children }: ReadSession, write: Write): Promise<void> {
  const { id, metadata, content_blocks: blocks, tool_calls: calls } = conversation;
  const head: Omit<Output<"export">, "messages" | "tool_calls" | "children"> = {
    version: 1,
    session_id: id,
    parent_session_id: parentOf(ref, conversation),
    agent: agentOf(ref),
    project: metadata.cwd,
    title: metadata.title,
    started: metadata.firstTimestamp,
    ended: metadata.lastTimestamp,
  };
  await write(json(head).slice(0, -1));
  const orders = new Map(blocks.map(({ id: block, block_order: order }) => [block, order]));
  const messages = turnsOf(conversation).flatMap((turn) =>
    turn.messages.map((view) => () => write(json(messageRow(view, id, turn.number)))),
  );
  await writeList("messages", messages, write);
  const rows = calls.map((call) => () => write(json(callRow(call, orders))));
  await writeList("tool_calls", rows, write);
  await writeList(
    "children",
    children.map((child) => () => writeSessionJson(child, write)),
    write,
  );
  await write("}");
}

/** Writes one item per line. */
async function writeList(name: string, items: readonly (() => Promise<void>)[], write: Write): Promise<void> {
  await write(`,\n"${name}":[`);
  for (const [at, item] of items.entries()) {
    await write(at === 0 ? "\n" : ",\n");
    await item();
  }
  await write("]");
}

function json(value: object): string {
  return guardJson(JSON.stringify(value));
}

type CallRow = Output<"export">["tool_calls"][number];

/** Returns the row without ids of blocks, which differ in each run. */
function callRow(call: ToolCall, orders: ReadonlyMap<string, number>): CallRow {
  const place = (of: BlockPlace | null): CallRow["use"] => {
    if (of === null) return null;
    const { block_id: id, message_ordinal, ...rest } = of;
    return { message_ordinal, block_order: orders.get(id) ?? 0, ...rest };
  };
  return { ...call, use: place(call.use), result: place(call.result) };
}

// Transcripts.

/** Transcript to write. Paths are relative to the folder of the export, with forward slashes. */
interface TranscriptFile {
  path: string;
  header: TranscriptHeader;
  rows: Parameters<typeof conversationEntries>[0];
  started: StartedSession[];
}

/**
 * Returns the transcript of the session, which gets the name `file`, and those of its subagents, in a folder named after
 * it. With `alone`, only the session's own; its calls name their subagents, without a link.
 */
export function transcriptsOf(session: ReadSession, file: string, alone: boolean): TranscriptFile[] {
  const stem = basename(file, extname(file));
  const folder = stem === file ? `${file}-subagents` : stem;
  const taken = new Set<string>();
  const childPath = (id: string): string => {
    let name = safeSegment(id);
    for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${safeSegment(id)}-${count}`;
    taken.add(name.toLowerCase());
    return `${folder}/${name}.md`;
  };
  const filesOf = ({ ref, conversation, children }: ReadSession, path: string, parent?: TranscriptFile) => {
    const { own, subagents } = separateSubagents(conversation);
    const header: TranscriptHeader = { ...headerOf(ref, conversation), ...(parent && parentFields(parent)) };
    const transcript: TranscriptFile = { path, header, rows: own, started: [] };
    const files = [transcript];
    if (alone) return files;
    for (const [agent, rows] of subagents) {
      const sessionID = agent === null ? `${header.sessionID}-subagents` : `agent-${agent}`;
      const link = { sessionID, path: childPath(sessionID) };
      transcript.started.push({ link, names: agent === null ? [] : [agent] });
      const created = rows.messages.find(({ timestamp }) => timestamp !== null)?.timestamp;
      const { title: _title, created: _created, ...rest } = header;
      const about = { ...rest, sessionID, ...(created ? { created } : {}), ...parentFields(transcript) };
      files.push({ path: link.path, header: about, rows, started: [] });
    }
    for (const child of children) {
      const { id, metadata } = child.conversation;
      const link = { sessionID: id, path: childPath(id) };
      const names = [id, metadata.agentId, metadata.sessionId].filter((name) => name !== null);
      transcript.started.push({ link, names: names.filter((name) => name !== conversation.metadata.sessionId) });
      files.push(...filesOf(child, link.path, transcript));
    }
    return files;
  };
  return filesOf(session, file);
}

export async function writeTranscript({ path, header, rows, started }: TranscriptFile, write: Write): Promise<void> {
  await write(encodeMarkdownHeader(header, { filePath: path }));
  for (const { entry, inputIsKnown } of conversationEntries(rows, started))
    await write(encodeMarkdownEntry(entry, { filePath: path, inputIsKnown }));
}

function headerOf(ref: SessionRef, conversation: Conversation): TranscriptHeader {
  const { id, metadata } = conversation;
  const { title, cwd, version, firstTimestamp } = metadata;
  const parentID = parentOf(ref, conversation);
  return {
    version: 1,
    sessionID: id,
    ...(parentID === null ? {} : { parentID }),
    ...(title === null ? {} : { title }),
    ...(cwd === null ? {} : { directory: cwd }),
    ...(firstTimestamp === null ? {} : { created: firstTimestamp }),
    ...(version === null ? {} : { host: [agentOf(ref) ?? [], version].flat().join(" ") }),
    recorder: `opencode-transcripts ${VERSION} (export)`,
  };
}

function parentFields({ path, header }: TranscriptFile): Pick<TranscriptHeader, "parentID" | "parentPath"> {
  return { parentID: header.sessionID, parentPath: path };
}

/** A subagent's file of Claude Code has only the id of the session that started it. */
function parentOf({ parentId }: SessionRef, { id, metadata }: Conversation): string | null {
  const { agentId, sessionId, parentSessionId } = metadata;
  if (parentId !== null || parentSessionId !== null) return parentId ?? parentSessionId;
  return agentId !== null && sessionId !== id ? sessionId : null;
}
