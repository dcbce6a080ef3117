import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { optionRows } from "../../scripts/options-table.ts";
import { parseOptions } from "../../src/config.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

const readme = readFileSync(join(REPOSITORY, "README.md"), "utf8");

/** The cells of the table's rows, without its head. */
function documentedRows(): string[][] {
  const block = readme.split("<!-- options -->")[1]?.split("<!-- /options -->")[0] ?? "";
  const lines = block.trim().split("\n").slice(2);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

describe("the README", () => {
  test("lists the options as their schema has them (if not: node scripts/options-table.ts)", () => {
    assert.deepEqual(documentedRows(), optionRows());
    assert.deepEqual(
      documentedRows().map(([name]) => name),
      Object.keys(parseOptions({}).options).map((name) => `\`${name}\``),
    );
  });

  test("has examples of opencode.json that are valid, with options that are accepted", () => {
    const config = z.object({ plugin: z.array(z.union([z.string(), z.tuple([z.string(), z.unknown()])])) });
    const examples = [...readme.matchAll(/^```json\n([^]*?)\n```$/gm)]
      .map(([, json = ""]) => json)
      .filter((json) => json.includes('"plugin"'));
    assert(examples.length > 0);
    for (const example of examples) {
      for (const spec of config.parse(JSON.parse(example)).plugin) {
        if (typeof spec !== "string") assert.deepEqual(parseOptions(spec[1]).problems, []);
      }
    }
  });

  test("names commands that there are", () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")));
    const named = [...readme.matchAll(/npm (?:run ([\w:]+)|(test))/g)].map(([, run, test]) => run ?? test ?? "");
    assert(named.includes("test") && named.includes("demo"));
    assert.deepEqual(
      named.filter((name) => !(name in scripts)),
      [],
    );
  });

  test("and the pages of docs link to files that there are", () => {
    const pages = readdirSync(join(REPOSITORY, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !name.startsWith("example"))
      .map((name) => join("docs", name));
    const broken = ["README.md", ...pages].flatMap((page) => {
      const links = readFileSync(join(REPOSITORY, page), "utf8")
        .replaceAll(/^(`{3,}).*\n[^]*?^\1$/gm, "")
        .matchAll(/\]\((?!https?:|#)([^)#]+)/g);
      const paths = Array.from(links, ([, path = ""]) => join(dirname(page), path));
      return paths.filter((path) => !existsSync(join(REPOSITORY, path))).map((path) => `${page}: ${path}`);
    });
    assert.deepEqual(broken, []);
  });
});
