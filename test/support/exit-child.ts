/** Appends records and exits: `exit-child.ts PATH FIRST COUNT WHEN`. Prints what went wrong. */
import { AppendFile } from "../../src/transcript/files/append-file.ts";
import { lineFormat, lineRecord } from "./line-format.ts";

const [path = "", first = "", count = "", when = ""] = process.argv.slice(2);
const file = new AppendFile({ path, format: lineFormat });
process.on("exit", () => {
  const result = file.flushSync();
  if (!result.complete) process.stdout.write(JSON.stringify(result));
});
for (let n = 0; n < Number(count); n += 1) {
  file.append(lineRecord(`k${Number(first) + n}`, 1_000));
  if (when === "in the middle") await new Promise((resolve) => setImmediate(resolve));
}
process.exit(0);
