import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as library from "../../src/index.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

describe("the library", () => {
  const page = readFileSync(join(REPOSITORY, "docs/library.md"), "utf8");

  test("exports at most fifteen names, all in docs/library.md", () => {
    const names = Object.keys(library);
    assert.ok(names.length >= 10 && names.length <= 15, String(names.length));
    assert.deepEqual(
      names.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });

  const examples = Array.from(page.matchAll(/^```ts\n([^]*?)^```$/gm), ([, code = ""]) => code);
  for (const [at, example] of examples.entries()) {
    test(`runs example ${at + 1} of docs/library.md as it is written`, () => {
      const home = makeTempDir();
      const sample = join(REPOSITORY, "test/fixtures/sample-transcript.jsonl");
      for (const name of ["session.jsonl", "large.jsonl"]) copyFileSync(sample, join(home, name));
      mkdirSync(join(home, ".claude/projects/-home-ada-weather"), { recursive: true });
      copyFileSync(sample, join(home, ".claude/projects/-home-ada-weather/6f0c9d0e-3c5b-4f43-9e0a-8f3f7f1f2a10.jsonl"));
      const script = join(home, "example.ts");
      const index = pathToFileURL(join(REPOSITORY, "src/index.ts")).href;
      writeFileSync(script, example.replace('"opencode-transcripts"', JSON.stringify(index)));
      const bun = join(REPOSITORY, "node_modules/.bin/bun");
      const stdout = execFileSync(bun, [script], { cwd: home, env: { ...process.env, HOME: home }, encoding: "utf8" });
      assert.match(stdout, /\w/);
    });
  }
});
