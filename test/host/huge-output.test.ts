/**
 * Records `opencode run` in which a tool prints 5 MB, which is recorded whole, and one prints 50 MB, of which the host's
 * shortened text is recorded. And huge prompts, texts, inputs and outputs at the end of a process: once the session
 * continues, all is there, in order. Needs `dist/`. Most of the time goes into the host itself, which is slow with such
 * sizes.
 */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import { MAX_OUTPUT_BYTES } from "../../src/transcript/kept-files.ts";
import { parseExport } from "../support/host/export.ts";
import { call, reasoning, text, type ModelAction } from "../support/host/model-script.ts";
import { startModel } from "../support/host/model.ts";
import { startOpencode } from "../support/host/opencode.ts";
import { compareWithExport } from "../support/host/oracle.ts";
import { runOpencode } from "../support/host/process.ts";
import { readRecorded } from "../support/host/recorded.ts";
import { createSandbox } from "../support/host/sandbox.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";
import { parseJsonlTranscript } from "../support/read-entries.ts";

const TIMEOUT_MS = 400_000;
const SIZES = [5_000_000, 50_000_000];
const ANSWER = "That was long.";

const prints = (bytes: number): ReturnType<typeof call> =>
  call("bash", { command: `seq 1 9000000 | head -c ${bytes}`, description: `prints ${bytes}` });

describe("outputs of many megabytes", () => {
  test(
    "every call has its result, and the answer comes after them",
    async () => {
      const model = await startModel({ huge: [...SIZES.map((bytes) => [prints(bytes)]), [text(ANSWER)]] });
      const plugins = [[REPOSITORY, { format: "both" }] as const];
      const sandbox = await createSandbox({ modelURL: model.url, plugins, config: { snapshot: false } });
      try {
        const { code, stderr } = await runOpencode(sandbox, ["run", "scenario:huge please"]);
        assert.equal(code, 0, stderr);
        await judge(join(sandbox.projectDir, ".openfleet/transcripts"));
      } finally {
        await sandbox.remove();
        await model.close();
      }
    },
    TIMEOUT_MS,
  );
});

const huge = (bytes: number): string => "One line of a text that is long.\n".repeat(bytes / 33);
const ENDS: Record<string, { prompt?: string; answers: ModelAction[][] }> = {
  output: { answers: [[prints(8_000_000)], [text(ANSWER)]] },
  prompt: { prompt: huge(20_000_000), answers: [[text(ANSWER)]] },
  reasoning: { answers: [[reasoning(huge(10_000_000)), text(ANSWER)]] },
  input: { answers: [[call("write", { filePath: "long.txt", content: huge(10_000_000) })], [text(ANSWER)]] },
};

describe("SIGTERM right behind the answer to something huge", () => {
  for (const [what, { prompt = "", answers }] of Object.entries(ENDS)) {
    test(
      `(${what}): everything is recorded when the session continues`,
      async () => {
        const model = await startModel({ huge: answers, after: [[text("And on.")]] });
        const plugins = [[REPOSITORY, { format: "both" }] as const];
        const sandbox = await createSandbox({ modelURL: model.url, plugins, config: { snapshot: false } });
        try {
          let server = await startOpencode(sandbox);
          const { id } = await server.client.createSession();
          await server.client.prompt(id, `scenario:huge please\n${prompt}`);
          await server.stop("SIGTERM");
          server.feed.close();
          const folder = join(sandbox.projectDir, ".openfleet/transcripts");
          server = await startOpencode(sandbox);
          await server.client.prompt(id, "scenario:after please");
          await sleep(SETTLE_MS);
          await server.stop("SIGTERM");
          server.feed.close();
          const exported = parseExport(JSON.parse(await server.export(id)));
          for (const format of ["markdown", "jsonl"] as const) {
            const { entries, problems } = await readRecorded(folder, exported, format);
            assert.deepEqual(problems, []);
            assert.equal(compareWithExport(exported, entries), undefined);
          }
        } finally {
          await sandbox.remove();
          await model.close();
        }
      },
      TIMEOUT_MS,
    );
  }
});

/** Maximum time to write something huge, also on a busy machine. */
const SETTLE_MS = 20_000;

async function judge(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^ses_\w+\.(?:md|jsonl)$/.test(name));
  const path = (extension: string): string => join(folder, names.find((name) => name.endsWith(extension)) ?? "none");
  const sections = (name: string): number =>
    readFileSync(path(".md"), "utf8").match(new RegExp(`^## \\[.*\\] ${name}`, "gm"))?.length ?? 0;
  assert.equal(sections("Tool Use:"), SIZES.length);
  assert.equal(sections("Tool Result:") + sections("Tool Error:"), SIZES.length);
  assert.equal(sections("Assistant Message"), 1);
  assert.ok(readFileSync(path(".md"), "utf8").includes(ANSWER));

  const { entries, problems } = await parseJsonlTranscript(readFileSync(path(".jsonl")));
  assert.deepEqual(problems, []);
  assert.equal(entries.filter((entry) => entry.type === "assistant" && entry.content === ANSWER).length, 1);
  const outputs = join(path(".md").replace(/\.md$/, ""), "outputs");
  for (const bytes of SIZES) judgeResult(entries, bytes, outputs);
}

/** An output of up to 8 MiB is recorded whole, in a file of its own; of a larger one, the host's text names its file. */
function judgeResult(entries: readonly TranscriptEntry[], bytes: number, outputs: string): void {
  const use = entries.find((entry) => entry.type === "tool_use" && JSON.stringify(entry.input).includes(`${bytes}`));
  assert.ok(use?.type === "tool_use", `the call that prints ${bytes}`);
  const results = entries.filter((entry) => entry.type === "tool_result" && entry.callID === use.callID);
  assert.equal(results.length, 1, `results of the call that prints ${bytes}`);
  const [result] = results;
  const output = result?.type === "tool_result" ? String(result.output) : "";
  if (bytes <= MAX_OUTPUT_BYTES) {
    assert.equal(output.length, bytes);
    assert.equal(statSync(join(outputs, `${use.callID}.txt`)).size, bytes);
  } else {
    assert.ok(output.length < 1_000_000);
    assert.match(output, /truncated/);
    assert.match(output, /tool-output\/tool_\w+/, "the text must name the file with the rest");
  }
}
