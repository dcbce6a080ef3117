/** jq for machines that have none: `node jq-child.ts [FLAGS] FILTER [FILE…]`, reading standard input without a file. */
import { readFileSync } from "node:fs";
import { raw } from "jq-wasm";

const words = process.argv.slice(2);
const flags = words
  .filter((word) => /^-\w+$/.test(word))
  .flatMap((word) => Array.from(word.slice(1), (flag) => `-${flag}`));
const [filter = ".", ...files] = words.filter((word) => !/^-\w+$/.test(word));
const input = (files.length > 0 ? files : ["/dev/stdin"]).map((path) => readFileSync(path, "utf8")).join("\n");
process.stdout.write(`${await raw(input, filter, flags)}\n`);
