/** Makes databases in the form of opencode 1.x: of made-up sessions, and of real ones, copied under new ids. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Random, Texts } from "./made-texts.ts";

const START_MS = 1_750_000_000_000;

interface OpencodeStore {
  /** Each adds a row and returns the bytes of its JSON. */
  session(id: string, folder: string, title: string, created: number, updated: number): void;
  message(id: string, session: string, time: number, info: object): number;
  part(id: string, message: string, session: string, time: number, part: object): number;
  close(): void;
}

function emptyStore(path: string): OpencodeStore {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, time_created integer,
      time_updated integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
      time_updated integer, data text);
    CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
    CREATE INDEX part_message_id_id_idx ON part (message_id, id);
    CREATE INDEX part_session_idx ON part (session_id);
    BEGIN`);
  const session = database.prepare("INSERT OR IGNORE INTO session VALUES (?, NULL, ?, ?, ?, ?)");
  const message = database.prepare("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?)");
  const part = database.prepare("INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?, ?, ?)");
  return {
    session: (...values) => void session.run(...values),
    message: (id, of, time, info) => {
      const json = JSON.stringify(info);
      return message.run(id, of, time, time, json).changes === 0 ? 0 : Buffer.byteLength(json);
    },
    part: (id, of, ofSession, time, value) => {
      const json = JSON.stringify(value);
      return part.run(id, of, ofSession, time, time, json).changes === 0 ? 0 : Buffer.byteLength(json);
    },
    close: () => {
      database.exec("COMMIT");
      database.close();
    },
  };
}

/** Copies the sessions of a folder with exports until there are this many bytes of JSON; returns how many there are. */
export function copyOpencodeStore(path: string, corpus: string, bytes: number): number {
  const names = readdirSync(corpus, { recursive: true, encoding: "utf8" }).filter((name) => /\.jsonl?$/.test(name));
  const exports = names.toSorted().map((name): Export => JSON.parse(readFileSync(join(corpus, name), "utf8")));
  const store = emptyStore(path);
  let all = 0;
  for (let copy = 0; all < bytes; copy += 1) {
    const mark = copy.toString(36).padStart(4, "0");
    const idOf = (id: string): string => id.replace(/_.{4}/, `_${mark}`);
    const before = all;
    for (const { info, messages } of exports) {
      const session = idOf(info.id);
      store.session(session, info.directory, info.title, info.time.created, info.time.updated);
      for (const {
        info: { id, sessionID: _, ...message },
        parts,
      } of messages) {
        all += store.message(idOf(id), session, message.time.created, message);
        for (const { id: part, sessionID: _session, messageID: _message, ...value } of parts)
          all += store.part(idOf(part), idOf(id), session, message.time.created, value);
      }
    }
    if (all === before) throw new Error(`There is no session in ${corpus}, or not under an id that can be changed.`);
  }
  store.close();
  return all;
}

interface Export {
  info: { id: string; directory: string; title: string; time: { created: number; updated: number } };
  messages: {
    info: { id: string; sessionID: string; time: { created: number } };
    parts: { id: string; sessionID: string; messageID: string }[];
  }[];
}

/** Writes sessions with this many bytes of JSON each; returns the bytes of all. */
export function makeOpencodeStore(path: string, sessions: number, sessionBytes: number): number {
  const random = new Random(1);
  const texts = new Texts(random);
  const store = emptyStore(path);
  let all = 0;
  for (let session = 0; session < sessions; session += 1) {
    const sessionID = `ses_${String(session).padStart(6, "0")}`;
    const began = START_MS + session * 1_000_000;
    let bytes = 0;
    let at = 0;
    for (; bytes < sessionBytes; at += 1) {
      const id = `msg_${session}_${String(at).padStart(7, "0")}`;
      const time = began + at * 1_000;
      const role = at % 8 === 0 ? "user" : "assistant";
      const tokens = { input: 900, output: 120, reasoning: 0, cache: { read: 40_000, write: 300 } };
      const answer = {
        modelID: "claude-sonnet-4-5",
        providerID: "anthropic",
        cost: 0.01,
        tokens,
        finish: "tool-calls",
      };
      const times = { created: time, completed: time + 900 };
      const info = { role, time: times, ...(role === "user" ? { agent: "build" } : answer) };
      bytes += store.message(id, sessionID, time, info);
      for (const [order, part] of partsOf(random, texts, role, `${id}_call`, times).entries())
        bytes += store.part(`prt_${id}_${order}`, id, sessionID, time, part);
    }
    store.session(sessionID, "/work/shop", `Session ${session}`, began, began + at * 1_000);
    all += bytes;
  }
  store.close();
  return all;
}

function partsOf(
  random: Random,
  texts: Texts,
  role: string,
  callID: string,
  { created: start, completed: end }: { created: number; completed: number },
): Record<string, unknown>[] {
  const text = { type: "text", text: texts.prose(random.size(300, 6, 8_000)) };
  if (role === "user") return [text];
  const isWrite = random.chance(0.2);
  const input = isWrite
    ? { filePath: "/work/shop/src/cart.ts", content: texts.code(random.size(2_000, 5, 40_000)) }
    : { filePath: "/work/shop/src/cart.ts" };
  const output = isWrite ? "Wrote file." : texts.numbered(random.size(4_000, 6, 50_000));
  const state = { status: "completed", input, output, title: "cart.ts", metadata: {}, time: { start, end } };
  return [{ type: "step-start" }, text, { type: "tool", tool: isWrite ? "write" : "read", callID, state }];
}
