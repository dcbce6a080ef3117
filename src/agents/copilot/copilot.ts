/** GitHub Copilot CLI: a folder for each session, with its events and its title. */
import { basename, dirname, join, resolve } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import { isFields, type Fields, textOf } from "../../parse/json-fields.ts";
import type { SessionFiles } from "../../places/session-files.ts";
import { type SessionRef, sessionRef, type Where } from "../../places/session-ref.ts";
import { walk, type WalkedFile } from "../../places/walk.ts";
import type { Agent, Format, ScannedSessions, ScanOptions } from "../agent.ts";
import { headRecords } from "../json-head.ts";
import { readCopilotEvents } from "./copilot-events.ts";
import { copilotTools } from "./copilot-tools.ts";

const NAME = "copilot";
const EVENTS = "events.jsonl";
const EXTENSION = ".jsonl";
/** Bytes of a session's `workspace.yaml`, which has a dozen lines. */
const MAX_WORKSPACE_BYTES = 16 * 1024;

const format: Format = {
  name: "copilot",
  lines: "json",
  tools: copilotTools,
  detect: (head) => {
    for (const record of headRecords(head)) if (isEvent(record)) return true;
    return false;
  },
  read: readCopilotEvents,
};

function isEvent(record: Fields): boolean {
  const { type, id, parentId, data } = record;
  const isNamed = typeof type === "string" && /^(?:session|user|assistant|system|tool)\.[a-z_]+$/.test(type);
  // Of a long first line that is cut off, only its beginning is known.
  return isNamed && (isFields(data) ? typeof id === "string" && parentId !== undefined : data === undefined);
}

export const copilot: Agent = {
  name: NAME,
  displayName: "GitHub Copilot CLI",
  hasSessions: true,
  isInDatabase: false,
  hasForms: false,
  forksChangeIds: false,
  formats: [format],
  places: async (where) => [{ agent: NAME, path: join(homeOf(where), "session-state") }],
  scan: ({ path }, files, options) => scan(path, files, options),
  open: ({ agentId }, _files, content) =>
    agentId === null ? content : { open: (options) => content.open({ ...options, part: agentId }) },
  head: async (ref, files, head) => {
    if (ref.agentId !== null) return { ...head, parentId: head.sessionId, title: null };
    return { ...head, title: (await titleIn(ref, files)) ?? head.title };
  },
  parts: subagentsIn,
  fileRef: (file) => refOf({ ...file, segments: file.path.split(/[\\/]/).slice(-2) }),
  resume: ({ id }, cwd) => ({ command: `copilot --resume=${shellWord(id)}`, folder: cwd }),
  placeOf: (path) => ({ agent: NAME, path: basename(path) === EVENTS ? dirname(dirname(path)) : dirname(path) }),
  // Checkpoints, and copies of files for rewinding.
  belongings: (path, { agentId }) => (basename(path) === EVENTS && agentId === null ? [dirname(path)] : []),
};

/** Returns `COPILOT_HOME`, or else `~/.copilot`. */
function homeOf({ env, home, cwd }: Where): string {
  const named = env["COPILOT_HOME"] ?? "";
  return named === "" ? join(home, ".copilot") : resolve(cwd, named.replace(/^~(?=$|[\\/])/, home));
}

/** Finds `{session}/events.jsonl`, and `{session}.jsonl` of older versions. */
async function scan(root: string, files: SessionFiles, { seen }: ScanOptions): Promise<ScannedSessions> {
  const walked = await walk(root, {
    files,
    depth: 1,
    accepts: (name) => name.endsWith(EXTENSION),
    seen,
  });
  const found = walked.files.filter(({ segments }) => segments.length === 1 || segments.at(-1) === EVENTS);
  return { sessions: found.map(refOf), unreadable: walked.unreadable };
}

function refOf({ path, segments, bytes, modifiedMs }: WalkedFile): SessionRef {
  const name = basename(path) === EVENTS ? (segments.at(-2) ?? "") : basename(path, EXTENSION);
  return sessionRef({ id: name, place: NAME, agent: NAME, path, modifiedMs, bytes });
}

const STARTED = Buffer.from('"type":"subagent.started"');
const CHUNK_BYTES = 1024 * 1024;

/** Returns the subagents in the file of a session; none if it cannot be read, which is said where the session is. */
async function subagentsIn(parent: SessionRef, files: SessionFiles): Promise<SessionRef[]> {
  if (parent.agentId !== null) return [];
  const ids = new Set<string>();
  try {
    for await (const line of startedLines(parent.path ?? "", files)) {
      const id = textOf(JSON.parse(line), "agentId");
      if (id !== undefined) ids.add(id);
    }
  } catch {
    // Torn, or gone.
  }
  return [...ids].map((id) => ({ ...parent, id, agentId: id, parentId: parent.id }));
}

/** Yields the lines on which a subagent starts. Looks for its bytes first, since few lines are such a line. */
async function* startedLines(path: string, files: SessionFiles): AsyncGenerator<string> {
  const handle = await files.openRead(path);
  try {
    let rest = Buffer.alloc(0);
    for (let at = 0; ;) {
      const chunk = await handle.read(at, CHUNK_BYTES);
      if (chunk.byteLength === 0) break;
      at += chunk.byteLength;
      const bytes = Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf("\n") + 1;
      for (let found = bytes.indexOf(STARTED); found !== -1 && found < end; found = bytes.indexOf(STARTED, found + 1))
        yield bytes.toString("utf8", bytes.lastIndexOf("\n", found) + 1, bytes.indexOf("\n", found));
      rest = bytes.subarray(end);
    }
  } finally {
    await handle.close();
  }
}

/** Returns the title beside the events of a session, where the program keeps it. */
async function titleIn({ path }: SessionRef, files: SessionFiles): Promise<string | undefined> {
  if (path === null || basename(path) !== EVENTS) return undefined;
  try {
    const handle = await files.openRead(join(dirname(path), "workspace.yaml"));
    try {
      const text = Buffer.from(await handle.read(0, MAX_WORKSPACE_BYTES)).toString("utf8");
      return nameIn(text);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** Returns the name in a `workspace.yaml`, if it is on one line. */
function nameIn(yaml: string): string | undefined {
  const value = /^name: *(.+)$/m.exec(yaml)?.[1]?.trim() ?? "";
  if (value.startsWith('"')) return textOf({ name: parsedText(value) }, "name");
  if (value.startsWith("'")) return value.slice(1, -1).replaceAll("''", "'");
  return /^[|>&*!]/.test(value) || value === "" ? undefined : value;
}

function parsedText(quoted: string): unknown {
  try {
    return JSON.parse(quoted);
  } catch {
    return undefined;
  }
}
