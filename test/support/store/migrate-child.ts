/**
 * Brings a store to a version, or opens it: `migrate-child.ts WHERE [VERSION]`, WHERE as JSON. Prints `ready`, waits for
 * a line on its standard input, works, and prints what became of it as JSON.
 */
import { once } from "node:events";
import { migrateStore, openStore, type StoreWhere } from "../../../src/store/open-store.ts";
import { isStoreError } from "../../../src/transcripts-error.ts";

const [where = "", version] = process.argv.slice(2);
// The test gives it as it is.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const place = JSON.parse(where) as StoreWhere;

process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.pause();
try {
  if (version === undefined) await (await openStore(place)).close();
  else await migrateStore(place, Number(version));
  process.stdout.write('{"done":true}\n');
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: isStoreError(error) ? error.code : String(error) })}\n`);
}
