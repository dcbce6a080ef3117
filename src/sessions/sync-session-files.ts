/**
 * The file system by way of calls that block. Looking at thousands of files costs a tenth of what it costs through
 * promises: each call takes some microseconds, and handing it to another thread takes longer.
 */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { kindOf, nodeSessionFiles, type SessionFiles } from "./session-files.ts";

export const syncSessionFiles: SessionFiles = {
  ...nodeSessionFiles,
  list: async (folder) =>
    readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isSymbolicLink() ? "link" : kindOf(entry),
    })),
  stat: async (path) => {
    const facts = statSync(path);
    return { kind: kindOf(facts), bytes: facts.size, modifiedMs: facts.mtimeMs };
  },
  realpath: async (path) => realpathSync(path),
};
