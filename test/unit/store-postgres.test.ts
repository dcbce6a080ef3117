/** The contract of a store on a real PostgreSQL. */
import { storeContract } from "../support/store/contract.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";

storeContract(sharedPostgresBackend());
