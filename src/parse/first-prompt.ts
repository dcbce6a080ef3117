import { isBuiltInCommand } from "./built-in-commands.ts";
import type { MessageMetadata, UserKind } from "./model.ts";
import { isReminderText } from "./reminder.ts";

/** Maximum length of the first prompt, in characters. */
const PROMPT_CHARACTERS = 1_000;
/** Typed text is preferred to a command, and a command to one that only configures the program. */
const WRITTEN = 3;

export interface Prompted {
  userKind?: UserKind | null | undefined;
  isSidechain?: boolean | undefined;
  metadata?: MessageMetadata | undefined;
}

/** Finds the first prompt of the best kind. A message may be added again. */
export class FirstPrompt {
  text: string | null;
  /** Kind of the prompt; 0 if there is none yet. */
  rank: number;

  constructor(text: string | null = null, rank = 0) {
    this.text = text;
    this.rank = rank;
  }

  /** `texts`: those of the message's text blocks. */
  add({ userKind, isSidechain, metadata }: Prompted, texts: () => readonly string[]): void {
    if (this.rank === WRITTEN || userKind !== "human" || (isSidechain === true && this.text !== null)) return;
    const { origin, command = "" } = metadata ?? {};
    const rank = origin !== "command" ? WRITTEN : isBuiltInCommand(command) ? 1 : 2;
    if (rank <= this.rank) return;
    const text =
      origin === "command"
        ? command
        : texts()
            .filter((each) => !isReminderText(each))
            .join("\n");
    if (text.trim() === "") return;
    this.text = text.length > PROMPT_CHARACTERS ? `${text.slice(0, PROMPT_CHARACTERS)}...` : text;
    this.rank = rank;
  }
}
