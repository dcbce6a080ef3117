/** Makes a database in the form of opencode 1.x. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Random, Texts } from "./made-texts.ts";

const START_MS = 1_750_000_000_000;

/** Writes sessions with this many bytes of JSON each; returns the bytes of all. */
export function makeOpencodeStore(path: string, sessions: number, sessionBytes: number): number {
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
  const random = new Random(1);
  const texts = new Texts(random);
  const add = {
    session: database.prepare("INSERT INTO session VALUES (?, NULL, '/work/shop', ?, ?, ?)"),
    message: database.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)"),
    part: database.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)"),
  };
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
      const info = JSON.stringify({ role, time: times, ...(role === "user" ? { agent: "build" } : answer) });
      add.message.run(id, sessionID, time, time, info);
      bytes += info.length;
      for (const [order, part] of partsOf(random, texts, role, `${id}_call`, times).entries()) {
        const data = JSON.stringify(part);
        add.part.run(`prt_${id}_${order}`, id, sessionID, time, time, data);
        bytes += data.length;
      }
    }
    add.session.run(sessionID, `Session ${session}`, began, began + at * 1_000);
    all += bytes;
  }
  database.exec("COMMIT");
  database.close();
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
