/** SQLite as Node has it, for all that read or write databases. */
import type * as NodeSqlite from "node:sqlite";

/** Loading `node:sqlite` makes some versions of Node print that it is experimental, which is nothing to users. */
export function loadNodeSqlite(): typeof NodeSqlite {
  // oxlint-disable-next-line typescript/unbound-method -- It is put back as it was, and called on the process.
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes("SQLite")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
