import { numberIn } from "../columns.ts";
import type { PostgresSession } from "./pool.ts";
import { stateOf } from "./postgres-faults.ts";

const UNDEFINED_TABLE = "42P01";

/** Returns the version of the tables, 0 if there are none. */
export async function postgresVersion(session: PostgresSession): Promise<number> {
  try {
    const [row] = await session.rows("SELECT coalesce(max(version), 0) AS version FROM transcripts_migrations");
    return row === undefined ? 0 : numberIn(row, "version");
  } catch (error) {
    if (stateOf(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}
