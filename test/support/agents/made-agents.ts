/**
 * A machine with sessions of one agent, made of the files in `test/fixtures/sessions`. A new agent needs a folder there, and a
 * line in `MADE`; the contract then holds for it.
 */
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Where } from "../../../src/places/session-ref.ts";
import { writeFakeStore } from "../../unit/sessions-machine.ts";
import { asEachFormat } from "../parse/one-conversation.ts";
import { OWN_SESSIONS, ownFiles } from "../parse/session-files.ts";
import { makeTempDir } from "../temp-dir.ts";

interface MadeAgent {
  /** Environment variable that names its place; none for our transcripts. */
  variable?: string;
  /** Its place below the home without the variable. */
  usual: string;
  /** Puts its sessions there. */
  fill: (place: string) => void | Promise<void>;
  /** Only the beginnings of its files have the ids of sessions. */
  hasIdInside?: boolean;
}

/** Where each agent keeps its files below its place, given the names of one below its folder of fixtures. */
export const MADE: Readonly<Record<string, MadeAgent>> = {
  "claude-code": {
    variable: "CLAUDE_CONFIG_DIR",
    usual: ".claude",
    fill: filesOf("claude-code", (names) => ["projects", `-${names[0]}`, ...names.slice(1)]),
  },
  opencode: { variable: "OPENCODE_DB", usual: ".local/share/opencode/opencode.db", fill: fillDatabase },
  kilo: { variable: "KILO_DB", usual: ".local/share/kilo/kilo.db", fill: fillDatabase },
  codex: {
    variable: "CODEX_HOME",
    usual: ".codex",
    fill: filesOf("codex", (names) => ["sessions", "2026", "09", "21", ...names.slice(-1)]),
  },
  copilot: {
    variable: "COPILOT_HOME",
    usual: ".copilot",
    fill: filesOf("copilot", (names) => ["session-state", ...names.slice(1)]),
  },
  "gemini-cli": {
    variable: "GEMINI_CLI_HOME",
    usual: "",
    fill: filesOf("gemini-cli", (names) => [".gemini", "tmp", ...names]),
    hasIdInside: true,
  },
  pi: {
    variable: "PI_CODING_AGENT_DIR",
    usual: ".pi/agent",
    fill: filesOf("pi", (names) => ["sessions", ...names.slice(1)]),
  },
  "qwen-code": {
    variable: "QWEN_HOME",
    usual: ".qwen",
    fill: filesOf("qwen", (names) => ["projects", ...names.slice(1)]),
  },
  transcript: { usual: ".openfleet", fill: fillTranscripts },
};

/** A machine with the sessions of an agent: where it has them by default, or where its variable says. */
export async function machineOf(agent: string, isNamed = false): Promise<Where> {
  const made = MADE[agent];
  if (made === undefined) throw new Error(`${agent} has no line in MADE.`);
  const home = makeTempDir();
  const { variable, usual, fill } = made;
  const place = isNamed ? join(makeTempDir(), "elsewhere") : join(home, usual);
  mkdirSync(dirname(place), { recursive: true });
  await fill(place);
  return { home, cwd: home, env: isNamed && variable !== undefined ? { [variable]: place } : {} };
}

function filesOf(kind: string, placed: (names: readonly string[]) => readonly string[]) {
  return (place: string): void => {
    for (const { name, path } of ownFiles(kind)) {
      const to = join(place, ...placed(name.split(/[\\/]/).slice(1)));
      mkdirSync(dirname(to), { recursive: true });
      cpSync(path, to);
    }
  };
}

interface Export {
  info: { id: string; directory: string; title: string };
  messages: { info: { id: string }; parts: { id: string }[] }[];
}

async function fillDatabase(path: string): Promise<void> {
  const sessions = ownFiles("opencode-export").map((file) => {
    const { info, messages }: Export = JSON.parse(readFileSync(file.path, "utf8"));
    return {
      id: info.id,
      directory: info.directory,
      title: info.title,
      messages: messages.map(({ info: data, parts }) => ({
        id: data.id,
        data,
        parts: parts.map((part) => ({ id: part.id, data: part })),
      })),
    };
  });
  await writeFakeStore(path, sessions);
}

async function fillTranscripts(place: string): Promise<void> {
  await asEachFormat(place);
}

export interface MadeFile {
  name: string;
  bytes: Buffer;
}

/** All files of fixtures that are sessions, and our transcripts in both formats. */
export async function madeFiles(): Promise<MadeFile[]> {
  const folder = makeTempDir();
  const { markdown, jsonl } = await asEachFormat(folder);
  const recorded = [
    { name: "transcript/recorded.md", bytes: Buffer.from(markdown) },
    { name: "transcript/recorded.jsonl", bytes: Buffer.from(jsonl) },
  ];
  const others = OWN_SESSIONS.flatMap((kind) => ownFiles(kind))
    .filter(({ name }) => /\.jsonl?$/.test(name) && !name.endsWith(".meta.json"))
    .map(({ name, path }) => ({ name, bytes: readFileSync(path) }));
  return [...recorded, ...others];
}
