/** The command that resumes a session: `list` and `show` print it, and a shell runs it in the right folder. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { runCli } from "../support/cli/run-cli.ts";
import { says, user } from "../support/cli/claude-lines.ts";
import { FORMATS } from "../support/parse/transcript-file.ts";
import { madeEntry } from "../support/indexing/made-transcript.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { writeFakeStore } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const ID = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

class Home {
  readonly path = realpathSync(makeTempDir());
  readonly env = { XDG_DATA_HOME: join(this.path, "data"), NO_COLOR: "1" };

  folder(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** A session of Claude Code that began in a folder. */
  session(cwd: string, { id = ID, label = cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), place = "projects" } = {}): string {
    const path = join(this.path, ".claude", place, label, `${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    const text = `${user("Go", 0)}${says("Gone", 1)}`.replaceAll(/"cwd":"[^"]*"/g, `"cwd":${JSON.stringify(cwd)}`);
    writeFileSync(path, text);
    return path;
  }

  async resume(id = ID): Promise<unknown> {
    const { stdout, stderr } = await runCli(["list", "--json", "--subagents"], { home: this.path, env: this.env });
    const rows: Record<string, unknown>[] = stdout.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
    const row = rows.find(({ session_id: found }) => found === id);
    assert.ok(row, `${id}: ${stderr}`);
    return row["resume"];
  }

  async heading(id = ID): Promise<string> {
    const { stdout } = await runCli(["show", id], { home: this.path, env: this.env });
    return stdout.split("\n\n")[0] ?? "";
  }

  /** Runs a command with agents that only say where they run and what they were asked. */
  said(command: unknown): string {
    const programs = this.folder("programs");
    for (const name of ["claude", "opencode", "kilo"])
      writeFileSync(join(programs, name), '#!/bin/sh\necho "${0##*/}|$(pwd)|$*"\n', { mode: 0o755 });
    const env = { PATH: `${programs}${delimiter}${process.env["PATH"] ?? ""}` };
    return execFileSync("/bin/sh", ["-c", String(command)], { env, cwd: "/", encoding: "utf8" }).trim();
  }
}

describe("the command that resumes a session", () => {
  test("of Claude Code runs in the folder that it was started in, whatever its name", async () => {
    for (const name of ["shop", "my shop", 'it\'s $HOME; `x` & "y"', "-dash"]) {
      const home = new Home();
      const folder = home.folder(name);
      home.session(folder);
      const resume = await home.resume();
      assert.equal(home.said(resume), `claude|${folder}|--resume ${ID}`);
      assert.ok((await home.heading()).endsWith(`\nresume: ${String(resume)}`), await home.heading());
    }
  });

  test("of Claude Code changes to the folder that has the session, not to one inside it", async () => {
    const home = new Home();
    const folder = home.folder("shop/src/deep");
    home.session(folder, { label: join(home.path, "shop").replaceAll(/[^a-zA-Z0-9]/g, "-") });
    assert.equal(home.said(await home.resume()), `claude|${join(home.path, "shop")}|--resume ${ID}`);
  });

  test("of opencode and Kilo names the session, and a transcript is resumed in the agent that still has it", async () => {
    const home = new Home();
    const folder = home.folder("the shop");
    const message = {
      id: "msg_1",
      data: { role: "user" },
      parts: [{ id: "prt_1", data: { type: "text", text: "x" } }],
    };
    const sessionOf = (id: string) => ({ id, directory: folder, messages: [{ ...message, id: `msg_${id}` }] });
    await writeFakeStore(join(home.path, "data/opencode/opencode.db"), [
      { id: "ses_a", directory: folder, messages: [message] },
    ]);
    await writeFakeStore(join(home.path, "data/kilo/kilo.db"), [sessionOf("ses_kilo")]);
    for (const id of ["ses_a", "ses_lost"]) {
      const path = join(home.path, `.openfleet/transcripts/${id}.md`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, FORMATS["markdown"]?.text([madeEntry(id, 0, 0)], { version: 1, sessionID: id }) ?? "");
    }
    assert.equal(home.said(await home.resume("ses_a")), `opencode|${folder}|-s ses_a`);
    assert.equal(home.said(await home.resume("ses_kilo")), `kilo|${folder}|--session ses_kilo`);
    assert.equal(await home.resume("ses_lost"), null);
    assert.match(await home.heading("ses_lost"), /^cannot be resumed: opencode does not have it on this machine$/m);
  });

  test("is not given where the agent would not find the session", async () => {
    const home = new Home();
    const folder = home.folder("shop");
    const path = home.session(folder);
    home.session(folder, { id: "agent-x" });
    home.session(folder, { id: ID.replace("0a", "1a"), label: "-somewhere-else" });
    assert.equal(await home.resume("agent-x"), null);
    assert.equal(await home.resume(ID.replace("0a", "1a")), null);
    assert.equal((await runCli(["index"], { home: home.path, env: home.env })).exitCode, 0);
    rmSync(path);
    assert.equal(await home.resume(), null);
    assert.match(await home.heading(), /^cannot be resumed: only the store has it$/m);
    home.session(folder);
    rmSync(folder, { recursive: true });
    assert.equal(await home.resume(), null);
    assert.match(await home.heading(), /^cannot be resumed: its folder .*shop does not exist$/m);
  });
});
