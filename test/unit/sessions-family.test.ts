import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import { sessionFamily, type SessionNode } from "../../src/sessions/session-family.ts";
import { nodeSessionFiles } from "../../src/places/session-files.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { filesWith, Machine, systemError, writeFakeStore } from "./sessions-machine.ts";

afterAll(removeTempDirs);

/** `a(b c(d))`: the ids in a tree. */
function shape({ ref, children }: SessionNode): string {
  return children.length === 0 ? ref.id : `${ref.id}(${children.map(shape).join(" ")})`;
}

async function familyOf(machine: Machine, text: string): Promise<string> {
  return shape((await sessionFamily(await resolveSession(text, machine.where), machine.where)).root);
}

describe("Claude Code", () => {
  test("subagents of both layouts, oldest first, of this session alone", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/main-1.jsonl", 9);
    machine.claudeFile("-p/main-1/subagents/agent-b.jsonl", 3, { sessionId: "main-1" });
    machine.claudeFile("-p/main-1/subagents/agent-acompact-1.jsonl", 4, { sessionId: "main-1" });
    machine.claudeFile("-p/agent-old.jsonl", 1, { sessionId: "main-1", agentId: "old", isSidechain: true });
    machine.claudeFile("-p/agent-other.jsonl", 2, { sessionId: "main-2", agentId: "other", isSidechain: true });
    machine.claudeFile("-p/main-2.jsonl", 2);
    machine.claudeFile("-p/main-2/subagents/agent-c.jsonl", 2);
    assert.equal(await familyOf(machine, "main-1"), "main-1(agent-old agent-b agent-acompact-1)");
    assert.equal(await familyOf(machine, "main-2"), "main-2(agent-c agent-other)");
    assert.equal(await familyOf(machine, "agent-b"), "agent-b");
  });

  test("a subagent with a folder of its own has children", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/main.jsonl");
    const agent = machine.claudeFile("-p/main/subagents/agent-a.jsonl", 1);
    machine.claudeFile("-p/main/subagents/agent-a/subagents/agent-b.jsonl", 2);
    assert.equal(await familyOf(machine, "main"), "main(agent-a(agent-b))");
    assert.equal(await familyOf(machine, agent), "agent-a(agent-b)");
  });

  test("a copied folder, named by its path", async () => {
    const machine = new Machine();
    const folder = makeTempDir();
    const path = machine.write(join(folder, "x/s.jsonl"), '{"type":"user","sessionId":"s","cwd":"/w"}\n');
    machine.write(join(folder, "x/s/subagents/agent-a.jsonl"), "");
    assert.equal(await familyOf(machine, path), "s(agent-a)");
  });

  test("a session deeper in folders than a search goes, named by its path", async () => {
    const machine = new Machine();
    const path = machine.claudeFile("a/b/c/d/e/f/g/main.jsonl");
    machine.claudeFile("a/b/c/d/e/f/g/main/subagents/agent-a.jsonl", 1);
    assert.equal(await familyOf(machine, path), "main(agent-a)");
  });

  test("no other project is listed", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/main.jsonl");
    machine.claudeFile("-p/main/subagents/agent-a.jsonl", 1);
    machine.claudeFile("-q/other.jsonl");
    const listed: string[] = [];
    const files = filesWith({
      list: (folder) => {
        listed.push(folder);
        return nodeSessionFiles.list(folder);
      },
    });
    const main = await resolveSession("main", machine.where);
    const { root } = await sessionFamily(main, machine.where, files);
    assert.equal(root.children[0]?.ref.projectLabel, "-p");
    assert.deepEqual(
      listed.filter((folder) => folder.endsWith("-q") || folder.endsWith("projects")),
      [],
    );
  });

  test("a subagent that cannot be read is named", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/main.jsonl");
    const path = machine.claudeFile("-p/agent-x.jsonl");
    machine.claudeFile("-p/agent-y.jsonl");
    const files = filesWith({
      openRead: async (at) => {
        if (at.endsWith("agent-x.jsonl")) throw systemError("EACCES");
        if (at.endsWith("agent-y.jsonl")) throw systemError("ENOENT");
        return nodeSessionFiles.openRead(at);
      },
    });
    const main = await resolveSession("main", machine.where);
    const { root, unreadable } = await sessionFamily(main, machine.where, files);
    assert.deepEqual([shape(root), unreadable], ["main", [{ path, reason: "permission denied" }]]);
  });
});

describe("opencode", () => {
  test("transcripts and the store together, at any depth", async () => {
    const machine = new Machine();
    machine.transcript("ses_1.md", "ses_1");
    machine.transcript("ses_1/ses_2.md", "ses_2", { parentID: "ses_1", minute: 2 });
    machine.transcript("ses_2/ses_3.jsonl", "ses_3", { parentID: "ses_2", minute: 3 });
    await writeFakeStore(machine.database, [
      { id: "ses_1" },
      { id: "ses_2", parent: "ses_1" },
      { id: "ses_4", parent: "ses_1", minute: 1 },
      { id: "ses_5", parent: "ses_3" },
    ]);
    assert.equal(await familyOf(machine, "ses_1"), "ses_1(ses_2(ses_3(ses_5)) ses_4)");
    assert.equal(await familyOf(machine, "ses_3"), "ses_3(ses_5)");
  });

  test("a transcript of another project, by its path", async () => {
    const machine = new Machine();
    const other = new Machine();
    const path = other.transcript("ses_1.md", "ses_1");
    other.transcript("ses_1/ses_2.md", "ses_2", { parentID: "ses_1" });
    assert.equal(dirname(path), other.transcripts);
    assert.equal(await familyOf(machine, path), "ses_1(ses_2)");
  });

  test("parents in a circle", async () => {
    const machine = new Machine();
    await writeFakeStore(machine.database, [
      { id: "ses_1", parent: "ses_3" },
      { id: "ses_2", parent: "ses_1" },
      { id: "ses_3", parent: "ses_2" },
      { id: "ses_4", parent: "ses_4" },
    ]);
    assert.equal(await familyOf(machine, "ses_1"), "ses_1(ses_2(ses_3))");
    assert.equal(await familyOf(machine, "ses_4"), "ses_4");
  });
});

test("any other file stands alone", async () => {
  const machine = new Machine();
  const ref = await fileRef(machine.write(join(machine.project, "x.json"), "{}"));
  assert.deepEqual(await sessionFamily(ref, machine.where), { root: { ref, children: [] }, unreadable: [] });
});
