/** opencode, and Kilo, which is a fork of it with a database in the same form. */
import { dirname } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import type { SessionFiles } from "../../places/session-files.ts";
import type { Place, SessionRef, Unreadable } from "../../places/session-ref.ts";
import type { Agent, Resume } from "../agent.ts";
import { databasesOf, opencodeDatabases } from "./databases.ts";
import { openDatabase } from "./open-database.ts";
import { opencodeExport } from "./opencode-export.ts";
import { olderStorage, scanOpencodeStore } from "./opencode-store.ts";

export const opencode: Agent = {
  name: "opencode",
  displayName: "opencode",
  isInDatabase: true,
  hasForms: true,
  forksChangeIds: true,
  places: async (where, files) => opencodeDatabases(where, files).map((path) => ({ agent: opencode.name, path })),
  scan: ({ path }, files) => scanOpencodeStore(path, files, opencode.name),
  formats: [opencodeExport],
  open: (ref, _files, content) => openDatabase(ref, content),
  unread: olderStorages,
  resume: (ref) => resumedBy(ref, `opencode -s ${shellWord(ref.id)}`),
  deletion: ({ id }) => `opencode session delete ${shellWord(id)}`,
};

export const kilo: Agent = {
  name: "kilo",
  displayName: "Kilo",
  isInDatabase: true,
  hasForms: true,
  forksChangeIds: true,
  places: async (where, files) => databasesOf("kilo", where, files).map((path) => ({ agent: kilo.name, path })),
  scan: ({ path }, files) => scanOpencodeStore(path, files, kilo.name),
  // Its exports are those of opencode.
  formats: [],
  open: (ref, _files, content) => openDatabase(ref, content),
  unread: olderStorages,
  resume: (ref) => resumedBy(ref, `kilo --session ${shellWord(ref.id)}`),
  deletion: ({ id }) => `kilo session delete ${shellWord(id)}`,
};

function resumedBy({ database, project }: SessionRef, command: string): Resume | undefined {
  return database === null ? undefined : { command, folder: project };
}

/** Returns the folders beside the databases that have sessions of an older form. */
async function olderStorages(
  places: readonly Place[],
  known: ReadonlySet<string>,
  files: Pick<SessionFiles, "list">,
): Promise<Unreadable[]> {
  const databases = new Map(places.map(({ path }) => [dirname(path), path]));
  return (await Promise.all([...databases.values()].map((path) => olderStorage(path, known, files)))).flat();
}
