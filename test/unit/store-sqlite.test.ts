/** The contract of a store on SQLite, with the driver of the runtime that runs this. */
import { afterAll } from "../support/runner.ts";
import { sqlite } from "../support/store/backends.ts";
import { storeContract } from "../support/store/contract.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
storeContract(sqlite);
