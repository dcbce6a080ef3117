/** GitHub Copilot CLI: a folder for each session, with its events and its title. */
import { basename, dirname, join } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import { MAX_LINE_BYTES, type OpenedContent } from "../../parse/content.ts";
import { isFields, type Fields, parsedJson, textIn, textOf } from "../../parse/json-fields.ts";
import type { InputUnit } from "../../parse/message-draft.ts";
import { emptyUnit, readRecords } from "../../parse/record-units.ts";
import { msOf } from "../../parse/times.ts";
import { fileBytes } from "../../places/session-bytes.ts";
import { type SessionFiles, textOfFile } from "../../places/session-files.ts";
import { type SessionRef, sessionRef } from "../../places/session-ref.ts";
import { walk } from "../../places/walk.ts";
import { linesOfBytes } from "../../transcript/format/lines.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Format, NamedFile, ScannedSessions, ScanOptions } from "../agent.ts";
import { hasRecord } from "../json-head.ts";
import { CopilotReader } from "./copilot-events.ts";
import { copilotTools } from "./copilot-tools.ts";

const NAME = "copilot";
const EVENTS = "events.jsonl";
const EXTENSION = ".jsonl";

const format: Format = {
  name: "copilot",
  lines: "json",
  tools: copilotTools,
  detect: (head) => hasRecord(head, isEvent),
  read: (chunks, options) => readRecords(chunks, options, new CopilotReader()),
};

function isEvent(record: Fields): boolean {
  const { type, id, parentId, data } = record;
  const isNamed = typeof type === "string" && /^(?:session|user|assistant|system|tool)\.[a-z_]+$/.test(type);
  // A long first line may be cut off, so that only its beginning is known.
  return isNamed && (isFields(data) ? typeof id === "string" && parentId !== undefined : data === undefined);
}

export const copilot: Agent = {
  name: NAME,
  displayName: "GitHub Copilot CLI",
  formats: [format],
  places: async (where) => [
    { agent: NAME, path: join(agentFolder(where, ["COPILOT_HOME"], ".copilot"), "session-state") },
  ],
  scan: ({ path }, files, options) => scan(path, files, options),
  open: (ref, files, content) => {
    const { agentId } = ref;
    if (agentId !== null) return { open: (options) => content.open({ ...options, part: agentId }) };
    return { open: async (options) => titled(await titleIn(ref, files), await content.open(options)) };
  },
  head: async (ref, files, head) => {
    if (ref.agentId !== null) return { ...head, parentId: head.sessionId, title: null };
    return { ...head, title: (await titleIn(ref, files)) ?? head.title };
  },
  parts: subagentsIn,
  fileRef: (file, { sessionId }) => ({ ...refOf(file), id: sessionId ?? idOf(file.path) }),
  resume: ({ id }, cwd) => ({ command: `copilot --resume=${shellWord(id)}`, folder: cwd }),
  placeOf: (path) => ({ agent: NAME, path: basename(path) === EVENTS ? dirname(dirname(path)) : dirname(path) }),
  // Checkpoints, and copies of files for rewinding.
  belongings: (path, { agentId }) => (basename(path) === EVENTS && agentId === null ? [dirname(path)] : []),
};

/** Finds `{session}/events.jsonl`, and `{session}.jsonl` of older versions. */
async function scan(root: string, files: SessionFiles, { seen }: ScanOptions): Promise<ScannedSessions> {
  const walked = walk(root, {
    files,
    depth: 1,
    accepts: (name) => name.endsWith(EXTENSION),
    seen,
  });
  const found = walked.files.filter(({ segments }) => segments.length === 1 || segments.at(-1) === EVENTS);
  return { sessions: found.map(refOf), unreadable: walked.unreadable };
}

function refOf({ path, bytes, modifiedMs }: NamedFile): SessionRef {
  return sessionRef({ id: idOf(path), place: NAME, agent: NAME, path, modifiedMs, bytes });
}

function idOf(path: string): string {
  return basename(path) === EVENTS ? basename(dirname(path)) : basename(path, EXTENSION);
}

const STARTED = '"type":"subagent.started"';
const CHUNK_BYTES = 1024 * 1024;

/** Returns the subagents in the file of a session. Looks for the bytes of their starts, since few lines are one. */
async function subagentsIn(parent: SessionRef, files: SessionFiles): Promise<SessionRef[]> {
  if (parent.agentId !== null || parent.path === null) return [];
  const starts = new Map<string, number | null>();
  try {
    for await (const lines of linesOfBytes(fileBytes(parent.path, CHUNK_BYTES, files), MAX_LINE_BYTES)) {
      for (const { bytes } of lines) {
        if (typeof bytes === "number" || !bytes.includes(STARTED)) continue;
        const event = parsedJson(bytes.toString());
        const id = textOf(event, "agentId");
        if (id !== undefined) starts.set(id, msOf(textOf(event, "timestamp")));
      }
    }
  } catch {
    // A file that cannot be read is reported where its session is read.
  }
  return [...starts].map(([id, startedMs]) => ({ ...parent, id, agentId: id, parentId: parent.id, startedMs }));
}

/** Adds the title to the beginning of a session. */
function titled(title: string | undefined, opened: OpenedContent): OpenedContent {
  return title === undefined ? opened : { ...opened, units: after(title, opened.units) };
}

async function* after(title: string, units: AsyncGenerator<InputUnit[]>): AsyncGenerator<InputUnit[]> {
  yield [{ ...emptyUnit({ line: 0, offset: 0 }, { as: "blank" }, []), lines: 0, session: { title } }];
  yield* units;
}

/** Returns the title beside the events of a session, where the program keeps it. */
async function titleIn({ path }: SessionRef, files: SessionFiles): Promise<string | undefined> {
  if (path === null || basename(path) !== EVENTS) return undefined;
  const yaml = await textOfFile(join(dirname(path), "workspace.yaml"), files).catch(() => undefined);
  return nameIn(yaml ?? "");
}

/** Returns the name in a `workspace.yaml`, if it is on one line. */
function nameIn(yaml: string): string | undefined {
  const value = /^name: *(.+)$/m.exec(yaml)?.[1]?.trim() ?? "";
  if (value.startsWith('"')) return textIn(parsedJson(value));
  if (value.startsWith("'")) return value.slice(1, -1).replaceAll("''", "'");
  return /^[|>&*!]/.test(value) || value === "" ? undefined : value;
}
