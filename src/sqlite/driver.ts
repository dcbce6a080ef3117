/** One interface to the SQLite drivers of Bun and Node. The only file that loads either. */
import type * as BunSqlite from "bun:sqlite";
import type * as NodeSqlite from "node:sqlite";

type Row = Readonly<Record<string, unknown>>;

export type SqlValue = string | number | Uint8Array | null;

export interface SqliteStatement {
  /** Returns the number of changed rows, not counting changes by triggers and foreign keys. */
  run(...values: SqlValue[]): number;
  all(...values: SqlValue[]): Row[];
}

export interface SqliteDriver {
  /** Runs any number of statements without values. */
  exec(sql: string): void;
  /** Returns the prepared statement for this SQL, prepared once. Must not read integers beyond 2^53. */
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteOpening {
  readOnly: boolean;
  /** The file cannot change while it is open, so it is read without its log and without locks. */
  immutable?: boolean;
}

type OpenDriver = (path: string, opening: SqliteOpening) => SqliteDriver;

/** Opens a database, creating the file unless `readOnly`. Throws the runtime driver's errors. */
export async function openDriver(path: string, opening: SqliteOpening): Promise<SqliteDriver> {
  return (await loadDriver())(path, opening);
}

/** Loads the runtime's driver. The function opens a database as `openDriver` does. */
export async function loadDriver(): Promise<OpenDriver> {
  if (process.versions["bun"] === undefined) return openWithNode;
  const bun = await import("bun:sqlite");
  return (path, opening) => openWithBun(bun, path, opening);
}

function openWithBun(
  { Database, constants }: typeof BunSqlite,
  path: string,
  { readOnly, immutable = false }: SqliteOpening,
): SqliteDriver {
  const access = readOnly
    ? constants.SQLITE_OPEN_READONLY
    : constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE;
  const database = immutable
    ? new Database(immutableAddress(path), access | constants.SQLITE_OPEN_URI)
    : new Database(path, access);
  return driverOf({
    exec: (sql) => database.run(sql),
    prepare: (sql) => {
      const statement = database.prepare<Row, SqlValue[]>(sql);
      return {
        finalize: () => statement.finalize(),
        run: (...values) => statement.run(...values).changes,
        all: (...values) => statement.all(...values),
      };
    },
    close: () => database.close(),
  });
}

function openWithNode(path: string, { readOnly, immutable = false }: SqliteOpening): SqliteDriver {
  const { DatabaseSync } = loadNodeSqlite();
  const database = new DatabaseSync(immutable ? immutableAddress(path) : path, { readOnly });
  return driverOf({
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        finalize: () => undefined,
        run: (...values) => Number(statement.run(...values).changes),
        all: (...values) => statement.all(...values),
      };
    },
    close: () => database.close(),
  });
}

/** Loads Node's SQLite without the warning of some Node versions that `node:sqlite` is experimental. */
function loadNodeSqlite(): typeof NodeSqlite {
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

function immutableAddress(path: string): string {
  return `file:${encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")}?immutable=1`;
}

interface BareStatement extends SqliteStatement {
  finalize(): void;
}

interface BareDriver {
  exec(sql: string): void;
  prepare(sql: string): BareStatement;
  close(): void;
}

/** Caches prepared statements: preparing one takes longer than running most of them. */
function driverOf(bare: BareDriver): SqliteDriver {
  const prepared = new Map<string, BareStatement>();
  return {
    exec: (sql) => {
      if (sql !== "") bare.exec(sql);
    },
    prepare: (sql) => {
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      const statement = bare.prepare(sql);
      prepared.set(sql, statement);
      return statement;
    },
    close: () => {
      // Bun keeps the file and its log open as long as there are statements.
      for (const statement of prepared.values()) statement.finalize();
      prepared.clear();
      bare.close();
    },
  };
}
