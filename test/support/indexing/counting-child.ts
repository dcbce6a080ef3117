/**
 * Indexes a machine and counts what is read of its transcripts: `node counting-child.ts HOME`. Prints `{ bytes, events }`.
 * For Node alone: Bun does not let a program put other functions in place of its file system's.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { updateIndex } from "../../../src/indexing/update-index.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { NO_REDACTOR } from "./index-fixture.ts";

const { openSync, readSync } = fs;
const { open } = fs.promises;
const isTranscript = (path: fs.PathLike): boolean => /\.openfleet.*\.(?:md|jsonl)$/.test(String(path));
const files = new Set<number>();
let bytes = 0;

function countedOpenSync(...args: Parameters<typeof openSync>): number {
  const file = openSync(...args);
  if (isTranscript(args[0])) files.add(file);
  else files.delete(file);
  return file;
}

function countedReadSync(file: number, ...args: unknown[]): number {
  const size = Number(Reflect.apply(readSync, fs, [file, ...args]));
  if (files.has(file)) bytes += size;
  return size;
}

async function countedOpen(...args: Parameters<typeof open>): Promise<fs.promises.FileHandle> {
  const handle = await open(...args);
  const read: unknown = Reflect.get(handle, "read");
  if (!isTranscript(args[0]) || typeof read !== "function") return handle;
  const counted = async (...given: unknown[]): Promise<unknown> => {
    const result: { bytesRead: number } = await Reflect.apply(read, handle, given);
    bytes += result.bytesRead;
    return result;
  };
  return Object.assign(handle, { read: counted });
}

Object.assign(fs, { openSync: countedOpenSync, readSync: countedReadSync });
Object.assign(fs.promises, { open: countedOpen });
syncBuiltinESMExports();

const [home = ""] = process.argv.slice(2);
const store = await openStore({ env: {}, home });
const { events } = await updateIndex(store, { env: {}, home, cwd: home }, { redactor: NO_REDACTOR });
await store.close();
console.log(JSON.stringify({ bytes, events }));
