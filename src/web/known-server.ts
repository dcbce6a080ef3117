/**
 * Where a server of this user runs, so that commands can name the page with their answer. The file has the address and no
 * token: the page opens in the browser that has opened the printed link, and in no other.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { numberOf, recordIn, stringOf } from "../parse/json-fields.ts";
import { writeWhole } from "../write-file.ts";

const FILE = "server.json";
const FILE_MODE = 0o600;

const ORIGIN = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;

interface KnownServer {
  origin: string;
  pid: number;
}

/** Announces a server of this process. `folder`: that of the store. Returns what takes it back. */
export async function announceServer(folder: string, origin: string): Promise<() => void> {
  const path = join(folder, FILE);
  const known = { origin, pid: process.pid };
  await writeWhole(path, (write) => write(`${JSON.stringify(known)}\n`), FILE_MODE);
  return () => {
    // Another server may have been started since.
    if (announced(path)?.pid === process.pid) rmSync(path, { force: true });
  };
}

/** Returns the address of the server that was started last; undefined if it does not run. */
export function serverOrigin(folder: string): string | undefined {
  const known = announced(join(folder, FILE));
  return known !== undefined && isRunning(known.pid) ? known.origin : undefined;
}

function announced(path: string): KnownServer | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  const known = recordIn(text);
  const [origin = "", pid = 0] = [stringOf(known, "origin"), numberOf(known, "pid")];
  return ORIGIN.test(origin) && pid > 0 ? { origin, pid } : undefined;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // Gone, or of another user, and then none of ours.
    return false;
  }
}
