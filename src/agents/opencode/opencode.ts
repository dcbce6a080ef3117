/** opencode, and Kilo, which is a fork of it with a database in the same form. */
import { shellWord } from "../../calls/shell-syntax.ts";
import type { Agent } from "../agent.ts";
import { databasesOf, opencodeDatabases } from "./databases.ts";
import { openDatabase } from "./open-database.ts";
import { opencodeExport } from "./opencode-export.ts";
import { scanOpencodeStore } from "./opencode-store.ts";

export const opencode: Agent = {
  ...inDatabase("opencode", "-s"),
  displayName: "opencode",
  places: async (where, files) => opencodeDatabases(where, files).map((path) => ({ agent: opencode.name, path })),
  formats: [opencodeExport],
};

export const kilo: Agent = {
  ...inDatabase("kilo", "--session"),
  displayName: "Kilo",
  places: async (where, files) => databasesOf("kilo", where, files).map((path) => ({ agent: kilo.name, path })),
  // Its exports are those of opencode.
  formats: [],
};

/** `option`: that of the program which resumes a session. */
function inDatabase(name: string, option: string) {
  return {
    name,
    isInDatabase: true,
    hasForms: true,
    forksChangeIds: true,
    scan: ({ path }, files) => scanOpencodeStore(path, files, name),
    open: (ref, _files, content) => openDatabase(ref, content),
    resume: ({ id, database, project }) =>
      database === null ? undefined : { command: `${name} ${option} ${shellWord(id)}`, folder: project },
    deletion: ({ id }) => `${name} session delete ${shellWord(id)}`,
  } satisfies Partial<Agent>;
}
