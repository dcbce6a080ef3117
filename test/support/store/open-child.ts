/**
 * Opens the store at a path as the user that runs this, and tries to write: `open-child.ts PATH [read]`. Prints what
 * became of it as JSON.
 */
import { openStore } from "../../../src/store/open-store.ts";
import { madeSnippet } from "./made-rows.ts";
import { isStoreError } from "../../../src/transcripts-error.ts";

const [path = "", read] = process.argv.slice(2);
const told: Record<string, unknown> = {};
const tell = (error: unknown): unknown => (isStoreError(error) ? error.code : String(error));
try {
  const store = await openStore({ env: { TRANSCRIPTS_DATABASE: path }, home: "/" }, { readOnly: read === "read" });
  told["sessions"] = (await store.sessions()).length;
  told["insert"] = await store.insertSnippet(madeSnippet()).then(() => "done", tell);
  await store.close();
} catch (error) {
  told["open"] = tell(error);
}
process.stdout.write(`${JSON.stringify(told)}\n`);
