/** `transcripts export` */
import { Option } from "@commander-js/extra-typings";
import { realpath, stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { MAX_IMAGE_BYTES, type PageSession } from "../../render/html/outline.ts";
import { counted } from "../../quantities.ts";
import type { Redactor } from "../../redact/redactor.ts";
import { agentAt } from "../../agents/registry.ts";
import { reasonOf } from "../../places/reasons.ts";
import { refsIn, sessionFamily, type SessionNode } from "../../sessions/session-family.ts";
import { hostOf, type SessionRef } from "../../places/session-ref.ts";
import { createCommand, runnable, SESSION, team, type OptionsOf, type Versioned } from "../command.ts";
import { badArguments, type CommandContext, confirmed } from "../context.ts";
import { redactorFor } from "../redaction.ts";
import { conversationOf, noteUnread, sessionNamed } from "../session-input.ts";
import { openFile } from "../terminal/open-file.ts";
import { type Write, writeWhole } from "../../write-file.ts";
import { guardJson } from "../../neutral-text.ts";
import type { BlockPlace, ToolCall } from "../../parse/model.ts";
import { conversationEntries } from "../../queries/conversation-entries.ts";
import { turnsOf } from "../../parse/turns.ts";
import type { Conversation } from "../../queries/read-session.ts";
import {
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  FIRST_CONTEXT,
  inContext,
  type TranscriptHeader,
} from "../../transcript/format/formats.ts";
import { VERSION } from "../../version.ts";
import { type MessageOutput, messageRow } from "../../queries/message-row.ts";

const definition = createCommand("export", {
  description:
    "An option decides the format, or else the extension of the file (.html, .md, .json). An existing file is replaced only after asking. " +
    "Passwords, keys and tokens become [REDACTED:kind], so that the file can be shared; --no-redact leaves them in. " +
    "A page needs no other file: images of up to 1 MB that were saved with a transcript are embedded. " +
    "A transcript has the format in which opencode's sessions are recorded, whichever agent the session is from, and every command reads it. " +
    "It has the session without its subagents, which can be exported by their ids; attachments are only named.",
  examples: {
    "transcripts export latest -o session.html --open": "Writes the newest session as a page, and opens it.",
    "transcripts export latest -o session.md": "Writes the newest session as a transcript.",
    "transcripts export latest --json -o - | jq '.tool_calls[] | select(.status == \"error\")'":
      "Prints the failed calls of the newest session.",
  },
  nothing: "nothing was said in the session",
})
  .argument("<SESSION>", SESSION)
  .addOption(team)
  .addOption(new Option("--html", "Writes an HTML page.").conflicts(["markdown", "json"]))
  .addOption(new Option("--markdown", "Writes a transcript in markdown.").conflicts("json"))
  .option("--json", "Writes one JSON object: the session with its messages, tool calls and subagents.")
  .option("-o, --output <file>", "File to write; - for standard output.")
  .option("--open", "Opens the file afterwards, a page in the browser.")
  .option("--yes", "Replaces an existing file without asking.")
  .option("--no-redact", "Leaves secrets in. Needs the session's file: the store has none of them.");
type Options = OptionsOf<typeof definition>;

export interface ExportOutput extends Versioned {
  session_id: string;
  /** For a subagent: the session that started it. */
  parent_session_id: string | null;
  agent: string | null;
  project: string | null;
  title: string | null;
  started: string | null;
  ended: string | null;
  messages: MessageOutput[];
  tool_calls: ReturnType<typeof callRow>[];
  children: ExportOutput[];
}

/** Mode of new files, which are as private as a transcript. */
const FILE_MODE = 0o600;

/** By the names of their options. */
const FORMATS = [
  { name: "html", extension: ".html" },
  { name: "markdown", extension: ".md" },
  { name: "json", extension: ".json" },
] as const;
type FormatName = (typeof FORMATS)[number]["name"];

export const command = runnable(definition, async (context, [argument], options) => {
  const output = options.output ?? (context.isTerminal ? undefined : "-");
  const format = formatAsked(options, output);
  if (output === undefined || format === undefined)
    throw badArguments("A session is not exported to a terminal.", "Name a file: `-o session.html`, .md or .json.");
  if (output === "-" && options.open) throw badArguments("--open needs a file.", "Name one: `-o session.html`.");
  const ref = await sessionNamed(context, argument, options);
  const { root, unreadable } = await sessionFamily(ref, context);
  noteUnread(context, unreadable);
  const session = await readAll(context, root, redactorFor(options));
  context.signal.throwIfAborted();
  if (session.conversation.stats.total_messages === 0 && session.children.length === 0) return 1;
  const sources = refsIn(root).flatMap(({ path }) => path ?? []);
  const path = resolve(context.cwd, output);
  if (output === "-") await writeAs(format, session, (piece) => context.out(piece));
  else {
    await refuseSources(path, output, sources);
    const isNew = options.yes || !(await isFile(path));
    if (!isNew && !(await confirmed(context, `${output} exists and will be replaced.`))) {
      context.note("nothing was written");
      return 1;
    }
    await writeWhole(path, (write) => writeAs(format, session, write), FILE_MODE);
    context.note(`wrote ${path}`);
    context.note(redactedNote(session, options));
  }
  const left = format === "markdown" ? session.children.length : 0;
  if (left > 0) context.note(`left out: ${counted(left, "subagent")}, which can be exported by id`);
  if (options.open) await openFile(context, path);
  return 0;
});

/** Returns whether there is a file that would be replaced; anything else is refused when it is written. */
async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

function redactedNote(session: ReadSession, { redact }: Options): string {
  if (!redact) return "secrets are left in it";
  const counts = new Map<string, number>();
  for (const [kind, times] of redactionsIn(session)) counts.set(kind, (counts.get(kind) ?? 0) + times);
  const kinds = [...counts].map(([kind, times]) => `${kind} ${times}`).join(", ");
  const total = [...counts.values()].reduce((sum, times) => sum + times, 0);
  return total === 0 ? "no secret was found in it" : `${counted(total, "secret")} redacted: ${kinds}`;
}

function redactionsIn({ conversation, children }: ReadSession): [kind: string, times: number][] {
  return [...Object.entries(conversation.stats.redactions), ...children.flatMap(redactionsIn)];
}

/** Returns the format of the option, or else of the file's extension. Undefined if neither is given. */
function formatAsked(options: Options, output: string | undefined): FormatName | undefined {
  const asked = FORMATS.find(({ name }) => options[name]);
  if (output === undefined) return asked?.name;
  const ending = extname(output).toLowerCase();
  const format = asked ?? FORMATS.find(({ extension }) => extension === ending);
  if (format !== undefined) return format.name;
  const problem = output === "-" ? "No format given." : `The name ${output} does not say which format.`;
  throw badArguments(problem, "Add --html, --markdown or --json, or name a file that ends in .html, .md or .json.");
}

/** `redactor`: undefined to leave secrets in. */
async function readAll(
  context: CommandContext,
  { ref, children }: SessionNode,
  redactor: Redactor | undefined,
): Promise<ReadSession> {
  const conversation = await conversationOf(context, ref, { redactor });
  const below: ReadSession[] = [];
  for (const child of children) {
    try {
      below.push(await readAll(context, child, redactor));
    } catch (error) {
      noteUnread(context, [{ path: child.ref.path ?? child.ref.id, reason: reasonOf(error) }]);
    }
  }
  return { ref, conversation, children: below };
}

async function writeAs(format: FormatName, session: ReadSession, write: Write): Promise<void> {
  if (format === "json") return write(`${guardJson(JSON.stringify(exported(session)))}\n`);
  if (format === "markdown") return writeTranscript(session, write);
  const { renderPage } = await import("../../render/html/render-page.tsx");
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return renderPage(pageOf(session), write, { timeZone });
}

function pageOf({ ref, conversation, children }: ReadSession): PageSession {
  const readImage = imageReader(ref);
  const host = hostOf(ref);
  const origin = host === null ? {} : { origin: `recorded on ${host}` };
  return { ...conversation, children: children.map(pageOf), ...origin, ...(readImage ? { readImage } : {}) };
}

/** Finds images saved beside a session. */
function imageReader(ref: SessionRef): PageSession["readImage"] {
  const read = ref.archived === null ? agentAt(ref)?.attachments?.(ref, MAX_IMAGE_BYTES) : undefined;
  if (read === undefined) return undefined;
  return async ({ metadata: { path, media_type: mediaType } }) => {
    if (typeof path !== "string" || mediaType === undefined) return undefined;
    const bytes = await read(path);
    return bytes && { mediaType, bytes };
  };
}

async function refuseSources(path: string, output: string, sources: readonly string[]): Promise<void> {
  for (const source of sources) {
    if (await isSameFile(path, source)) throw badArguments(`${output} is the session itself.`, "Name another file.");
  }
}

async function isSameFile(path: string, other: string): Promise<boolean> {
  const [real, otherReal] = await Promise.all([path, other].map((each) => realpath(each).catch(() => undefined)));
  return real !== undefined && real === otherReal;
}

/** Session that was read, with those of its subagents. */
interface ReadSession {
  ref: SessionRef;
  conversation: Conversation;
  children: ReadSession[];
}

function exported({ ref, conversation, children }: ReadSession): ExportOutput {
  const { id, metadata, content_blocks: blocks, tool_calls: calls } = conversation;
  const orders = new Map(blocks.map(({ id: block, block_order: order }) => [block, order]));
  return {
    version: 1,
    session_id: id,
    parent_session_id: parentOf(ref, conversation),
    agent: ref.agent,
    project: metadata.cwd,
    title: metadata.title,
    started: metadata.firstTimestamp,
    ended: metadata.lastTimestamp,
    messages: turnsOf(conversation).flatMap(({ number, messages }) =>
      messages.map((view) => messageRow(view, id, number)),
    ),
    tool_calls: calls.map((call) => callRow(call, orders)),
    children: children.map(exported),
  };
}

/** Returns the row without ids of blocks, which differ in each run. */
function callRow(call: ToolCall, orders: ReadonlyMap<string, number>) {
  const place = (of: BlockPlace | null) => {
    if (of === null) return null;
    const { block_id: id, message_ordinal, ...rest } = of;
    return { message_ordinal, block_order: orders.get(id) ?? 0, ...rest };
  };
  return { ...call, use: place(call.use), result: place(call.result) };
}

async function writeTranscript({ ref, conversation }: ReadSession, write: Write): Promise<void> {
  // Nothing in it is linked by a relative path.
  const filePath = `${conversation.id}.md`;
  await write(encodeMarkdownHeader(headerOf(ref, conversation), { filePath }));
  let context = FIRST_CONTEXT;
  for (const { entry, inputIsKnown } of conversationEntries(conversation)) {
    const written = inContext(encodeMarkdownEntry(entry, { filePath, inputIsKnown }), context);
    ({ context } = written);
    await write(written.section);
  }
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
    ...(version === null ? {} : { host: [ref.agent ?? [], version].flat().join(" ") }),
    recorder: `opencode-transcripts ${VERSION} (export)`,
  };
}

/** A subagent's file of Claude Code has only the id of the session that started it. */
function parentOf({ parentId }: SessionRef, { id, metadata }: Conversation): string | null {
  const { agentId, sessionId, parentSessionId } = metadata;
  if (parentId !== null || parentSessionId !== null) return parentId ?? parentSessionId;
  return agentId !== null && sessionId !== id ? sessionId : null;
}
