import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  call,
  completed,
  event,
  failed,
  hook,
  message,
  part,
  PENDING,
  running,
  session,
  userText,
  wholeText,
} from "../support/recording/host-steps.ts";
import { filesIn, readSound, readTranscript, Recording, transcriptsIn } from "../support/recording/recording.ts";
import { messageRecords2 } from "../../src/agents/opencode/opencode-2-message.ts";
import type { FileSystem } from "../../src/transcript/files/file-system.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { FakeHost } from "../support/recording/fake-host.ts";
import { PluginHost } from "../support/recording/plugin-host.ts";
import { eventually } from "../support/recording/eventually.ts";
import { newSession, sampleConversation, stepsOf, toldBy } from "../support/recording/sample.ts";
import { noProgram, onWindows } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const data = (): string => join(makeTempDir(), ".openfleet");

describe("the files of a recorded session", () => {
  test("both formats contain the same entries, each once, after one header", async () => {
    const folder = data();
    const recording = new Recording(folder, { format: "both" }).does(...newSession("ses_1", 3));
    await recording.end();
    assert.deepEqual(transcriptsIn(folder), ["ses_1.jsonl", "ses_1.md"]);
    const markdown = await readSound(folder, "ses_1.md");
    const jsonl = await readSound(folder, "ses_1.jsonl");
    assert.deepEqual(markdown.entries, jsonl.entries);
    assert.deepEqual(markdown.told, toldBy(sampleConversation("ses_1", 3)));
    assert.deepEqual(markdown.headers, jsonl.headers);
    const [header] = markdown.headers;
    assert.equal(header?.sessionID, "ses_1");
    assert.equal(header?.host, "opencode 1.18.33");
    assert.equal(header?.directory, "/project");
    assert.equal(header?.created, "2023-11-14T22:13:20.000Z");
    assert.equal(header?.parentID, undefined);
  });

  test("entries reach the disk without a flush and without another event", async () => {
    const folder = data();
    const place = { sessionID: "ses_1", messageID: "msg_2", id: "prt_2" };
    const prompt = { message: { id: "msg_1" }, parts: [{ id: "prt_1", type: "text", text: "Go." }] };
    const recording = new Recording(folder).does(
      session("created", "ses_1"),
      hook("chat.message", { sessionID: "ses_1" }, prompt),
    );
    const told = async (): Promise<number> =>
      existsSync(join(folder, "transcripts/ses_1.md")) ? (await readTranscript(folder, "ses_1.md")).told.length : 0;
    await eventually(async () => (await told()) === 1);
    recording.does(message("ses_1", "msg_2", "assistant"), wholeText(place, "Done."));
    await eventually(async () => (await told()) === 2);
    assert.deepEqual(recording.failures, []);
  });

  test("parts of unknown types are named, each once, live and as stored", async () => {
    const folder = data();
    const of = { sessionID: "ses_1", messageID: "msg_2" };
    const recording = new Recording(folder).does(
      ...newSession("ses_1", 0),
      message("ses_1", "msg_2", "assistant"),
      part({ ...of, id: "prt_2" }, "diagram", { lines: [] }),
      part({ ...of, id: "prt_2" }, "diagram", { lines: [1] }),
      part({ ...of, id: "prt_3" }, "diagram", { lines: [2] }),
    );
    await recording.end();
    const { entries } = await readSound(folder, "ses_1.md");
    const named = entries.flatMap((entry) => (entry.type === "session_event" ? [`${entry.name}: ${entry.text}`] : []));
    const other = "other content: A part that this version cannot record: diagram";
    assert.deepEqual(
      named.filter((each) => each.startsWith("other")),
      [other, other],
    );
    const stored = {
      type: "assistant",
      content: [{ type: "diagram" }, { type: "text", text: "So." }, { type: "diagram" }],
    };
    const records = messageRecords2(of, stored).flatMap((record) =>
      record.kind === "part_event" ? [`${record.partID} ${record.name}`] : [],
    );
    assert.deepEqual(records, ["msg_2/part-000 other content", "msg_2/part-002 other content"]);
  });

  test("two plugin instances with different options record each session event once", async () => {
    const folder = data();
    const both = [new Recording(folder, { format: "markdown" }), new Recording(folder, { format: "both" })];
    const of = { sessionID: "ses_1" };
    const steps = [
      ...newSession("ses_1", 1),
      event("permission.asked", { ...of, id: "per_1", permission: "bash", patterns: [] }),
      event("session.error", { ...of, error: { name: "UnknownError", data: { message: "broken" } } }),
      session("updated", "ses_1", { title: "Renamed" }),
      session("updated", "ses_1", { title: "Renamed", revert: { messageID: "msg_1" } }),
      event("message.removed", { ...of, messageID: "msg_1" }),
    ];
    for (const step of steps) for (const recording of both) recording.does(step);
    for (const recording of both) await recording.end();
    for (const path of ["ses_1.md", "ses_1.jsonl"]) {
      const { entries } = await readSound(folder, path);
      const events = entries.flatMap((entry) => (entry.type === "session_event" && entry.eventID ? [entry.name] : []));
      assert.deepEqual(events.toSorted(), ["error", "permission asked", "removed", "revert", "title"]);
    }
  });

  test("two recorders that take turns in one file keep each entry with its own message and call", async () => {
    const folder = data();
    const both = [1, 2].map(() => new Recording(folder, { format: "markdown" }).does(session("created", "ses_1")));
    const place = (n: number, part: number) => ({ sessionID: "ses_1", messageID: `msg_${n}`, id: `prt_${n}${part}` });
    for (let step = 0; step < 3; step++) {
      for (const [at, recording] of both.entries()) {
        const n = at + 1;
        const task = { ...place(n, step + 4), callID: "call_0", tool: "bash" };
        recording.does(message("ses_1", `msg_${n}`, "assistant"), wholeText(place(n, step), `${n}${step}`));
        recording.does(call(task, running({ n, step })));
        await recording.recorder.flush(5_000);
      }
      for (const [at, recording] of both.entries()) {
        const task = { ...place(at + 1, step + 4), callID: "call_0", tool: "bash" };
        recording.does(call(task, completed({ n: at + 1, step }, `out ${at + 1}`)));
        await recording.recorder.flush(5_000);
      }
    }
    for (const recording of both) await recording.end();
    const { entries } = await readSound(folder, "ses_1.md");
    assert.equal(entries.length, 18);
    for (const entry of entries) {
      if ("partID" in entry) assert.equal(entry.partID?.slice(4, 5), entry.messageID?.slice(4));
      if (entry.type === "assistant") assert.equal(`msg_${entry.content.slice(0, 1)}`, entry.messageID);
      if (entry.type === "tool_result") assert.equal(`out ${entry.messageID?.slice(4)}`, entry.output);
    }
  });

  test("a subagent that wrote nothing has a transcript where its parent's link leads", async () => {
    const folder = data();
    const task = { sessionID: "ses_1", messageID: "msg_9", id: "prt_9", callID: "c", tool: "task" };
    await new Recording(folder, { format: "both" })
      .does(
        ...newSession("ses_1", 1),
        session("created", "ses_2", { parentID: "ses_1" }),
        message("ses_1", "msg_9", "assistant"),
        call(task, running({ prompt: "x" }, { sessionId: "ses_2" })),
        call(task, failed({ prompt: "x" }, "no such model", { sessionId: "ses_2" })),
      )
      .end();
    assert.deepEqual(transcriptsIn(folder), ["ses_1.jsonl", "ses_1.md", "ses_1/ses_2.jsonl", "ses_1/ses_2.md"]);
    const { headers, raw } = await readSound(folder, "ses_1/ses_2.md");
    assert.equal(headers[0]?.parentID, "ses_1");
    assert.deepEqual(raw, []);
  });

  describe("a link to a subagent", () => {
    const task = { sessionID: "ses_fork", messageID: "msg_9", id: "prt_9", callID: "c", tool: "task" };
    const copied = [
      message("ses_fork", "msg_9", "assistant"),
      call(task, completed({ prompt: "x" }, "done", { metadata: { sessionId: "ses_2" } })),
    ];
    const linksIn = async (folder: string, path: string): Promise<unknown[]> =>
      (await readSound(folder, path)).entries.flatMap((entry) =>
        "subagent" in entry && entry.subagent ? [entry.subagent] : [],
      );

    test("is in the call's entry although the subagent has not said anything yet", async () => {
      const folder = data();
      await new Recording(folder)
        .does(
          ...newSession("ses_fork"),
          message("ses_fork", "msg_9", "assistant"),
          session("created", "ses_2", { parentID: "ses_fork" }),
          session("updated", "ses_2", { parentID: "ses_fork" }),
          call(task, running({ prompt: "x" }, { sessionId: "ses_2" })),
        )
        .end();
      const link = { sessionID: "ses_2", path: "ses_fork/ses_2.md" };
      assert.deepEqual(await linksIn(folder, "ses_fork.md"), [link, link]);
    });

    test("leads to its real place from the copied call of a fork", async () => {
      const folder = data();
      await new Recording(folder).does(...newSession("ses_1"), ...newSession("ses_2", 1, { parentID: "ses_1" })).end();
      const queries = new FakeHost().has("ses_2", [], { parentID: "ses_1" });
      await new Recording(folder, { queries }).does(...newSession("ses_fork"), ...copied).end();
      const link = { sessionID: "ses_2", path: "ses_1/ses_2.md" };
      assert.deepEqual(await linksIn(folder, "ses_fork.md"), [link, link]);
    });

    test("is left out if the subagent was never recorded, or the host does not say where it belongs", async () => {
      for (const queries of [new FakeHost().has("ses_2", [], { parentID: "ses_1" }), new FakeHost()]) {
        const folder = data();
        await new Recording(folder, { queries }).does(...newSession("ses_fork"), ...copied).end();
        assert.deepEqual(await linksIn(folder, "ses_fork.md"), [{ sessionID: "ses_2" }, { sessionID: "ses_2" }]);
      }
    });

    test("to a subagent that the host does not report does not delay what follows", async () => {
      const folder = data();
      const silent = new FakeHost();
      silent.beforeAnswer = () => new Promise(() => undefined);
      const recording = new Recording(folder, { queries: silent }).does(...newSession("ses_fork"), ...copied);
      const began = performance.now();
      await recording.recorder.flush(60_000, "ses_fork");
      assert.ok(performance.now() - began < 20_000, "a query to the host may take 30 s");
      assert.deepEqual(await linksIn(folder, "ses_fork.md"), [{ sessionID: "ses_2" }, { sessionID: "ses_2" }]);
    });

    test("is written after the subagent's file, so that a kill in between leaves no dead link", async () => {
      const folder = data();
      const child = join(folder, "transcripts/ses_fork/ses_2.md");
      let links = 0;
      const fs: FileSystem = {
        ...nodeFileSystem,
        openAppend: async (path) => {
          const handle = await nodeFileSystem.openAppend(path);
          const write = async (bytes: Uint8Array): ReturnType<typeof handle.write> => {
            if (Buffer.from(bytes).includes("ses_fork/ses_2.md")) {
              links += 1;
              assert.ok(existsSync(child) && statSync(child).size > 0, "the link leads to a file");
            }
            return handle.write(bytes);
          };
          return {
            write,
            read: (at, length) => handle.read(at, length),
            stat: () => handle.stat(),
            truncate: (size) => handle.truncate(size),
            close: () => handle.close(),
          };
        },
      };
      await new Recording(folder, { fs })
        .does(
          ...newSession("ses_fork"),
          message("ses_fork", "msg_9", "assistant"),
          session("created", "ses_2", { parentID: "ses_fork" }),
          call(task, running({ prompt: "x" }, { sessionId: "ses_2" })),
        )
        .end();
      assert.ok(links > 0);
    });
  });

  test("only the formats that are wanted are written", async () => {
    for (const [format, names] of [
      ["markdown", ["ses_1.md"]],
      ["jsonl", ["ses_1.jsonl"]],
    ] as const) {
      const folder = data();
      await new Recording(folder, { format }).does(...newSession("ses_1")).end();
      assert.deepEqual(transcriptsIn(folder), names);
    }
  });

  test("an input stored with its call is read with its result too", async () => {
    const folder = data();
    await new Recording(folder).does(...newSession("ses_1")).end();
    const text = readFileSync(join(folder, "transcripts/ses_1.md"), "utf8");
    assert.equal(text.split("echo ses_1 0000").length, 2, "the input stands once in the file");
    const { entries } = await readSound(folder, "ses_1.md");
    const result = entries.find(({ type }) => type === "tool_result");
    assert.deepEqual(result?.type === "tool_result" && result.input, { command: "echo ses_1 0000" });
  });

  test.skipIf(onWindows)("files are for their owner only, and so are folders", async () => {
    const folder = data();
    const image = { id: "prt_1", type: "file", mime: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" };
    const steps = [...newSession("ses_1"), message("ses_1", "msg_9", "user"), ...fileSteps("ses_1", "msg_9", image)];
    await new Recording(folder, { format: "both", maxInlineChars: 1 })
      .does(...steps)
      .does(...newSession("ses_2", 1, { parentID: "ses_1" }))
      .end();
    const files = filesIn(folder).filter((name) => !name.endsWith(".lock"));
    assert.ok(files.some((name) => name.includes("/outputs/")) && files.some((name) => name.includes("/attachments/")));
    for (const name of files) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    for (const name of [
      "",
      "transcripts",
      "transcripts/ses_1",
      "transcripts/ses_1/outputs",
      "transcripts/ses_1/attachments",
      "sessions",
    ]) {
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o700, name);
    }
  });

  test("nothing is written before there is an entry", async () => {
    const folder = data();
    const recording = new Recording(folder).does(
      session("created", "ses_1"),
      session("updated", "ses_2"),
      message("ses_1", "msg_1", "user"),
    );
    await recording.end();
    assert.equal(existsSync(folder), false);
  });

  test("deleting a session creates no file; a recorded session notes it", async () => {
    const folder = data();
    const recording = new Recording(folder).does(session("deleted", "ses_other"));
    await recording.end();
    assert.equal(existsSync(folder), false);
    await recording.does(...newSession("ses_1"), session("deleted", "ses_1")).end();
    await new Recording(folder).does(session("deleted", "ses_1"), session("deleted", "ses_2")).end();
    assert.deepEqual(transcriptsIn(folder), ["ses_1.md"]);
    const { entries } = await readSound(folder, "ses_1.md");
    assert.equal(entries.filter((entry) => entry.type === "session_event" && entry.name === "deleted").length, 2);
  });

  test("templates are laid with the first entry, and a user's own file stays", async () => {
    const folder = data();
    mkdirSync(join(folder, "transcripts"), { recursive: true });
    writeFileSync(join(folder, "transcripts/README.md"), "mine");
    await new Recording(folder).does(...newSession("ses_1")).end();
    assert.equal(readFileSync(join(folder, "transcripts/README.md"), "utf8"), "mine");
    assert.deepEqual(rulesIn(folder, "transcripts"), ["*"]);
    assert.deepEqual(rulesIn(folder, "sessions"), ["*"]);
  });

  test.skipIf(noProgram("git"))("git clean, git stash and git add leave transcripts alone", async () => {
    const project = makeTempDir();
    const folder = join(project, ".openfleet");
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: project, encoding: "utf8" });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
    await new Recording(folder).does(...newSession("ses_1")).end();
    writeFileSync(join(folder, "sessions/saved.md"), "saved");
    const before = filesIn(folder);
    for (const command of [
      ["clean", "-fdq"],
      ["stash", "-uq"],
      ["add", "-A"],
    ]) {
      git(...command);
      assert.deepEqual(filesIn(folder), before, command.join(" "));
    }
    assert.equal(git("status", "--porcelain"), "");
  });

  test("a removed .gitignore is restored with the next file", async () => {
    const folder = data();
    const remove = (): void => {
      for (const name of ["transcripts", "sessions"]) rmSync(join(folder, name, ".gitignore"), { force: true });
    };
    const isBack = (): boolean =>
      existsSync(join(folder, "transcripts/.gitignore")) && existsSync(join(folder, "sessions/.gitignore"));
    const recording = new Recording(folder, { maxInlineChars: 1_000 }).does(...newSession("ses_1"));
    await recording.end();

    remove();
    await recording.does(...newSession("ses_2")).end();
    assert.ok(isBack(), "with another session");

    remove();
    const of = { sessionID: "ses_1", messageID: "msg_9", id: "prt_9", callID: "c", tool: "bash" };
    const end = completed({ command: "x" }, "x".repeat(2_000));
    await recording
      .does(message("ses_1", "msg_9", "assistant"), call(of, running({ command: "x" })), call(of, end))
      .end();
    assert.ok(existsSync(join(folder, "transcripts/ses_1/outputs/c.txt")) && isBack(), "with an output");

    rmSync(join(folder, "transcripts"), { recursive: true });
    remove();
    await recording
      .does(
        message("ses_2", "msg_8", "user"),
        userText({ sessionID: "ses_2", messageID: "msg_8", id: "prt_8" }, "More"),
      )
      .end();
    await eventually(async () => isBack());
    assert.deepEqual(transcriptsIn(folder), ["ses_2.md"], "with a transcript that is begun again");
  });

  test("a flush ends only once the .gitignore was looked for, though the disk is slow", async () => {
    let waiting = 0;
    const fs: FileSystem = {
      ...nodeFileSystem,
      stat: async (path) => {
        if (!path.endsWith(".gitignore")) return nodeFileSystem.stat(path);
        waiting += 1;
        await pause(100);
        waiting -= 1;
        return nodeFileSystem.stat(path);
      },
    };
    await new Recording(data(), { fs }).does(...newSession("ses_1")).end();
    assert.equal(waiting, 0);
  });

  test("a removed .gitignore is restored when the plugin starts; an empty folder stays empty", async () => {
    const project = makeTempDir();
    const folder = join(project, ".openfleet");
    await new Recording(folder).does(...newSession("ses_1")).end();
    rmSync(join(folder, "transcripts/.gitignore"));
    const { hooks } = new PluginHost(project, {});
    await eventually(async () => existsSync(join(folder, "transcripts/.gitignore")));
    await hooks.dispose?.();

    const other = makeTempDir();
    const { hooks: others } = new PluginHost(other, {});
    await others.dispose?.();
    assert.equal(existsSync(join(other, ".openfleet")), false);
  });

  test("a file of the user in the place of a template is not replaced", async () => {
    const folder = data();
    mkdirSync(join(folder, "transcripts"), { recursive: true });
    writeFileSync(join(folder, "transcripts/.gitignore"), "*\n!notes.md\n");
    await new Recording(folder).does(...newSession("ses_1")).end();
    assert.deepEqual(rulesIn(folder, "transcripts"), ["*", "!notes.md"]);
  });

  test("secrets are redacted in entries, output files, attachments and the header", async () => {
    const folder = data();
    const secret = `ghp_${"aB3dE5gH".repeat(5).slice(0, 36)}`;
    const of = { sessionID: "ses_1", messageID: "msg_2", id: "prt_3", callID: "c", tool: "bash" };
    const note = {
      id: "prt_2",
      type: "file",
      mime: "text/plain",
      filename: "note.txt",
      url: `data:text/plain,token%20${secret}`,
    };
    const recording = new Recording(folder, { format: "both", redact: true, maxInlineChars: 10 }).does(
      session("created", "ses_1", { title: `About ${secret}` }),
      message("ses_1", "msg_1", "user"),
      userText({ sessionID: "ses_1", messageID: "msg_1", id: "prt_1" }, `Use ${secret}`),
      ...fileSteps("ses_1", "msg_1", note),
      message("ses_1", "msg_2", "assistant"),
      call(of, PENDING),
      call(of, running({ command: `echo ${secret}` })),
      call(of, completed({ command: `echo ${secret}` }, `It says ${secret} and more`)),
      wholeText({ ...of, id: "prt_4" }, `I saw ${secret}.`),
    );
    await recording.end();
    const files = filesIn(folder).filter((name) => !name.endsWith(".lock"));
    assert.ok(files.some((name) => name.includes("/outputs/")) && files.some((name) => name.includes("/attachments/")));
    for (const name of files) assert.ok(!readFileSync(join(folder, name), "utf8").includes(secret), name);
    const { told } = await readSound(folder, "ses_1.jsonl");
    assert.equal(told.filter((line) => line.includes("[REDACTED:")).length, 4);
  });
});

