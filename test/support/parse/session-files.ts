/** Session files to try a promise on: our own in `test/fixtures/sessions`, and real ones of other projects beside the repository. */
import { hash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { REPOSITORY } from "../repository.ts";
import { isLong, test } from "../runner.ts";
import { NO_SHARED, shared } from "../shared.ts";

export const CORPUS = shared("corpus");
const OWN = join(REPOSITORY, "test/fixtures/sessions");

export const SESSION_KINDS = [
  "claude-code",
  "claude-stream-json",
  "opencode-export",
  "codex",
  "copilot",
  "gemini-cli",
  "pi",
] as const;
/** Those of which searches are labelled. */
export const LABELLED_KINDS = ["claude-code", "claude-stream-json", "opencode-export"] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export interface SessionFile {
  /** Its path within the folder of all of them, with the kind first. */
  name: string;
  path: string;
}

/** Kinds of our own: for each agent and for each format that is only printed or exported a folder. */
export const OWN_SESSIONS: readonly string[] = readdirSync(OWN);

/** All of our own files of a kind. */
export function ownFiles(kind: string): SessionFile[] {
  return readdirSync(join(OWN, kind), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .toSorted()
    .map((path) => ({ name: relative(OWN, path), path }));
}

export const ownSessions = (...kinds: readonly SessionKind[]): SessionFile[] => sessionsIn(OWN, kinds);

/** Returns no files where the corpus is missing. */
export const corpusSessions = (...kinds: readonly SessionKind[]): SessionFile[] =>
  CORPUS === undefined ? [] : sessionsIn(CORPUS, kinds);

/** Every nth file of the corpus is tried; all with `npm run test:long`. */
const SHARE = isLong ? 1 : 3;

/** Two tests: one with our own sessions, and one with those of the corpus, which is skipped where that is missing. */
export function testSessions(
  name: string,
  kinds: readonly SessionKind[],
  body: (files: readonly SessionFile[]) => void | Promise<void>,
): void {
  test(name, () => body(ownSessions(...kinds)));
  test.skipIf(CORPUS === undefined && NO_SHARED)(`${name}: the corpus`, () =>
    body(kinds.flatMap((kind) => corpusSessions(kind).filter((_, at) => at % SHARE === 0))),
  );
}

function sessionsIn(folder: string, kinds: readonly SessionKind[]): SessionFile[] {
  return kinds
    .filter((kind) => existsSync(join(folder, kind)))
    .flatMap((kind) =>
      readdirSync(join(folder, kind), { recursive: true, encoding: "utf8" }).map((name) => join(kind, name)),
    )
    .filter((name) => /\.jsonl?$/.test(name) && !/[\\/]qwen[\\/]/.test(name)) // Qwen Code's are among Claude Code's.
    .toSorted()
    .map((name) => ({ name, path: join(folder, name) }));
}

/** Where an agent keeps such a file, below the home folder. */
export function placeOfSession(name: string): string {
  if (name.startsWith("opencode-export"))
    return `.openfleet/transcripts/ses_${basename(name)}`.replace(/json$/, "jsonl");
  if (name.startsWith("codex")) return join(".codex/sessions/2026/01/01", rolloutName(name));
  if (name.startsWith("pi"))
    return join(".pi/agent/sessions", `--${dirname(name).replaceAll(/\W/g, "-").slice(-60)}--`, piName(name));
  if (name.startsWith("copilot"))
    return join(".copilot/session-state", dirname(name).replaceAll(/\W/g, "-").slice(-60), "events.jsonl");
  if (name.startsWith("gemini-cli")) return geminiPlace(name);
  const names = name.split(/[\\/]/);
  const subagents = names.lastIndexOf("subagents");
  const start = subagents > 0 ? subagents - 1 : names.length - 1;
  return join(".claude/projects", `-${names.slice(0, start).join("-").replaceAll(/\W/g, "-")}`, ...names.slice(start));
}

/** Files of the corpus have other names. */
function rolloutName(name: string): string {
  if (basename(name).startsWith("rollout-")) return basename(name);
  return `rollout-2026-01-01T10-00-00-${uuidOf(name)}.jsonl`;
}

function geminiPlace(name: string): string {
  const names = name.split(/[\\/]/);
  if (names[2] === "chats") return join(".gemini/tmp", ...names.slice(1));
  return join(".gemini/tmp", uuidOf(name), "chats", `session-2026-01-01T10-00-${uuidOf(name).slice(0, 8)}.jsonl`);
}

function piName(name: string): string {
  return basename(name).includes("_") ? basename(name) : `2026-01-01T10-00-00-000Z_${uuidOf(name)}.jsonl`;
}

function uuidOf(name: string): string {
  return hash("sha1", name).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
