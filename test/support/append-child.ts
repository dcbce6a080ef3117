/**
 * One of several processes that append to the same files: `append-child.ts FOLDER FILES COUNT NAME SEED`.
 * Each of COUNT rounds appends a record that all processes have (`s<n>`) and one of its own (`<NAME><n>`) to each
 * file. Exits with 1 if something is not in the files.
 */
import { join } from "node:path";
import { AppendFile } from "../../src/transcript/files/append-file.ts";
import { WritePool } from "../../src/transcript/files/write-pool.ts";
import { lineFormat, lineRecord } from "./line-format.ts";

const [folder = "", fileCount = "", count = "", name = "", seed = ""] = process.argv.slice(2);
const pool = new WritePool();
const files = Array.from(
  { length: Number(fileCount) },
  (_, n) => new AppendFile({ path: join(folder, `${n}`), format: lineFormat, pool }),
);

let state = Number(seed);
function random(below: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
}

for (let n = 0; n < Number(count); n += 1) {
  for (const file of files) {
    const size = random(20) === 0 ? 50_000 : random(500);
    file.append(lineRecord(`s${n}`, 300));
    file.append(lineRecord(`${name}${n}`, size));
  }
  const pause = random(4);
  if (pause === 1) await new Promise((resolve) => setImmediate(resolve));
  if (pause === 2) await new Promise((resolve) => setTimeout(resolve, random(3)));
}
const results = await Promise.all(files.map((file) => file.flush(20_000)));
process.exitCode = results.every(({ complete }) => complete) ? 0 : 1;
