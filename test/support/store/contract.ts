/** The contract of a store: one suite for every backend. */
import type { TestBackend } from "./backends.ts";
import { eventContract } from "./contract-events.ts";
import { queryContract } from "./contract-queries.ts";
import { sessionContract } from "./contract-sessions.ts";
import { snippetContract } from "./contract-snippets.ts";
import { tableContract } from "./contract-tables.ts";

/** Registers the tests. */
export function storeContract(backend: TestBackend): void {
  sessionContract(backend);
  eventContract(backend);
  snippetContract(backend);
  queryContract(backend);
  tableContract(backend);
}
