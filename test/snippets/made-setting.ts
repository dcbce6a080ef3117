/** A home with one session of Claude Code, and an empty store. */
import { join } from "node:path";
import type { SnippetSetting } from "../../src/snippets/session-lookup.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { sampleSession, storeSession } from "../support/cli/claude-lines.ts";
import { makeTempDir } from "../support/temp-dir.ts";

export interface MadeSetting extends SnippetSetting {
  store: Store;
  home: string;
  /** The session's file. */
  path: string;
  /** Of the store. */
  database: string;
}

export async function madeSetting(session: string = sampleSession()): Promise<MadeSetting> {
  const home = makeTempDir();
  const database = join(home, "store", "transcripts.db");
  const env = { TRANSCRIPTS_DATABASE: database };
  const path = storeSession(home, session);
  const store = await openStore({ env, home });
  return { store, where: { env, home, cwd: home }, home, path, database };
}

/** A content of exactly so many bytes. */
export function contentOf(bytes: number, start = "The test failed because the port was taken. "): string {
  return (start + "It was freed, and the test passed. ".repeat(400)).slice(0, bytes);
}
