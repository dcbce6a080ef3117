/** Purpose of a call, independent of its tool. */
import { wordsOf } from "./likeness.ts";
import type { CallPath } from "./file-paths.ts";

export type Purpose =
  | { kind: "read" | "list"; paths: CallPath[] }
  /** `words`: those of the texts to write or replace. */
  | { kind: "write"; paths: CallPath[]; words: () => ReadonlySet<string> }
  /** Without `paths`, the whole folder. */
  | { kind: "search" | "glob"; pattern: string; paths: CallPath[] }
  | { kind: "fetch"; url: string }
  | { kind: "run"; program: string; words: CommandWord[]; code: string | null }
  | { kind: "use"; tool: string };

export interface CommandWord {
  text: string;
  /** Flag directly before it, whose value it may be. */
  flag: string | null;
  path: CallPath | null;
}

/**
 * `final`: the purpose of the call. `before`: a step that had to succeed first. `apart`: a step whose success made no
 * difference to the call.
 */
export type StepRole = "final" | "before" | "apart";

/** Place of one command in its call, and what the end of the call implies for it. */
export interface StepContext {
  /** The call's success implies that of this step: not so before `|`, `;` or `||`. */
  assured: boolean;
  role: StepRole;
  /** Output of the call if this step fails and is excused: `|| echo "none"`. */
  denial: string | null;
  /** Machine on which `ssh` runs it. */
  host: string | null;
  /** Patterns of the searches after it in a pipeline. */
  filter: string | null;
  /** Programs after it in a pipeline. */
  pipedTo: readonly string[];
}

export interface Step extends StepContext {
  purpose: Purpose;
  /** Null for tools that run no command line. */
  command: { program: string; words: readonly string[] } | null;
}

/** Maximum length compared; longer texts are compared by their beginning. */
const MAX_WRITTEN_CHARACTERS = 50_000;

export function writePurpose(paths: CallPath[], text: string): Purpose {
  return { kind: "write", paths, words: once(() => wordsOf(text.slice(0, MAX_WRITTEN_CHARACTERS))) };
}

/** Created on first use. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
