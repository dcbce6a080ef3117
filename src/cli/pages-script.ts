import { readFile } from "node:fs/promises";

/** Reads the script of the pages, which was built beside the program. */
export function pagesScript(): Promise<string> {
  return readFile(new URL("../script.js", import.meta.url), "utf8");
}
