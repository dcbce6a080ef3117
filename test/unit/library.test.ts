import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "../../src/index.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

describe("the library", () => {
  test("exports at most fifteen names, all in docs/library.md", () => {
    const names = Object.keys(library);
    const page = readFileSync(join(REPOSITORY, "docs/library.md"), "utf8");
    assert.ok(names.length >= 10 && names.length <= 15, String(names.length));
    assert.deepEqual(
      names.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });
});
