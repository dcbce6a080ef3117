import { foreignNamed } from "../agents/foreign.ts";
import { AGENT_NAMES } from "../agents/registry.ts";
import { fieldError } from "../transcripts-error.ts";

/** Reads the argument `agent`, in any case. Throws a `TranscriptsError` (`bad_arguments`) for an unknown one. */
export function agentAsked(name: string | undefined): string | undefined {
  const agent = AGENT_NAMES.find((known) => known === name?.trim().toLowerCase());
  if (name === undefined || agent !== undefined) return agent;
  const foreign = foreignNamed(name);
  const problem =
    foreign === undefined
      ? `${JSON.stringify(name)} is not an agent whose sessions are read.`
      : `Sessions of ${foreign} cannot be read yet.`;
  throw fieldError("bad_arguments", "agent", problem, `Pass one of ${AGENT_NAMES.join(", ")}.`);
}
