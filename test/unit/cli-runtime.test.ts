import assert from "node:assert/strict";
import fs from "node:fs";
import { oldRuntime } from "../../src/cli/runtime.ts";
import { describe, test } from "../support/runner.ts";

describe("a runtime that is too old", () => {
  test("is named, with what to do", () => {
    const said = "transcripts needs Node 22.13.0 or newer, and this is 20.20.2. Install a newer Node and try again.";
    assert.equal(oldRuntime({ node: "20.20.2" }), said);
    for (const node of ["18.0.0", "22.12.9", "22.3.10"]) assert.match(oldRuntime({ node }) ?? "", /^transcripts needs/);
    // Bun names the Node that it stands in for, too.
    assert.match(
      oldRuntime({ bun: "1.3.13", node: "24.3.0" }) ?? "",
      /needs Bun 1\.3\.14 or newer, and this is 1\.3\.13/,
    );
  });

  test("is never one that the package allows", () => {
    for (const node of ["22.13.0", "22.13.1", "22.20.0", "24.0.0", "100.1.0"])
      assert.equal(oldRuntime({ node }), undefined);
    for (const bun of ["1.3.14", "1.4.0", "2.0.0"]) assert.equal(oldRuntime({ bun, node: "20.0.0" }), undefined);
    assert.equal(oldRuntime(process.versions), undefined);
  });

  test("is the one that package.json names", () => {
    const { engines }: { engines: Record<string, string> } = JSON.parse(fs.readFileSync("package.json", "utf8"));
    for (const name of ["node", "bun"]) {
      const oldest = (engines[name] ?? "").replace(">=", "");
      const full = oldest.split(".").length === 2 ? `${oldest}.0` : oldest;
      const before = full.split(".").map(Number);
      before[1] = (before[1] ?? 0) - 1;
      assert.equal(oldRuntime({ [name]: full }), undefined);
      assert.notEqual(oldRuntime({ [name]: before.join(".") }), undefined);
    }
  });
});