describe("the file of a subagent's session", () => {
  test("is in its parent's folder, at any depth, and the two link to each other", async () => {
    const folder = data();
    const task = { sessionID: "ses_1", messageID: "msg_t", id: "prt_t", callID: "call_task", tool: "task" };
    const nested = { ...task, sessionID: "ses_2" };
    const recording = new Recording(folder, { format: "both" }).does(
      ...newSession("ses_1"),
      message("ses_1", "msg_t", "assistant"),
      call(task, running({ prompt: "p" }, { sessionId: "ses_2" })),
      ...newSession("ses_2", 1, { parentID: "ses_1" }),
      message("ses_2", "msg_t", "assistant"),
      call(nested, running({ prompt: "p" }, { sessionId: "ses_3" })),
      ...newSession("ses_3", 1, { parentID: "ses_2" }),
      call(nested, completed({ prompt: "p" }, "done", { metadata: { sessionId: "ses_3" } })),
      call(task, completed({ prompt: "p" }, "done", { metadata: { sessionId: "ses_2" } })),
    );
    await recording.end();
    assert.deepEqual(transcriptsIn(folder), [
      "ses_1.jsonl",
      "ses_1.md",
      "ses_1/ses_2.jsonl",
      "ses_1/ses_2.md",
      "ses_2/ses_3.jsonl",
      "ses_2/ses_3.md",
    ]);
    const root = join(folder, "transcripts");
    for (const [parent, child, path] of [
      ["ses_1.md", "ses_2", "ses_1/ses_2.md"],
      ["ses_1/ses_2.md", "ses_3", "ses_2/ses_3.md"],
    ] as const) {
      const { entries } = await readSound(folder, parent);
      const links = entries.flatMap((entry) => ("subagent" in entry && entry.subagent ? [entry.subagent] : []));
      assert.deepEqual(
        links,
        [
          { sessionID: child, path },
          { sessionID: child, path },
        ],
        "with the call and with its result",
      );
      const linked = [...readFileSync(join(root, parent), "utf8").matchAll(/\]\(([^)]*\.md)\)/g)].map((match) =>
        resolve(root, parent, "..", match[1] ?? ""),
      );
      assert.ok(linked.includes(join(root, path)), "the link leads to the child's file");
      const { headers } = await readSound(folder, path);
      assert.equal(headers[0]?.parentPath, parent);
      const back = [...readFileSync(join(root, path), "utf8").matchAll(/\]\(([^)]*\.md)\)/g)].map((match) =>
        resolve(root, path, "..", match[1] ?? ""),
      );
      assert.ok(back.includes(join(root, parent)), "and leads back");
    }
    const jsonl = await readSound(folder, "ses_2/ses_3.jsonl");
    assert.equal(jsonl.headers[0]?.parentID, "ses_2");
  });

  test("whose parent is known only from the event before it, is right from the first entry", async () => {
    const folder = data();
    await new Recording(folder)
      .does(session("updated", "ses_2", { parentID: "ses_1" }), ...stepsOf(sampleConversation("ses_2")))
      .end();
    assert.deepEqual(transcriptsIn(folder), ["ses_1/ses_2.md"]);
  });
});

/** The lines of a folder's `.gitignore` that are rules. */
function rulesIn(folder: string, name: string): string[] {
  const lines = readFileSync(join(folder, name, ".gitignore"), "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** The host's record of a file in a user's message. */
function fileSteps(sessionID: string, messageID: string, file: { id: string }) {
  return [
    {
      kind: "event" as const,
      event: { type: "message.part.updated", properties: { part: { sessionID, messageID, ...file } } },
    },
  ];
}
