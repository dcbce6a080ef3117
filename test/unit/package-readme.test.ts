import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { runExamples } from "../../scripts/cli-docs.ts";
import { optionRows } from "../../scripts/options-table.ts";
import { parseOptions } from "../../src/config.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

const readme = readFileSync(join(REPOSITORY, "README.md"), "utf8");
const options = readFileSync(join(REPOSITORY, "docs/options.md"), "utf8");

/** The cells of the table's rows, without its head. */
function documentedRows(): string[][] {
  const block = options.split("<!-- options -->")[1]?.split("<!-- /options -->")[0] ?? "";
  const lines = block.trim().split("\n").slice(2);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

describe("docs/options.md", () => {
  test("lists the options as their schema has them (if not: node scripts/options-table.ts)", () => {
    assert.deepEqual(documentedRows(), optionRows());
    assert.deepEqual(
      documentedRows().map(([name]) => name),
      Object.keys(parseOptions({}).options).map((name) => `\`${name}\``),
    );
  });

  test("has examples of opencode.json that are valid, with options that are accepted", () => {
    const config = z.object({ plugin: z.array(z.union([z.string(), z.tuple([z.string(), z.unknown()])])) });
    const examples = [...options.matchAll(/^```json\n([^]*?)\n```$/gm)]
      .map(([, json = ""]) => json)
      .filter((json) => json.includes('"plugin"'));
    assert(examples.length > 0);
    for (const example of examples) {
      for (const spec of config.parse(JSON.parse(example)).plugin) {
        if (typeof spec !== "string") assert.deepEqual(parseOptions(spec[1]).problems, []);
      }
    }
  });
});

describe("the README", () => {
  test("shows what the commands print; … stands for lines that are left out", async () => {
    const console = Array.from(readme.matchAll(/^```console\n([^]*?)^```$/gm), ([, block]) => block).join("");
    const runs = Array.from(console.matchAll(/^\$ transcripts (.*)\n([^]*?)(?=^\$ |(?![^]))/gm));
    assert(runs.length > 1);
    const outputs = await runExamples(["index", ...runs.map(([, command = ""]) => command)]);
    for (const [, command = "", shown = ""] of runs) {
      let rest = `\n${outputs.get(command)}\n`;
      for (const piece of `\n${shown.trimEnd()}\n`.split("\n…\n").filter((lines) => lines !== "")) {
        const at = rest.indexOf(`\n${piece.replaceAll(/^\n|\n$/g, "")}\n`);
        assert.notEqual(at, -1, `transcripts ${command} prints\n${outputs.get(command)}\nand not\n${piece}`);
        rest = rest.slice(at + piece.length);
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

  test("has a link to each page of docs, and all links lead to files and headings that there are", () => {
    const pages = readdirSync(join(REPOSITORY, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !name.startsWith("example"))
      .map((name) => `docs/${name}`);
    const broken = ["README.md", ...pages].flatMap((page) => {
      const links = Array.from(textOf(page).matchAll(/\]\((?!https?:)([^)]+)\)/g), ([, link = ""]) => link);
      const wrong = links.filter((link) => {
        const [path = "", heading] = link.split("#");
        const target = path === "" ? page : join(dirname(page), path);
        if (!existsSync(join(REPOSITORY, target))) return true;
        return heading !== undefined && !anchorsOf(target).includes(heading);
      });
      return wrong.map((link) => `${page}: ${link}`);
    });
    assert.deepEqual(broken, []);
    assert.deepEqual(
      pages.filter((page) => !readme.includes(`](${page})`)),
      [],
    );
  });
});

/** Returns a page without its code blocks. */
function textOf(page: string): string {
  return readFileSync(join(REPOSITORY, page), "utf8").replaceAll(/^(`{3,}).*\n[^]*?^\1$/gm, "");
}

/** Returns the anchors that a forge makes for a page's headings. */
function anchorsOf(page: string): string[] {
  return Array.from(textOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
