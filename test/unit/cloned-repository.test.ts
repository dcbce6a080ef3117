/** What a cloned repository may have planted in a project's data folder. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../support/cli/run-cli.ts";
import { PluginHost } from "../support/recording/plugin-host.ts";
import { readSound, transcriptsIn } from "../support/recording/recording.ts";
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

const warningsOf = async (home: string): Promise<string[]> => {
  const { stdout } = await runCli(["doctor", "--json"], { home });
  const { warnings }: { warnings: string[] } = JSON.parse(stdout);
  return warnings;
};

describe("a symbolic link that leads out of the project", () => {
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
    test(`${where} is not followed, and that is told once`, async () => {
      const [project, outside] = [makeTempDir(), makeTempDir()];
      link(project, outside);
      const toasts = await played(project);
      assert.deepEqual(readdirSync(outside), []);
      assert.equal(toasts.filter((toast) => toast.includes("leads out of the project")).length, 1, toasts.join("\n"));
      assert.match((await warningsOf(project)).join("\n"), /leads out of the project.*followLinks/s);
    });

    test(`${where} is followed if the option allows it`, async () => {
      const [project, outside] = [makeTempDir(), makeTempDir()];
      link(project, outside);
      assert.deepEqual(await played(project, { ...OPTIONS, followLinks: true }), []);
      assert.notDeepEqual(readdirSync(outside), []);
      assert.deepEqual(transcriptsIn(join(project, ".openfleet")), ["ses_1.md", "ses_2.md"]);
    });
  }

  test("is another thing than a link inside the project, and than a folder that was configured", async () => {
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

describe("a .gitignore that shows transcripts to git", () => {
  const withRules = (rules: string): string => {
    const project = makeTempDir();
    mkdirSync(join(project, ".openfleet/transcripts"), { recursive: true });
    writeFileSync(join(project, ".openfleet/transcripts/.gitignore"), rules);
    return project;
  };

  for (const rules of ["!*\n", "*\n!*\n", "*\n!*.md", "*\r\n!/ses_*\r\n", "", "# nothing\n", "*.log\n"]) {
    test(`${JSON.stringify(rules)} is told once, and the session is recorded`, async () => {
      const project = withRules(rules);
      const toasts = await played(project);
      assert.equal(toasts.filter((toast) => toast.includes("not kept out of git")).length, 1, toasts.join("\n"));
      assert.match((await warningsOf(project)).join("\n"), /not kept out of git/);
      assert.ok((await readSound(join(project, ".openfleet"), "ses_1.md")).told.length > 0);
    });
  }

  for (const rules of ["*\n", "# mine\n*\n!.gitignore\n!README.md\n", "!*\n*\n", "/*\n"]) {
    test(`${JSON.stringify(rules)} is none`, async () => {
      const project = withRules(rules);
      assert.deepEqual(await played(project), []);
      assert.deepEqual(await warningsOf(project), []);
    });
  }
});
