import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../support/repository.ts";
import { event, message, openText, session, status, wholeText } from "../support/recording/host-steps.ts";
import { PluginHost } from "../support/recording/plugin-host.ts";
import { readSound, transcriptsIn } from "../support/recording/recording.ts";
import { newSession } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const HOOKS = ["chat.message", "dispose", "event", "tool.execute.after", "tool.execute.before"];

describe("the plugin's entry", () => {
  test("loads under Node, exports one default, and of itself asks nothing, writes nothing and leaves nothing running", () => {
    const project = makeTempDir();
    const node = join(REPOSITORY, "node_modules/.bin/node");
    const child = join(REPOSITORY, "test/support/recording/entry-child.ts");
    const run = spawnSync(node, [child, join(REPOSITORY, "src/plugin.ts"), project], {
      encoding: "utf8",
      timeout: 240_000,
    });
    assert.equal(run.status, 0, run.stderr);
    const seen = JSON.parse(run.stdout);
    assert.equal(seen.hasBun, false);
    assert.deepEqual(seen.keys, ["default"]);
    assert.equal(seen.id, "opencode-transcripts");
    assert.deepEqual(seen.members.toSorted(), ["id", "server", "setup"]);
    for (const name of HOOKS) assert.ok(seen.hooks.includes(name), `${name} is a hook`);
    assert.deepEqual(seen.requests, []);
    assert.deepEqual(readdirSync(project), []);
  });

  test("has another id in a second copy of the package, with which the preview of opencode 2.x would run neither", async () => {
    const [first, second] = [makeTempDir(), makeTempDir()];
    const ids: unknown[] = [];
    for (const folder of [first, second, `${first}?mtime=2`]) {
      const [path = "", query = ""] = folder.split("?");
      cpSync(join(REPOSITORY, "src"), join(path, "src"), { recursive: true });
      symlinkSync(join(REPOSITORY, "node_modules"), join(path, "node_modules"));
      const { default: plugin } = await import(join(path, `src/plugin.ts?${query}`));
      ids.push(plugin.id);
      rmSync(join(path, "node_modules"));
    }
    assert.notEqual(ids[0], ids[1]);
    assert.equal(ids[2], ids[0], "a reload changes nothing");
    for (const id of ids) assert.match(String(id), /^opencode-transcripts(?:-\d+)?$/);
  });

  test("writes nothing and asks nothing for sessions that are only mentioned", async () => {
    const project = makeTempDir();
    const host = new PluginHost(project, { format: "both" });
    for (let n = 0; n < 100; n++) {
      await host.does(
        session("created", `ses_${n}`),
        session("updated", `ses_${n}`),
        session("updated", `ses_other_${n}`),
        status(`ses_${n}`, "idle"),
      );
    }
    await host.dispose();
    assert.deepEqual(readdirSync(project), []);
    assert.deepEqual(host.requests, []);
  });

  test("can be disposed of twice", async () => {
    const host = new PluginHost(makeTempDir(), {});
    await host.dispose();
    await host.dispose();
  });
});

test("Kilo's line about its snapshot, which it shows as a text and removes, is no part of the conversation", async () => {
  const project = makeTempDir();
  const host = new PluginHost(project, { redact: false });
  const place = { sessionID: "ses_1", messageID: "msg_1", id: "prt_0" };
  await host.does(session("created", "ses_1"), message("ses_1", "msg_1", "assistant"));
  await host.does(openText(place, "⠙ Initializing snapshot…"), openText(place, "⠹ Initializing snapshot…"));
  await host.does(event("message.part.removed", { sessionID: "ses_1", messageID: "msg_1", partID: "prt_0" }));
  await host.does(wholeText({ ...place, id: "prt_1" }, "Initializing snapshot… is what Kilo says."));
  await host.does(status("ses_1", "idle"));
  await host.dispose();
  const { entries } = await readSound(join(project, ".openfleet"), "ses_1.md");
  assert.deepEqual(
    entries.map(({ type }) => type),
    ["assistant"],
  );
});

describe("the data folder", () => {
  test("is in the home if the option begins with ~", async () => {
    const [home, project] = [makeTempDir(), makeTempDir()];
    const { HOME: own } = process.env;
    process.env["HOME"] = home;
    try {
      const host = new PluginHost(project, { redact: false, directory: "~/log" });
      await host.does(...newSession("ses_1"));
      await host.dispose();
    } finally {
      process.env["HOME"] = own;
    }
    assert.deepEqual(transcriptsIn(join(home, "log")), ["ses_1.md"]);
    assert.ok(!existsSync(join(project, "~")));
  });

  test("is in the worktree, or outside of one in the folder that was opened", async () => {
    const repository = makeTempDir();
    const inside = join(repository, "packages");
    mkdirSync(inside);
    const alone = makeTempDir();
    const places = [
      { directory: inside, worktree: repository, folder: repository },
      { directory: alone, worktree: "/", folder: alone },
      { directory: inside, worktree: "", folder: inside },
    ];
    for (const { directory, worktree, folder } of places) {
      const host = new PluginHost(directory, { redact: false }, { worktree });
      await host.does(...newSession("ses_1"));
      await host.dispose();
      assert.deepEqual(transcriptsIn(join(folder, ".openfleet")), ["ses_1.md"]);
    }
  });
});
