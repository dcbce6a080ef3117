import { shellWord } from "../../calls/shell-syntax.ts";
import { readRecords } from "../../parse/record-units.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Format } from "../agent.ts";
import { inFiles } from "../file-layout.ts";
import { hasRecord } from "../json-head.ts";
import { CodexReader } from "./codex-lines.ts";
import { isCodexLine } from "./codex-records.ts";
import { codexTools } from "./codex-tools.ts";

const PACKED = ".zst";

/** Archived sessions are not in folders by date. A file is compressed after a week without changes. */
const inFolders = inFiles({
  agent: "codex",
  folders: (where) => [agentFolder(where, ["CODEX_HOME"], ".codex")],
  places: ["sessions", "archived_sessions"],
  paths: [
    "20*/*/*/rollout-*{uuid}.jsonl",
    "20*/*/*/rollout-*{uuid}.jsonl.zst",
    "rollout-*{uuid}.jsonl",
    "rollout-*{uuid}.jsonl.zst",
    // People sort sessions into folders.
    "**/rollout-*{uuid}.jsonl",
    "**/rollout-*{uuid}.jsonl.zst",
  ],
});

/** Session files: `rollout-*.jsonl`. */
const format: Format = {
  name: "codex",
  lines: "json",
  tools: codexTools,
  // Some versions rewrite a file when they compact its session.
  hasStableIds: true,
  detect: (head) => hasRecord(head, isCodexLine),
  read: (chunks, options) => readRecords(chunks, options, new CodexReader()),
};

export const codex: Agent = {
  displayName: "Codex",
  formats: [format],
  ...inFolders,
  scan: async (place, files, options) => {
    const { sessions, unreadable } = await inFolders.scan(place, files, options);
    return { sessions: newest(sessions), unreadable };
  },
  isParentInContent: () => true,
  // Codex finds a session by its id from any folder, and goes on in the session's own.
  resume: ({ id }, cwd) => ({ command: `codex resume ${shellWord(id)}`, folder: cwd }),
};

/** Codex unpacks a session before it resumes it, so a compressed file beside a plain one is older. */
function newest(sessions: readonly SessionRef[]): SessionRef[] {
  const byPath = new Map(sessions.map((ref) => [ref.path ?? "", ref]));
  return [...byPath].flatMap(([path, ref]) => {
    if (path.endsWith(PACKED)) return byPath.has(path.slice(0, -PACKED.length)) ? [] : ref;
    const older = byPath.get(`${path}${PACKED}`);
    return older === undefined ? ref : { ...ref, alternatives: [older] };
  });
}
