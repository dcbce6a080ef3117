/** All commands, in groups, as `transcripts --help` lists them. */
import type { CommandGroup, RunnableCommand } from "../command.ts";

type Load = () => Promise<{ command: RunnableCommand | CommandGroup }>;

const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Looking up:": {
    list: () => import("./list.ts"),
    find: () => import("./find.ts"),
    fixes: () => import("./fixes.ts"),
    failures: () => import("./failures.ts"),
    errors: () => import("./errors.ts"),
    stats: () => import("./stats.ts"),
    serve: () => import("./serve.ts"),
    archive: () => import("./archive.ts"),
  },
  "One session:": {
    show: () => import("./show.ts"),
    timeline: () => import("./timeline.ts"),
    changes: () => import("./changes.ts"),
    entries: () => import("./entries.ts"),
    tail: () => import("./tail.ts"),
    export: () => import("./export.ts"),
  },
  "Keeping:": {
    index: () => import("./index-sessions.ts"),
    push: () => import("./push.ts"),
    snippets: () => import("./snippets.ts"),
    tag: () => import("./tag.ts"),
    forget: () => import("./forget.ts"),
  },
  "Setting up:": {
    init: () => import("./init.ts"),
    doctor: () => import("./doctor.ts"),
    mcp: () => import("./mcp.ts"),
    completion: () => import("./completion.ts"),
  },
};

export interface GroupedCommand {
  /** Heading in the help. */
  group: string;
  runnable: RunnableCommand | CommandGroup;
}

/** Loads the command that the arguments begin with; all if there is none. */
export async function commandsFor([first = ""]: readonly string[]): Promise<GroupedCommand[]> {
  for (const [group, commands] of Object.entries(GROUPS)) {
    const load = Object.hasOwn(commands, first) ? commands[first] : undefined;
    if (load !== undefined) return [{ group, runnable: (await load()).command }];
  }
  return allCommands();
}

export async function allCommands(): Promise<GroupedCommand[]> {
  const found: Promise<GroupedCommand>[] = [];
  for (const [group, commands] of Object.entries(GROUPS))
    for (const load of Object.values(commands))
      found.push(load().then(({ command }) => ({ group, runnable: command })));
  return Promise.all(found);
}
