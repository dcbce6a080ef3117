/** Finds the prompt that describes a session, among built-in commands and notes of the program. */
import type { MessageMetadata, UserKind } from "./model.ts";

/** Built-in slash commands, which configure the program and do not describe a session. */
const BUILT_IN: ReadonlySet<string> = new Set(
  (
    "add-dir agents bug clear color compact config context continue copy cost doctor effort exit export extra-usage " +
    "fast feedback fork help hooks ide install-github-app install-slack-app keybindings login logout mcp memory " +
    "mobile model models new output-style passes permissions plugin plugins privacy-settings quit " +
    "rate-limit-options release-notes reload-plugins rename reset resume rewind sandbox session sessions settings " +
    "share skills stats status statusline stickers tasks terminal-setup theme themes todos undo unshare upgrade " +
    "usage vim"
  ).split(" "),
);

/** Returns whether a typed command, such as `/model opus`, is built in. */
export function isBuiltInCommand(command: string): boolean {
  const [, name = ""] = /^\/(\S+)/.exec(command) ?? [];
  return BUILT_IN.has(name);
}

/** Returns whether a text is only a note of the program or an editor to the model, which comes before the user's text. */
export function isReminderText(text: string): boolean {
  return /^\s*<(?:system-reminder|ide_\w+)>/.test(text) && /<\/(?:system-reminder|ide_\w+)>$/.test(text.trimEnd());
}

/** Maximum length of a line that announces a heading and of the space around it, in characters. */
const ANNOUNCEMENT_CHARACTERS = 200;

/**
 * Returns the text from its heading on, if nothing but a line that announces it comes before: Claude Code begins each
 * session that carries out a plan with `Implement the following plan:`, which says nothing about this one.
 */
function fromHeading(text: string): string {
  const announced = /^\s*[^\n#][^\n]*:[ \t\r]*\n\s*#{1,6}[ \t]+(?=\S)/.exec(text.slice(0, ANNOUNCEMENT_CHARACTERS));
  return announced === null ? text : text.slice(announced[0].length);
}

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
    const said =
      origin === "command"
        ? command
        : texts()
            .filter((each) => !isReminderText(each))
            .join("\n");
    if (said.trim() === "") return;
    const text = fromHeading(said);
    this.text = text.length > PROMPT_CHARACTERS ? `${text.slice(0, PROMPT_CHARACTERS)}...` : text;
    this.rank = rank;
  }
}
