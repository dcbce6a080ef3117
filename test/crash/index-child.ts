/** An indexer to be killed: `index-child.ts HOME`. Prints `ready` before it begins, and `done` after. */
import { updateIndex } from "../../src/indexing/update-index.ts";
import { openStore } from "../../src/store/open-store.ts";
import { NO_REDACTOR } from "../support/indexing/index-fixture.ts";
import { KILLED_LIMITS } from "./index-limits.ts";

const [home = ""] = process.argv.slice(2);
const where = { env: {}, home, cwd: home };
const store = await openStore(where);
process.stdout.write("ready\n");
// Secrets are for other tests; loading what finds them would take most of each life.
await updateIndex(store, where, { redactor: NO_REDACTOR, limits: KILLED_LIMITS });
await store.close();
process.stdout.write("done\n");
