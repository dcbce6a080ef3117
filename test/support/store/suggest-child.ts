/**
 * Stores a suggestion: `suggest-child.ts WHERE SNIPPET`, both as JSON. Opens the store, prints `ready`, waits for a line
 * on its standard input, and prints whether it stored one as JSON.
 */
import { once } from "node:events";
import { openStore, type StoreWhere } from "../../../src/store/open-store.ts";
import type { NewSnippet } from "../../../src/store/store.ts";

const [where = "", snippet = ""] = process.argv.slice(2);
// The test gives both as they are.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const [place, suggestion] = [JSON.parse(where) as StoreWhere, JSON.parse(snippet) as NewSnippet];

const store = await openStore(place);
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.pause();
const stored = await store.insertSuggestion(suggestion);
process.stdout.write(`${JSON.stringify({ stored: stored !== undefined })}\n`);
await store.close();
