/** All agents. A new one is a file or folder here, and a line in this list. */
import type { SessionRef } from "../places/session-ref.ts";
import type { Agent, Format } from "./agent.ts";
import { claudeCode } from "./claude-code/claude-code.ts";
import { codex } from "./codex/codex.ts";
import { copilot } from "./copilot/copilot.ts";
import { gemini } from "./gemini/gemini.ts";
import { kilo, opencode } from "./opencode/opencode.ts";
import { pi } from "./pi/pi.ts";
import { qwenCode } from "./qwen/qwen-code.ts";
import { transcripts } from "./transcripts/transcripts.ts";

/** Their places are searched in this order: a file below two places belongs to the first. */
export const AGENTS: readonly Agent[] = [transcripts, claudeCode, opencode, kilo, codex, copilot, gemini, pi, qwenCode];

const BY_NAME: ReadonlyMap<string | null, Agent> = new Map(AGENTS.map((agent) => [agent.name, agent]));

const READ = AGENTS.filter(({ isRecorder }) => isRecorder !== true);

/** Names of the agents whose sessions are read, for `--agent`. */
export const AGENT_NAMES: readonly string[] = READ.map(({ name }) => name);

/** The same names as their makers write them. */
export const AGENT_TITLES: readonly string[] = READ.map(({ displayName }) => displayName);

/** Returns the agent with a name; undefined if there is none, as a store may have sessions of agents that came later. */
export function agentNamed(name: string | null): Agent | undefined {
  return BY_NAME.get(name);
}

/** Returns the agent that keeps its sessions in a format; undefined for one that is only printed or exported. */
export function agentKeeping(format: Format | undefined): Agent | undefined {
  if (format === undefined || format.isExport === true) return undefined;
  return AGENTS.find(({ formats }) => formats.includes(format));
}

/** Returns the agent in whose place a session is; undefined for any other file. */
export function agentAt({ place }: Pick<SessionRef, "place">): Agent | undefined {
  return agentNamed(place);
}

/** Returns whether a session is in a database. */
export function isInDatabase(session: Pick<SessionRef, "place">): boolean {
  return agentAt(session)?.isInDatabase === true;
}

/** Returns what identifies copies of a session's answers in forks: see `LedgerSession`. */
export function copyingOf({ agent }: Pick<SessionRef, "agent">): { agent: string | null; forksChangeIds: boolean } {
  const known = agentNamed(agent);
  return { agent, forksChangeIds: known === undefined || known.forksChangeIds === true };
}
