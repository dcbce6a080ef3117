/** Loads Node's SQLite. */
import type * as NodeSqlite from "node:sqlite";

/** Suppresses the warning of some Node versions that `node:sqlite` is experimental. */
export function loadNodeSqlite(): typeof NodeSqlite {
  // oxlint-disable-next-line typescript/unbound-method -- restored below, and called on the process
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
