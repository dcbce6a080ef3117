/** The append writer by itself, with the line format of the tests: three files, at one of several paces. */
import * as fs from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppendFile } from "../../src/transcript/files/append-file.ts";
import { WritePool } from "../../src/transcript/files/write-pool.ts";
import { lineFormat, lineRecord, readLines } from "../support/line-format.ts";
import { randomFrom } from "./random.ts";
import type { CrashFile, CrashRun, CrashSubject } from "./subject.ts";

const FILES = ["one", "two", "three"];

/** Number of appends, of records in each, and their sizes. */
const PACES = [
  { name: "steady", everyMs: 1, records: 1, minBytes: 100, maxBytes: 2_000 },
  { name: "bursts", everyMs: 15, records: 40, minBytes: 100, maxBytes: 5_000 },
  { name: "flood", everyMs: 1, records: 10, minBytes: 500, maxBytes: 3_000 },
  { name: "large", everyMs: 20, records: 1, minBytes: 100_000, maxBytes: 1_000_000 },
] as const;

const subject: CrashSubject = {
  ordered: true,

  async start({ folder, generation, seed, clean, begins, accepted }: CrashRun): Promise<void> {
    const random = randomFrom(seed);
    const pool = new WritePool();
    const files = FILES.map((name) => new AppendFile({ path: join(folder, name), format: lineFormat, pool }));
    const pace = PACES[random(PACES.length)] ?? PACES[0];
    let serial = 0;
    const append = (file: AppendFile, bytes: number): void => {
      const id = `${generation}-${(serial += 1)}`;
      accepted(id, basename(file.path));
      file.append(lineRecord(id, bytes));
    };
    if (clean) {
      for (const file of files) append(file, 100);
      const results = await Promise.all(files.map((file) => file.flush()));
      if (!results.every(({ complete }) => complete)) throw new Error(JSON.stringify(results));
      return;
    }
    begins();
    for (;;) {
      for (let n = 0; n < pace.records; n += 1) {
        const file = files[random(files.length)];
        if (file) append(file, pace.minBytes + random(pace.maxBytes - pace.minBytes));
      }
      await sleep(pace.everyMs);
    }
  },

  async inspect(folder: string): Promise<CrashFile[]> {
    return FILES.map((name) => join(folder, name))
      .filter((path) => fs.existsSync(path))
      .map((path) => {
        const { keys, tail, torn, problems } = readLines(fs.readFileSync(path));
        return {
          file: basename(path),
          path,
          ids: keys,
          tailBytes: Buffer.byteLength(tail),
          repaired: torn.length,
          problems,
        };
      });
  },
};

export default subject;
