/** GitHub Copilot CLI: a folder for each session, with its events and its title. */
import { basename, dirname, join } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import { MAX_LINE_BYTES } from "../../parse/content.ts";
import { isFields, type Fields, parsedJson, textIn, textOf } from "../../parse/json-fields.ts";
import { readRecords } from "../../parse/record-units.ts";
import { msOf } from "../../parse/times.ts";
import { fileBytes } from "../../places/session-bytes.ts";
import { type SessionFiles, textOfFile } from "../../places/session-files.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { linesOfBytes } from "../../transcript/format/lines.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Format } from "../agent.ts";
import { inFiles } from "../file-layout.ts";
import { hasRecord } from "../json-head.ts";
import { CopilotReader } from "./copilot-events.ts";
import { copilotTools } from "./copilot-tools.ts";

const EVENTS = "events.jsonl";

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

const inFolders = inFiles({
  agent: "copilot",
  folders: (where) => [agentFolder(where, ["COPILOT_HOME"], ".copilot")],
  places: ["session-state"],
  // The second path is used by older versions.
  paths: [`{id}/${EVENTS}`, "{id}.jsonl"],
});

export const copilot: Agent = {
  displayName: "GitHub Copilot CLI",
  formats: [format],
  ...inFolders,
  // Programs may choose ids of any form, so any name of a file that was moved may look like an id.
  fileRef: (file, head) => {
    const ref = inFolders.fileRef(file, head);
    return { ...ref, id: head.sessionId ?? ref.id };
  },
  beside: async (ref, files) => ({ title: await titleIn(ref, files) }),
  parts: subagentsIn,
  resume: ({ id }, cwd) => ({ command: `copilot --resume=${shellWord(id)}`, folder: cwd }),
  // Checkpoints, and copies of files for rewinding.
  belongings: (path, { agentId }) => (basename(path) === EVENTS && agentId === null ? [dirname(path)] : []),
};

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

/** Returns the title beside the events of a session, where the program keeps it. */
async function titleIn({ path, agentId }: SessionRef, files: SessionFiles): Promise<string | undefined> {
  if (path === null || agentId !== null || basename(path) !== EVENTS) return undefined;
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
