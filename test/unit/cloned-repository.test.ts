/** Files that a cloned repository may have planted in a project's data folder. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../support/cli/run-cli.ts";
import { PluginHost } from "../support/recording/plugin-host.ts";
import { transcriptsIn } from "../support/recording/recording.ts";
import { newSession } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const OPTIONS = { redact: false };

/** Plays sessions in a project; the toasts. */
async function played(project: string, options: object = OPTIONS): Promise<string[]> {
  const host = new PluginHost(project, options);
  await host.does(...newSession("ses_1"), ...newSession("ses_2"));
  await host.dispose();
  await new Promise((resolve) => setTimeout(resolve, 20));
  return host.toasts;
}

describe("a symbolic link out of the project", () => {
  const links: Record<string, (project: string, outside: string) => void> = {
    "in the place of the data folder": (project, outside) => symlinkSync(outside, join(project, ".openfleet")),
    "in the place of the transcripts": (project, outside) => {
      mkdirSync(join(project, ".openfleet"));
      symlinkSync(outside, join(project, ".openfleet/transcripts"));
    },
    "in the place of the saved sessions": (project, outside) => {
      mkdirSync(join(project, ".openfleet"));
      symlinkSync(outside, join(project, ".openfleet/sessions"));
    },
  };
  for (const [where, link] of Object.entries(links)) {
    test(`${where} is not followed, which is reported once`, async () => {
      const [project, outside] = [makeTempDir(), makeTempDir()];
      link(project, outside);
      const toasts = await played(project);
      assert.deepEqual(readdirSync(outside), []);
      assert.equal(toasts.filter((toast) => toast.includes("leads out of the project")).length, 1, toasts.join("\n"));
    });

    test(`${where} is followed if the option allows it`, async () => {
      const [project, outside] = [makeTempDir(), makeTempDir()];
      link(project, outside);
      assert.deepEqual(await played(project, { ...OPTIONS, followLinks: true }), []);
      assert.notDeepEqual(readdirSync(outside), []);
      assert.deepEqual(transcriptsIn(join(project, ".openfleet")), ["ses_1.md", "ses_2.md"]);
    });
  }

  test("in the place of a day's saved sessions is not followed", async () => {
    const [project, outside] = [makeTempDir(), makeTempDir()];
    for (const days of [-1, 0, 1]) {
      const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
      mkdirSync(join(project, ".openfleet/sessions"), { recursive: true });
      symlinkSync(outside, join(project, ".openfleet/sessions", day));
    }
    const host = new PluginHost(project, OPTIONS);
    await host.does(...newSession("ses_1"));
    const tool = host.hooks.tool?.["save_conversation"];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a host gives much more than the tool uses
    const answer = JSON.stringify(await tool?.execute({}, { sessionID: "ses_1" } as never));
    await host.dispose();
    assert.deepEqual(readdirSync(outside), []);
    assert.match(answer, /leads out of the project/);
  });

  test("a link inside the project and a configured folder are followed", async () => {
    const project = makeTempDir();
    mkdirSync(join(project, "data"));
    symlinkSync(join(project, "data"), join(project, ".openfleet"));
    assert.deepEqual(await played(project), []);
    assert.deepEqual(transcriptsIn(join(project, ".openfleet")), ["ses_1.md", "ses_2.md"]);

    const [other, outside] = [makeTempDir(), makeTempDir()];
    assert.deepEqual(await played(other, { ...OPTIONS, directory: join(outside, "kept") }), []);
    assert.equal(existsSync(join(outside, "kept/transcripts/ses_1.md")), true);
  });
});

const PLANTED = "ses_planted";
const transcript = (id: string): string =>
  `${JSON.stringify({ format: "opencode-transcripts/jsonl", version: 1, sessionID: id, created: "2020-01-01T00:00:00.000Z" })}\n` +
  `${JSON.stringify({ type: "user", timestamp: "2026-01-05T10:00:00.000Z", content: "the other side", parts: [] })}\n` +
  `${JSON.stringify({ type: "tool_use", timestamp: "2026-01-05T10:00:01.000Z", tool: "read", callID: "c1", input: {} })}\n` +
  `${JSON.stringify({ type: "tool_result", status: "error", timestamp: "2026-01-05T10:00:02.000Z", tool: "read", callID: "c1", input: {}, output: "it is gone" })}\n`;

describe("reading files planted by a cloned repository", () => {
  /** A project whose links lead to a transcript outside, and a home beside it. */
  const links: Record<string, (project: string, outside: string) => void> = {
    "a linked data folder": (project, outside) => {
      mkdirSync(join(outside, "transcripts"));
      writeFileSync(join(outside, "transcripts", `${PLANTED}.jsonl`), transcript(PLANTED));
      symlinkSync(outside, join(project, ".openfleet"));
    },
    "a linked transcripts folder": (project, outside) => {
      writeFileSync(join(outside, `${PLANTED}.jsonl`), transcript(PLANTED));
      mkdirSync(join(project, ".openfleet"));
      symlinkSync(outside, join(project, ".openfleet/transcripts"));
    },
    "a linked file": (project, outside) => {
      writeFileSync(join(outside, "other.jsonl"), transcript(PLANTED));
      mkdirSync(join(project, ".openfleet/transcripts"), { recursive: true });
      symlinkSync(join(outside, "other.jsonl"), join(project, `.openfleet/transcripts/${PLANTED}.jsonl`));
    },
    "a linked folder of subagents": (project, outside) => {
      writeFileSync(join(outside, `${PLANTED}.jsonl`), transcript(PLANTED));
      mkdirSync(join(project, ".openfleet/transcripts"), { recursive: true });
      symlinkSync(outside, join(project, ".openfleet/transcripts/ses_parent"));
    },
  };
  const listed = async (home: string): Promise<boolean> => {
    const { stdout } = await runCli(["list", "--subagents", "--json"], { home });
    return stdout.includes(PLANTED);
  };
  const configure = (path: string): void => {
    mkdirSync(join(path, ".."), { recursive: true });
    const options = { redact: false, followLinks: true };
    writeFileSync(path, JSON.stringify({ plugin: [["opencode-transcripts", options]] }));
  };

  for (const [what, plant] of Object.entries(links)) {
    test(`${what} out of the project is not read as its history, and doctor says so`, async () => {
      const [project, outside] = [makeTempDir(), makeTempDir()];
      plant(project, outside);
      assert.equal(await listed(project), false);
      const { stdout: found } = await runCli(["find", "the other side", "--json"], { home: project });
      assert.equal(found, "");
      const { stdout, exitCode } = await runCli(["doctor"], { home: project });
      assert.match(stdout.replaceAll(/\s+/g, " "), /link that leads out of the project.*"followLinks": true/);
      assert.equal(exitCode, 2);

      // The project's own configuration may have come with the clone.
      configure(join(project, "opencode.json"));
      assert.equal(await listed(project), false);
      configure(join(project, ".config/opencode/opencode.json"));
      assert.equal(await listed(project), true);
    });
  }

  test("a link inside the project is followed", async () => {
    const project = makeTempDir();
    mkdirSync(join(project, "kept/transcripts"), { recursive: true });
    writeFileSync(join(project, `kept/transcripts/${PLANTED}.jsonl`), transcript(PLANTED));
    symlinkSync(join(project, "kept"), join(project, ".openfleet"));
    assert.equal(await listed(project), true);
  });
});
