/** Commands that set up, check and hand on. */
import type { CommandDefinition } from "../command.ts";
import { json, SESSION } from "./options.ts";

export const init: CommandDefinition = {
  name: "init",
  does: "Makes opencode record the sessions of this project.",
  description:
    "Adds the plugin to the project's opencode.json or opencode.jsonc, which keeps its comments and layout, or makes one, " +
    "and lays the files that explain the transcripts. What is there already stays as it is.",
  arguments: [],
  options: [
    { flags: "--dry-run", does: "Says what would change, and changes nothing." },
    json("object", "what changed"),
  ],
  examples: [
    { command: "transcripts init --dry-run", does: "What would change." },
    { command: "transcripts init", does: "Sets up the project in this folder." },
  ],
  json: "object",
  load: () => import("../commands/init.ts"),
};

export const exportCommand: CommandDefinition = {
  name: "export",
  does: "Writes a session as one HTML page that needs nothing else.",
  description:
    "Passwords, keys and tokens become [REDACTED:kind], so that the page can be given to others; --no-redact leaves them. " +
    "Pictures of up to 1 MB that a transcript keeps beside itself stand in the page.",
  arguments: [SESSION],
  options: [
    { flags: "--html", does: "As a page for a browser: the only form so far." },
    { flags: "-o, --output <file>", does: "The file to write; - for standard output." },
    { flags: "--no-subagents", does: "Without the conversations of its subagents." },
    { flags: "--no-redact", does: "With secrets as they stand." },
  ],
  examples: [{ command: "transcripts export latest --html -o session.html", does: "The newest session as a page." }],
  load: () => import("../commands/export.ts"),
};

export const doctor: CommandDefinition = {
  name: "doctor",
  does: "Says what is read and from where, what is not and why.",
  description:
    "Looks into the 50 newest sessions for damage and for lines of a type that is not known; --all looks into each. Has SQLite check whether " +
    "the index is whole, one of more than 500 MB only with --all.",
  arguments: [],
  options: [
    { flags: "--all", does: "Looks into every session, and checks an index of any size." },
    json("object", "the findings"),
  ],
  examples: [
    { command: "transcripts doctor", does: "Whether everything is in order." },
    { command: "transcripts doctor --json | jq .unknown_types", does: "Line types that this version does not know." },
  ],
  json: "object",
  load: () => import("../commands/doctor.ts"),
};

export const completion: CommandDefinition = {
  name: "completion",
  does: "Prints the completion script for a shell.",
  arguments: [
    { name: "SHELL", does: "The shell that is to complete.", required: true, choices: ["bash", "zsh", "fish"] },
  ],
  options: [],
  examples: [
    {
      command: "transcripts completion bash > ~/.local/share/bash-completion/completions/transcripts",
      does: "For bash.",
    },
    { command: "transcripts completion zsh > ~/.zfunc/_transcripts", does: "For zsh, with ~/.zfunc in fpath." },
    { command: "transcripts completion fish > ~/.config/fish/completions/transcripts.fish", does: "For fish." },
  ],
  load: () => import("../commands/completion.ts"),
};
