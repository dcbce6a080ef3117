/** What a call is for, whichever tool it uses. */
import { wordsOf } from "./likeness.ts";
import type { CallPath } from "./paths.ts";

export type Purpose =
  | { kind: "read" | "list"; paths: CallPath[] }
  /** `words`: those of the texts that are to be written or replaced. */
  | { kind: "write"; paths: CallPath[]; words: () => ReadonlySet<string> }
  /** Without `paths` all of the folder. */
  | { kind: "search" | "glob"; pattern: string; paths: CallPath[] }
  | { kind: "fetch"; url: string }
  | { kind: "run"; program: string; words: CommandWord[]; code: string | null }
  | { kind: "use"; tool: string };

export interface CommandWord {
  text: string;
  /** The flag right before it, whose value it may be. */
  flag: string | null;
  path: CallPath | null;
}

/**
 * `final`: what the call was made for in the end. `before`: it had to succeed for that. `apart`: whether it succeeded
 * made no difference to the call.
 */
export type StepRole = "final" | "before" | "apart";

export interface Step {
  purpose: Purpose;
  /** The call's success is this step's success too: not so in front of `|`, `;` or `||`. */
  assured: boolean;
  role: StepRole;
  /** What the call prints if this step fails and is excused: `|| echo "none"`. */
  denial: string | null;
  /** The machine that `ssh` runs it on. */
  host: string | null;
  /** What the searches behind it in a pipeline let through. */
  filter: string | null;
}

/** Longer texts are compared by their beginning. */
const MAX_WRITTEN_CHARACTERS = 50_000;

export function writePurpose(paths: CallPath[], text: string): Purpose {
  return { kind: "write", paths, words: once(() => wordsOf(text.slice(0, MAX_WRITTEN_CHARACTERS))) };
}

/** Made when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
