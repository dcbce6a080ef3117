import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { storedRecords2 } from "../../src/agents/opencode/opencode-2-message.ts";
import { bash, data, INPUT, resultsOf, withCalls } from "../support/recording/calls-recorded.ts";
import { call, completed, hook, PENDING, running, type CallPlace } from "../support/recording/host-steps.ts";
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
    test(`of ${length} characters, if ${maxInlineChars} may be inline`, async () => {
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

  test("that the host cut is taken whole from the host's file", async () => {
    const folder = data();
    const whole = "line\n".repeat(5_000);
    const hostOutputs = [makeTempDir()];
    const kept = join(hostOutputs[0] ?? "", "tool_1");
    writeFileSync(kept, whole);
    const cut = completed(INPUT, `line\n\n...4999 lines truncated... Full output saved to: ${kept}`, {
      metadata: { truncated: true, outputPath: kept },
    });
    await new Recording(folder, { format: "both", hostOutputs }).does(...withCalls([bash("call_1"), cut])).end();
    assert.equal(readFileSync(join(folder, "transcripts/ses_1/outputs/call_1.txt"), "utf8"), whole);
    for (const path of ["ses_1.md", "ses_1.jsonl"]) {
      assert.equal(resultsOf((await readSound(folder, path)).entries)[0]?.output, whole);
    }
  });

  test("that the host cut stays as it is if the rest cannot be read", async () => {
    const folder = data();
    const host = makeTempDir();
    const empty = join(host, "empty");
    writeFileSync(empty, "");
    const paths = [join(host, "gone"), host, empty, "", "\0"];
    const ends = paths.map((outputPath, n): [CallPlace, object] => [
      bash(`call_${n}`, n),
      completed(INPUT, `part ${n}`, { metadata: { truncated: true, outputPath } }),
    ]);
    await new Recording(folder, { hostOutputs: [host] }).does(...withCalls(...ends)).end();
    assert.deepEqual(
      resultsOf((await readSound(folder, "ses_1.md")).entries).map(({ output }) => output),
      paths.map((_, n) => `part ${n}`),
    );
  });

  test("is not read from a path outside the host's folders, nor through a link in them", async () => {
    const folder = data();
    const host = join(makeTempDir(), "tool-output");
    mkdirSync(host);
    const secret = join(host, "../auth.json");
    writeFileSync(secret, "a secret of the host");
    symlinkSync(secret, join(host, "tool_1"));
    symlinkSync(dirname(secret), join(host, "above"));
    const paths = [secret, `${host}/../auth.json`, join(host, "tool_1"), join(host, "above/auth.json")];
    const ends = paths.map((outputPath, n): [CallPlace, object] => [
      bash(`call_${n}`, n),
      completed(INPUT, "harmless", { metadata: { truncated: true, outputPath } }),
    ]);
    await new Recording(folder, { hostOutputs: [host] }).does(...withCalls(...ends)).end();
    const { entries } = await readSound(folder, "ses_1.md");
    assert.deepEqual(
      resultsOf(entries).map(({ output }) => output),
      paths.map(() => "harmless"),
    );
  });

  describe("is not read from a file that a tool names", () => {
    /** A whole output of another call, in the host's folder. */
    function otherOutput(): { hostOutputs: string[]; path: string } {
      const folder = makeTempDir();
      const path = join(folder, "tool_1");
      writeFileSync(path, "output of another call");
      return { hostOutputs: [folder], path };
    }
    const outputs = async (folder: string): Promise<unknown[]> =>
      resultsOf((await readSound(folder, "ses_1.md")).entries).map(({ output }) => output);

    for (const [order, steps] of [
      ["by the hook alone", ["hook"]],
      ["by the hook before the event", ["hook", "event"]],
      ["by the hook after the event", ["event", "hook"]],
    ] as const) {
      test(`in the metadata of its answer, heard ${order}`, async () => {
        const folder = data();
        const { hostOutputs, path } = otherOutput();
        const place = bash("call_1");
        const claimed = { truncated: true, outputPath: path };
        // As opencode stores it: what the server said, with the host's own `truncated` in place of the server's.
        const end = call(place, completed(INPUT, "harmless", { metadata: { ...claimed, truncated: false } }));
        const answer = { content: [{ type: "text", text: "harmless" }], metadata: claimed };
        const heard = {
          event: end,
          hook: hook("tool.execute.after", { ...place, args: INPUT }, answer),
        };
        const [created, ...rest] = withCalls([place, PENDING]);
        assert.ok(created);
        await new Recording(folder, { hostOutputs })
          .does(created, ...rest, call(place, running(INPUT)), ...steps.map((step) => heard[step]))
          .end();
        assert.deepEqual(await outputs(folder), ["harmless"]);
      });
    }

    test("without saying that it cut anything", async () => {
      const folder = data();
      const { hostOutputs, path } = otherOutput();
      const end = completed(INPUT, "harmless", { metadata: { outputPath: path } });
      await new Recording(folder, { hostOutputs }).does(...withCalls([bash("call_1"), end])).end();
      assert.deepEqual(await outputs(folder), ["harmless"]);
    });

    test("in opencode 2.x, where only the host's shell marks a cut output", async () => {
      const folder = data();
      const { hostOutputs, path } = otherOutput();
      const marked = `begin\n\n[output truncated; full output saved to: ${path}]`;
      const callOf = (name: string, texts: readonly string[], structured: object): object => ({
        type: "tool",
        id: `${name}-${texts.length}`,
        name,
        state: {
          status: "completed",
          input: {},
          structured,
          content: texts.map((text) => ({ type: "text", text })),
        },
        time: { created: 1, ran: 2, completed: 3 },
      });
      const content = [
        callOf("execute", [marked], { truncated: true, outputPath: path }),
        callOf("demo_tool", [marked], { truncated: true }),
        callOf("shell", [marked], { truncated: false, exit: 0 }),
        callOf("shell", [marked, "Command exited with code 3."], { truncated: true, exit: 3 }),
      ];
      const recording = new Recording(folder, { hostOutputs });
      const message = { id: "msg_1", type: "assistant", content, time: { created: 1, completed: 4 } };
      for (const record of storedRecords2("ses_1", message)) recording.recorder.accept(record);
      await recording.end();
      assert.deepEqual(await outputs(folder), [marked, marked, marked, "output of another call"]);
    });
  });
});
