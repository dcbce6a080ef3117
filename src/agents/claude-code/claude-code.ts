import { basename, dirname, extname, join } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import { countOf, recordIn } from "../../parse/json-fields.ts";
import { currentProject } from "../../places/project-folder.ts";
import { nodeSessionFiles, textOfFile } from "../../places/session-files.ts";
import type { SessionRef, Where } from "../../places/session-ref.ts";
import { configuredFolder } from "../../user-folders.ts";
import type { Agent, ProjectLabels, Resume, Retention } from "../agent.ts";
import { inFiles } from "../file-layout.ts";
import { claudeCode as sessionFile, claudeStream } from "./claude-formats.ts";

/** A folder named like a session id contains only files of that session. */
const SESSION_FOLDER = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const inFolders = inFiles({
  agent: "claude-code",
  folders: claudeFolders,
  places: ["projects"],
  paths: [
    "{label}/*/subagents/{parent}/subagents/agent-{agent}.jsonl",
    "{label}/{parent}/subagents/agent-{agent}.jsonl",
    "{label}/{parent}/subagents/workflows/*/agent-{agent}.jsonl",
    // Older versions put the files of subagents beside those of sessions.
    "{label}/agent-{agent}.jsonl",
    "{label}/{id}.jsonl",
    // People sort projects into folders.
    "{label}/**/agent-{agent}.jsonl",
    "{label}/**/{id}.jsonl",
  ],
});

/** Longer names of project folders are cut, and end in a hash that cannot be computed here. */
const MAX_ENCODED = 200;

/** Returns Claude Code's name for a project's folder. Several projects can share one. */
function encodedProject(folder: string): string {
  return folder.replace(/[^a-zA-Z0-9]/g, "-").slice(0, MAX_ENCODED);
}

const labels: ProjectLabels = {
  ofFolder: (label, folder) => {
    const encoded = encodedProject(folder);
    // A root folder ends with a separator.
    const inside = /[\\/]$/.test(folder) ? encoded : `${encoded}-`;
    if (label === encoded || (encoded.length === MAX_ENCODED && label.startsWith(inside))) return "yes";
    return label.startsWith(inside) ? "maybe" : "no";
  },
  ofName: (label, name) => {
    const encoded = encodedProject(name);
    if (label === encoded) return "yes";
    return `-${label}`.endsWith(`-${encoded}`) || label.length >= MAX_ENCODED ? "maybe" : "no";
  },
};

/** Matches the path of a file in a folder of subagents. */
const AMONG_SUBAGENTS = /[^\\/][\\/]subagents[\\/]/;

export const claudeCode: Agent = {
  displayName: "Claude Code",
  formats: [claudeStream, sessionFile],
  ...inFolders,
  scan: async (place, files, options) => {
    const { sessions, unreadable } = await inFolders.scan(place, files, options);
    // Folders of subagents also contain journals, which are not sessions.
    const isSession = ({ agentId, path }: SessionRef): boolean =>
      agentId !== null || !AMONG_SUBAGENTS.test((path ?? "").slice(place.path.length + 1));
    return { sessions: sessions.filter(isSession), unreadable };
  },
  isParentInContent: ({ agentId, parentId }) => agentId !== null && parentId === null,
  labels,
  resume,
  belongings,
  retention: (where) => Promise.all(claudeFolders(where).map((folder) => cleanupOf(folder, where))),
};

/** Returns the configuration folders: those of `CLAUDE_CONFIG_DIR`, with commas between them, or else `~/.claude` and `$XDG_CONFIG_HOME/claude`. */
function claudeFolders({ env, home, cwd }: Where): string[] {
  const named = (env["CLAUDE_CONFIG_DIR"] ?? "").split(",").map((path) => path.trim());
  const given = named.filter((path) => path !== "").map((path) => configuredFolder(cwd, path, home));
  return given.length > 0
    ? given
    : [join(home, ".claude"), join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "claude")];
}

function resume(ref: SessionRef, cwd: string | null): Resume {
  const folder = folderOf(ref, cwd);
  if (folder === undefined) return { reason: "it is not where Claude Code keeps the sessions of its folder" };
  return { command: `claude --resume ${shellWord(ref.id)}`, folder };
}

/** Returns the folder in which Claude Code finds the session: it names the folder of its sessions after it. */
function folderOf({ id, path }: SessionRef, cwd: string | null): string | undefined {
  if (path === null || cwd === null || !SESSION_FOLDER.test(id)) return undefined;
  const place = dirname(path);
  if (basename(dirname(place)) !== "projects") return undefined;
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (labels.ofFolder(basename(place), folder) === "yes") return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns the folder beside a session's file. */
function belongings(path: string, { agentId }: SessionRef): string[] {
  const name = basename(path, extname(path));
  return agentId === null && SESSION_FOLDER.test(name) ? [join(dirname(path), name)] : [];
}

const SETTING = "cleanupPeriodDays";
const DEFAULT_DAYS = 30;

/** Returns the rule for the sessions of a configuration folder, from the first of its files that has the setting. */
async function cleanupOf(folder: string, where: Where): Promise<Retention> {
  const project = join(currentProject(where), ".claude");
  const own = join(folder, "settings.json");
  for (const file of [join(project, "settings.local.json"), join(project, "settings.json"), own]) {
    // A settings file that we cannot read is one that Claude Code cannot read either.
    const text = await textOfFile(file, nodeSessionFiles).catch(() => undefined);
    const days = countOf(recordIn(text ?? ""), SETTING);
    if (days !== undefined) return { folder, days, setting: SETTING, file, isDefault: false };
  }
  return { folder, days: DEFAULT_DAYS, setting: SETTING, file: own, isDefault: true };
}
