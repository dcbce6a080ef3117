/** A machine for tests: a home and a project in temporary folders, with sessions of every kind. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  type UserMessageEntry,
} from "../../src/transcript/format/formats.ts";
import type { Fields } from "../../src/parse/json-fields.ts";
import { openSqlite } from "../../src/places/sqlite-reader.ts";
import { opencodeSession } from "../../src/agents/opencode/store-export.ts";
import { nodeSessionFiles, type SessionFiles } from "../../src/places/session-files.ts";
import type { Where } from "../../src/places/session-ref.ts";
import { makeTempDir } from "../support/temp-dir.ts";

/** Seconds since 1970 that the times of files are counted from. */
const START_S = 1_750_000_000;

export class Machine {
  readonly home = makeTempDir();
  readonly project = makeTempDir();
  env: Record<string, string> = {};

  get where(): Where {
    return { env: this.env, home: this.home, cwd: this.project };
  }

  get claude(): string {
    return join(this.home, ".claude", "projects");
  }

  get transcripts(): string {
    return join(this.project, ".openfleet", "transcripts");
  }

  get database(): string {
    return join(this.home, ".local", "share", "opencode", "opencode.db");
  }

  /** A file, written `minute` minutes after the start. Gives its path. */
  write(path: string, text: string, minute = 0): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, START_S + minute * 60, START_S + minute * 60);
    return path;
  }

  /** A session file of Claude Code below `projects`, with something said at the time of the file. */
  claudeFile(path: string, minute = 0, line: Record<string, unknown> = {}): string {
    const timestamp = new Date(minuteMs(minute)).toISOString();
    return this.write(join(this.claude, path), claudeLine({ timestamp, ...line }), minute);
  }

  /** A transcript of ours, by its path below `transcripts`: its head, and if `isSaid` a message. */
  transcript(
    path: string,
    sessionID: string,
    { minute = 0, parentID, isSaid = false }: { minute?: number; parentID?: string; isSaid?: boolean } = {},
  ): string {
    const header = { version: 1, sessionID, ...(parentID === undefined ? {} : { parentID }) } as const;
    const said: UserMessageEntry = {
      type: "user",
      timestamp: new Date(minuteMs(minute)).toISOString(),
      content: "hello",
      parts: [],
    };
    const text = path.endsWith(".md")
      ? encodeMarkdownHeader(header, { filePath: path }) + (isSaid ? encodeMarkdownEntry(said, { filePath: path }) : "")
      : encodeJsonlHeader(header) + (isSaid ? encodeJsonlEntry(said) : "");
    return this.write(join(this.transcripts, path), text, minute);
  }
}

export function minuteMs(minute: number): number {
  return (START_S + minute * 60) * 1000;
}

export function claudeLine(fields: Record<string, unknown> = {}): string {
  const message = { role: "user", content: "hello" };
  return `${JSON.stringify({ type: "user", message, sessionId: "s", timestamp: "2026-01-05T10:30:00.000Z", ...fields })}\n`;
}

/** The real file system with some calls replaced. */
export function filesWith(replaced: Partial<SessionFiles>): SessionFiles {
  return { ...nodeSessionFiles, ...replaced };
}

/** An error as the file system throws it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made by a test`), { code });
}

export interface StoredSession {
  id: string;
  parent?: string;
  directory?: string;
  title?: string;
  minute?: number;
  /** By message: its data, and the data of its parts. */
  messages?: readonly { id: string; data: unknown; parts: readonly { id: string; data: unknown }[] }[];
}

/** Returns a session of opencode's database as its export has it. */
export async function exportedFrom(database: string, id: string): Promise<{ info: Fields; messages: Fields[] }> {
  const reader = await openSqlite(database);
  try {
    const session = opencodeSession(reader, id);
    if (session === undefined) throw new Error(`${database} does not have the session ${id}.`);
    return JSON.parse(JSON.stringify({ info: session.info, messages: [...session.messages] }));
  } finally {
    reader.close();
  }
}

interface SqliteWriter {
  exec(sql: string): void;
  run(sql: string, ...values: (string | number | null)[]): void;
  close(): void;
}

export async function sqliteWriter(path: string): Promise<SqliteWriter> {
  mkdirSync(dirname(path), { recursive: true });
  if (process.versions["bun"] !== undefined) {
    const { Database } = await import("bun:sqlite");
    const database = new Database(path, { create: true });
    return {
      exec: (sql) => void database.run(sql),
      run: (sql, ...values) => void database.query<unknown, (string | number | null)[]>(sql).run(...values),
      close: () => database.close(),
    };
  }
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  return {
    exec: (sql) => database.exec(sql),
    run: (sql, ...values) => void database.prepare(sql).run(...values),
    close: () => database.close(),
  };
}

/** The columns of opencode 1.18's tables that are read here. */
const SCHEMA = [
  `CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text,
    slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, share_url text,
    summary_additions integer, summary_deletions integer, summary_files integer, summary_diffs text, metadata text,
    cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,
    tokens_reasoning integer DEFAULT 0 NOT NULL, tokens_cache_read integer DEFAULT 0 NOT NULL,
    tokens_cache_write integer DEFAULT 0 NOT NULL, revert text, permission text, agent text, model text,
    time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer)`,
  `CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL)`,
  `CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)`,
];

/** Makes a database in the form of opencode's and leaves it open, as a running opencode does. */
export async function openFakeStore(path: string, sessions: readonly StoredSession[]): Promise<SqliteWriter> {
  const database = await sqliteWriter(path);
  database.exec("PRAGMA journal_mode = WAL");
  for (const table of SCHEMA) database.exec(table);
  for (const session of sessions) addStored(database, session);
  return database;
}

/** The same, closed. */
export async function writeFakeStore(path: string, sessions: readonly StoredSession[]): Promise<void> {
  (await openFakeStore(path, sessions)).close();
}

function addStored(database: SqliteWriter, session: StoredSession): void {
  const { id, parent = null, directory = "/p", title = "T", minute = 0, messages = [] } = session;
  database.run(
    `INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)
      VALUES (?, 'p', ?, 's', ?, ?, '1', ?, ?)`,
    id,
    parent,
    directory,
    title,
    minuteMs(minute) - 1000,
    minuteMs(minute),
  );
  for (const [index, message] of messages.entries()) {
    const data = typeof message.data === "string" ? message.data : JSON.stringify(message.data);
    database.run("INSERT INTO message VALUES (?, ?, ?, ?, ?)", message.id, id, index, minuteMs(minute), data);
    for (const part of message.parts) {
      const partData = typeof part.data === "string" ? part.data : JSON.stringify(part.data);
      database.run("INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)", part.id, message.id, id, partData);
    }
  }
}
