/** Commands that set up, export and check. */
import type { CommandDefinition } from "../command.ts";
import { json, SESSION } from "./option-definitions.ts";

export const init: CommandDefinition = {
  name: "init",
  does: "Makes opencode, or Kilo, record the sessions of this project; or adds the plugin to Claude Code.",
  description:
    "Adds the plugin to the project's opencode.json or opencode.jsonc, keeping its comments and layout, or creates the file. " +
    "With --kilo, or in a project that has only kilo.json or kilo.jsonc, the same for Kilo. The list is called `plugins` in a " +
    "configuration of opencode 2.x, otherwise `plugin`; if the file does not show which, `opencode --version` decides. " +
    "Also creates the files in .openfleet/ that explain the transcripts and keep them out of git. Existing files are not overwritten. " +
    "If this program runs from a working copy, the plugin is added as the path of its folder instead of its name. " +
    "With --claude-code it instead installs the plugin of Claude Code for this user, with `claude plugin install`: hooks that add each session to the index in " +
    "the background, the MCP server and the skill. The plugin names this program and Node by their paths, so run it again when they have moved.",
  arguments: [],
  options: [
    { flags: "--dry-run", does: "Prints what would change, and changes nothing." },
    { flags: "--kilo", does: "Sets up Kilo." },
    { flags: "--claude-code", does: "Installs the plugin in Claude Code." },
    json("object", "what changed"),
  ],
  examples: [
    { command: "transcripts init --dry-run", does: "Shows what would change." },
    { command: "transcripts init", does: "Sets up the project in the current folder." },
    { command: "transcripts init --kilo", does: "Sets it up for Kilo." },
    { command: "transcripts init --claude-code", does: "Keeps every session of Claude Code." },
  ],
  json: "object",
  load: () => import("../commands/init.ts"),
};

export const exportCommand: CommandDefinition = {
  name: "export",
  does: "Writes a session as an HTML page, as a markdown transcript, or as JSON.",
  description:
    "Without a format option, the extension of the file decides (.html, .md, .json); otherwise it is a page. " +
    "Passwords, keys and tokens become [REDACTED:kind], so that the file can be shared; --no-redact leaves them in. " +
    "A page is self-contained: images of up to 1 MB that were saved with a transcript are embedded in it. " +
    "A transcript has the format in which opencode's sessions are recorded, whichever agent the session is from, and every command reads it. " +
    "Subagents get transcripts of their own, in a folder named after the file (session/ for session.md), to which the session links; " +
    "attachments are only named. On standard output there is only the session's own transcript, with control characters as visible signs.",
  arguments: [SESSION],
  options: [
    { flags: "--html", does: "Writes an HTML page." },
    { flags: "--markdown", does: "Writes a transcript in markdown." },
    { flags: "--json", does: "Writes one JSON object: the session with its messages, tool calls and subagents." },
    { flags: "-o, --output <file>", does: "File to write; - for standard output." },
    { flags: "--no-subagents", does: "Leaves out the conversations of subagents." },
    {
      flags: "--no-redact",
      does: "Leaves secrets in the file. Reads files only, never the index; refuses a session whose file is gone.",
    },
  ],
  examples: [
    { command: "transcripts export latest --html -o session.html", does: "Writes the newest session as a page." },
    { command: "transcripts export latest -o session.md", does: "Writes it as a transcript." },
    {
      command: "transcripts export latest --json -o - | jq '.tool_calls[] | select(.status == \"error\")'",
      does: "Prints its failed calls.",
    },
  ],
  nothing: "nothing was said in the session",
  json: "object",
  load: () => import("../commands/export.ts"),
};

export const doctor: CommandDefinition = {
  name: "doctor",
  does: "Reports what is read and from where, what is not read, and why.",
  description:
    "Checks the 50 newest sessions for damage and for unknown line types; --all checks every session. Also runs SQLite's integrity check on " +
    "the index; for an index of more than 500 MB only with --all. Lists the sessions that their agent deletes within a week and that the index does not have.",
  arguments: [],
  options: [
    { flags: "--all", does: "Checks every session, and an index of any size." },
    json("object", "the findings"),
  ],
  examples: [
    { command: "transcripts doctor", does: "Checks that everything is in order." },
    {
      command: "transcripts doctor --json | jq .unknown_types",
      does: "Lists line types that this version does not know.",
    },
  ],
  json: "object",
  load: () => import("../commands/doctor.ts"),
};

export const completion: CommandDefinition = {
  name: "completion",
  does: "Prints the completion script for a shell.",
  arguments: [
    { name: "SHELL", does: "Shell to make the script for.", required: true, choices: ["bash", "zsh", "fish"] },
    {
      name: "WORD",
      does: "Prints how the last of these words of a command line can go on, as the script asks.",
      required: false,
      variadic: true,
    },
  ],
  options: [],
  examples: [
    {
      command: "transcripts completion bash > ~/.local/share/bash-completion/completions/transcripts",
      does: "Installs completion for bash.",
    },
    {
      command: "transcripts completion zsh > ~/.zfunc/_transcripts",
      does: "Installs it for zsh, if ~/.zfunc is in fpath.",
    },
    {
      command: "transcripts completion fish > ~/.config/fish/completions/transcripts.fish",
      does: "Installs it for fish.",
    },
  ],
  load: () => import("../commands/completion.ts"),
};
