/** What a call is for, whichever tool it uses. */
import type { CallPath } from "./paths.ts";

export type Purpose =
  | { kind: "read" | "list"; paths: CallPath[] }
  /** `text`: what is to be written; of a deletion what is to go. */
  | { kind: "write"; paths: CallPath[]; text: string }
  /** Without `paths` all of the folder. */
  | { kind: "search" | "glob"; pattern: string; paths: CallPath[] }
  | { kind: "fetch"; url: string }
  | { kind: "run"; program: string; words: CommandWord[]; code: string | null }
  | { kind: "use"; tool: string; input: unknown };

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
}
