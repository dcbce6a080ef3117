/** All commands, in groups, as `transcripts --help` lists them. The help loads none of them: loading all takes a while. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { CommandGroup, RunnableCommand } from "../command.ts";

interface Entry {
  /** One line. */
  does: string;
  load: () => Promise<{ command: RunnableCommand | CommandGroup }>;
}

const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  "All sessions:": {
    list: {
      does: "Lists sessions, newest first, with time, cost, agent, and title or first prompt.",
      load: () => import("./list.ts"),
    },
    find: {
      does: "Searches the conversations, tool calls and titles of all sessions, best passages first.",
      load: () => import("./find.ts"),
    },
    fixes: { does: "Shows whether an error came up before, and what fixed it.", load: () => import("./fixes.ts") },
    errors: {
      does: "Shows failed tool calls: the newest of all sessions, or those of the sessions named, in order.",
      load: () => import("./errors.ts"),
    },
    stats: {
      does: "Adds up tokens, cost, models, tools, errors and time, of all sessions or of those named.",
      load: () => import("./stats.ts"),
    },
    serve: { does: "Shows all sessions in the browser, on a local page.", load: () => import("./serve.ts") },
    archive: {
      does: "Writes the pages of all sessions as files, which need no server.",
      load: () => import("./archive.ts"),
    },
  },
  "One session:": {
    show: { does: "Prints a conversation: what the user and the assistant said.", load: () => import("./show.ts") },
    timeline: {
      does: "Prints one line for each turn: time, duration, tokens, tools, first words.",
      load: () => import("./timeline.ts"),
    },
    changes: {
      does: "Shows what a session and its subagents did to files, as one diff for each file.",
      load: () => import("./changes.ts"),
    },
    entries: {
      does: "Prints every line of a session's file as a line of JSON, for close inspection.",
      load: () => import("./entries.ts"),
    },
    tail: { does: "Prints the end of a session; with -f also what is added to it.", load: () => import("./tail.ts") },
    export: {
      does: "Writes a session as an HTML page, as a markdown transcript, or as JSON.",
      load: () => import("./export.ts"),
    },
  },
  "Keeping and sharing:": {
    index: {
      does: "Adds what is new in all sessions to the store.",
      load: () => import("./index-sessions.ts"),
    },
    push: {
      does: "Copies this machine's sessions to a team's database, which everyone on the team can ask with --team.",
      load: () => import("./push.ts"),
    },
    snippets: {
      does: "Keeps passages of sessions that are worth finding again: fixed errors, decisions, lessons.",
      load: () => import("./snippets.ts"),
    },
    tag: {
      does: "Gives a session tags, pins it, or gives it a title.",
      load: () => import("./tag.ts"),
    },
    forget: {
      does: "Removes a session from the store for good, and prints the command that deletes its files.",
      load: () => import("./forget.ts"),
    },
  },
  "Setting up:": {
    init: {
      does: "Sets up recording in opencode or Kilo for this project, or the plugin for Claude Code.",
      load: () => import("./init.ts"),
    },
    doctor: {
      does: "Reports which sessions are found and where, what cannot be read, and why.",
      load: () => import("./doctor.ts"),
    },
    mcp: {
      does: "Lets agents look up the sessions on this machine: an MCP server on standard input and output.",
      load: () => import("./mcp.ts"),
    },
    completion: {
      does: "Prints the completion script for a shell.",
      load: async () => (await import("./completion.ts")).completionOf(commandsFor),
    },
  },
};

const ENTRIES = Object.entries(GROUPS).flatMap(([group, entries]) =>
  Object.entries(entries).map(([name, entry]) => ({ group, name, ...entry })),
);

export interface ListedCommand {
  /** Has only name and summary if the command is not loaded. */
  definition: CommandUnknownOpts;
  /** Absent if the command is not loaded. */
  loaded?: RunnableCommand | CommandGroup;
}

/** Loads the command that the arguments begin with. If there is none, returns all commands, none of them loaded. */
export async function commandsFor([first]: readonly string[]): Promise<ListedCommand[]> {
  const named = ENTRIES.find(({ name }) => name === first);
  if (named === undefined)
    return ENTRIES.map(({ group, name, does }) => ({
      definition: new Command(name).summary(does).helpGroup(group),
    }));
  const loaded = await loadedCommand(named);
  return [{ definition: loaded.definition, loaded }];
}

/** Loads all commands. */
export function allCommands(): Promise<{ group: string; runnable: RunnableCommand | CommandGroup }[]> {
  return Promise.all(ENTRIES.map(async (entry) => ({ group: entry.group, runnable: await loadedCommand(entry) })));
}

async function loadedCommand({ group, does, load }: (typeof ENTRIES)[number]): Promise<RunnableCommand | CommandGroup> {
  const { command } = await load();
  const { definition } = command;
  // Commands are created once for all runs.
  if (definition.summary() === "") {
    definition.helpGroup(group).summary(does);
    definition.description([does, definition.description()].filter(Boolean).join("\n\n"));
  }
  return command;
}
