import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bash, data, INPUT, resultsOf, withCalls } from "../support/recording/calls-recorded.ts";
import { completed, type CallPlace } from "../support/recording/host-steps.ts";
import { filesIn, readSound, readTranscript, Recording } from "../support/recording/recording.ts";
import { newSession } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const outputsIn = (folder: string): string[] =>
  filesIn(join(folder, "transcripts")).filter((name) => name.includes("/outputs/"));

describe("the output of a call", () => {
  for (const [maxInlineChars, length, hasFile] of [
    [0, 0, false],
    [0, 1, true],
    [1, 1, false],
    [1, 2, true],
    [5_000, 5_000, false],
    [5_000, 5_001, true],
    [5_000, 3_000_000, true],
  ] as const) {
    test(`of ${length} characters, where ${maxInlineChars} may stand inline`, async () => {
      const folder = data();
      const output = "0123456789\n".repeat(Math.ceil(length / 11)).slice(0, length);
      await new Recording(folder, { format: "both", maxInlineChars })
        .does(...withCalls([bash("call_1"), completed(INPUT, output)]))
        .end();
      const text = readFileSync(join(folder, "transcripts/ses_1.md"), "utf8");
      assert.deepEqual(outputsIn(folder), hasFile ? ["ses_1/outputs/call_1.txt"] : []);
      assert.equal(text.includes("... (truncated)"), hasFile);
      if (hasFile) {
        assert.equal(readFileSync(join(folder, "transcripts/ses_1/outputs/call_1.txt"), "utf8"), output);
        const links = [...text.matchAll(/\]\(([^)]*\.txt)\)/g)].map((match) => match[1]);
        assert.deepEqual(links, ["ses_1/outputs/call_1.txt"]);
        assert.ok(text.length < maxInlineChars + 3_000, "no more of it stands in the transcript");
      }
      for (const path of ["ses_1.md", "ses_1.jsonl"]) {
        assert.deepEqual(
          resultsOf((await readSound(folder, path)).entries).map((entry) => entry.output),
          [output],
        );
      }
    });
  }

  test("links lead from a subagent's transcript to its outputs", async () => {
    const folder = data();
    await new Recording(folder, { maxInlineChars: 3 }).does(...newSession("ses_2", 1, { parentID: "ses_1" })).end();
    const text = readFileSync(join(folder, "transcripts/ses_1/ses_2.md"), "utf8");
    const [link] = [...text.matchAll(/\]\(([^)]*\.txt)\)/g)].map((match) => match[1] ?? "");
    const path = resolve(folder, "transcripts/ses_1", link ?? "");
    assert.equal(path, join(folder, "transcripts/ses_2/outputs/call_0.txt"));
    assert.equal(readFileSync(path, "utf8"), "Out ses_2 0000");
    assert.equal(resultsOf((await readSound(folder, "ses_1/ses_2.md")).entries)[0]?.output, "Out ses_2 0000");
  });

  test("awkward text is read back unchanged, from its file too", async () => {
    const folder = data();
    const outputs = [
      "\ufeffmark",
      "\0 and \ud800 and \r\n and \r",
      "```\n## [2026-01-01T00:00:00.000Z] User Message\n---\n",
      "\u2060\u2400",
    ].map((text) => text.repeat(20));
    const ends = outputs.map((output, n): [CallPlace, object] => [bash(`call_${n}`, n), completed(INPUT, output)]);
    await new Recording(folder, { format: "both", maxInlineChars: 10 }).does(...withCalls(...ends)).end();
    assert.equal(outputsIn(folder).length, outputs.length);
    for (const path of ["ses_1.md", "ses_1.jsonl"]) {
      assert.deepEqual(
        resultsOf((await readSound(folder, path)).entries).map(({ output }) => output),
        outputs,
      );
    }
  });

  test("with a call id that the session had before gets a file of its own", async () => {
    const folder = data();
    const ends = [1, 2, 3].map((n): [CallPlace, object] => [bash("call_0", n), completed(INPUT, `output ${n % 3}`)]);
    await new Recording(folder, { maxInlineChars: 1 }).does(...withCalls(...ends)).end();
    assert.deepEqual(outputsIn(folder), [
      "ses_1/outputs/call_0-2.txt",
      "ses_1/outputs/call_0-3.txt",
      "ses_1/outputs/call_0.txt",
    ]);
    assert.deepEqual(
      resultsOf((await readSound(folder, "ses_1.md")).entries).map(({ output }) => output),
      ["output 1", "output 2", "output 0"],
    );
  });

  test("that is recorded again by another process has one file", async () => {
    const folder = data();
    const steps = withCalls([bash("call_0"), completed(INPUT, "the output")]);
    for (let life = 0; life < 2; life++) await new Recording(folder, { maxInlineChars: 1 }).does(...steps).end();
    assert.deepEqual(outputsIn(folder), ["ses_1/outputs/call_0.txt"]);
  });

  test("whose file is gone is said to be incomplete", async () => {
    const folder = data();
    await new Recording(folder, { maxInlineChars: 4 })
      .does(...withCalls([bash("call_0"), completed(INPUT, "the output")]))
      .end();
    rmSync(join(folder, "transcripts/ses_1/outputs/call_0.txt"));
    const { entries, problems } = await readTranscript(folder, "ses_1.md");
    const [result] = resultsOf(entries);
    assert.equal(result?.output, "the ");
    assert.match(`${result?.outputMissing}`, /call_0\.txt/);
    assert.deepEqual(
      problems.map((problem) => problem.split(":")[0]),
      ["missing_output"],
    );
  });

  test("that the host cut is taken whole from where the host put it", async () => {
    const folder = data();
    const whole = "line\n".repeat(5_000);
    const kept = join(makeTempDir(), "tool_1");
    writeFileSync(kept, whole);
    const cut = completed(INPUT, `line\n\n...4999 lines truncated... Full output saved to: ${kept}`, {
      metadata: { truncated: true, outputPath: kept },
    });
    await new Recording(folder, { format: "both" }).does(...withCalls([bash("call_1"), cut])).end();
    assert.equal(readFileSync(join(folder, "transcripts/ses_1/outputs/call_1.txt"), "utf8"), whole);
    for (const path of ["ses_1.md", "ses_1.jsonl"]) {
      assert.equal(resultsOf((await readSound(folder, path)).entries)[0]?.output, whole);
    }
  });

  test("that the host cut, and whose rest cannot be had, stays as the host gave it", async () => {
    const folder = data();
    const empty = join(makeTempDir(), "empty");
    writeFileSync(empty, "");
    const paths = [join(makeTempDir(), "gone"), makeTempDir(), empty, "", "\0"];
    const ends = paths.map((outputPath, n): [CallPlace, object] => [
      bash(`call_${n}`, n),
      completed(INPUT, `part ${n}`, { metadata: { truncated: true, outputPath } }),
    ]);
    await new Recording(folder).does(...withCalls(...ends)).end();
    assert.deepEqual(
      resultsOf((await readSound(folder, "ses_1.md")).entries).map(({ output }) => output),
      paths.map((_, n) => `part ${n}`),
    );
  });

  test("is not taken from a file that only looks like the host's", async () => {
    const folder = data();
    const other = join(makeTempDir(), "other");
    writeFileSync(other, "not the output");
    const end = completed(INPUT, "the output", { metadata: { outputPath: other } });
    await new Recording(folder).does(...withCalls([bash("call_1"), end])).end();
    assert.equal(resultsOf((await readSound(folder, "ses_1.md")).entries)[0]?.output, "the output");
  });
});
