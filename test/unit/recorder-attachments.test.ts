import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bash, data, INPUT, resultsOf, withCalls } from "../support/recording/calls-recorded.ts";
import { call, completed, event, message, running, session } from "../support/recording/host-steps.ts";
import { filesIn, readSound, Recording, transcriptsIn } from "../support/recording/recording.ts";
import { newSession } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const attachmentsIn = (folder: string): string[] =>
  filesIn(join(folder, "transcripts")).filter((name) => name.includes("/attachments/"));

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("a file that comes with a result or a message", () => {
  const cases: Record<string, { url: string; mime: string; bytes?: Buffer; extension?: string }> = {
    "an image": {
      url: `data:image/png;base64,${PIXEL}`,
      mime: "image/png",
      bytes: Buffer.from(PIXEL, "base64"),
      extension: ".png",
    },
    "base64 that is percent-encoded": {
      url: "data:text/plain;base64,aGk%3D",
      mime: "text/plain",
      bytes: Buffer.from("hi"),
      extension: ".txt",
    },
    "base64 with line breaks": {
      url: "data:text/plain;base64,aGVs\nbG8=",
      mime: "text/plain",
      bytes: Buffer.from("hello"),
      extension: ".txt",
    },
    "text as it stands": {
      url: "data:text/plain,hello",
      mime: "text/plain",
      bytes: Buffer.from("hello"),
      extension: ".txt",
    },
    "text that is percent-encoded": {
      url: "data:text/html;charset=utf-8,%3Cp%3E100%25%20%C3%BC%3C/p%3E",
      mime: "text/html",
      bytes: Buffer.from("<p>100% ü</p>"),
      extension: ".html",
    },
    "text with a percent sign that encodes nothing": {
      url: "data:text/plain,100% sure %zz",
      mime: "text/plain",
      bytes: Buffer.from("100% sure %zz"),
      extension: ".txt",
    },
    "bytes that are percent-encoded": {
      url: "data:application/x-acme,%FF%00a",
      mime: "application/x-acme",
      bytes: Buffer.from([255, 0, 97]),
      extension: "",
    },
    "text in another encoding": {
      url: "data:text/plain;base64,/ABh",
      mime: "text/plain",
      bytes: Buffer.from([252, 0, 97]),
      extension: ".txt",
    },
    nothing: { url: "data:text/plain,", mime: "text/plain", bytes: Buffer.alloc(0), extension: ".txt" },
    "a scheme in capitals": {
      url: "DATA:text/plain,hello",
      mime: "text/plain",
      bytes: Buffer.from("hello"),
      extension: ".txt",
    },
    "a type that is a name of JavaScript's": {
      url: "data:,x",
      mime: "constructor",
      bytes: Buffer.from("x"),
      extension: "",
    },
    "no comma": { url: "data:image/png;base64", mime: "image/png" },
    "broken base64": { url: "data:image/png;base64,*not base64*", mime: "image/png" },
  };
  for (const [name, { url, mime, bytes, extension }] of Object.entries(cases)) {
    test(`as a data: URL: ${name}`, async () => {
      const folder = data();
      const file = { type: "file", mime, url, filename: "../../name.x" };
      const end = completed(INPUT, "done", {
        attachments: [{ id: "prt_a", sessionID: "ses_1", messageID: "msg_1", ...file }],
      });
      const inPrompt = event("message.part.updated", {
        part: { id: "prt_u", sessionID: "ses_1", messageID: "msg_0", ...file },
      });
      const steps = [message("ses_1", "msg_0", "user"), inPrompt, ...withCalls([bash("call_1"), end])];
      await new Recording(folder, { format: "both" }).does(...steps).end();
      const kept = attachmentsIn(folder);
      assert.equal(kept.length, bytes ? 1 : 0, "the same bytes are kept once");
      for (const path of ["ses_1.md", "ses_1.jsonl"]) {
        const { entries } = await readSound(folder, path);
        const attachments = entries.flatMap((entry) =>
          "attachments" in entry && entry.attachments ? entry.attachments : [],
        );
        assert.equal(attachments.length, 2);
        for (const attachment of attachments) {
          assert.deepEqual([attachment.mime, attachment.filename, attachment.url], [mime, "../../name.x", undefined]);
          assert.equal(attachment.bytes, bytes?.length);
          assert.equal(attachment.path, kept[0]);
          if (!bytes) assert.match(`${attachment.missing}`, /broken/);
        }
        const text = readFileSync(join(folder, "transcripts", path), "utf8");
        assert.ok(
          !/data:/i.test(text.replace("The host's data: URL", "")) || !bytes,
          "no data: URL stands in the transcript",
        );
        assert.ok(!text.includes(PIXEL));
      }
      if (!bytes) return;
      assert.ok(kept[0]?.startsWith("ses_1/attachments/"));
      assert.equal(kept[0]?.endsWith(`${extension}`), true);
      assert.deepEqual(readFileSync(join(folder, "transcripts", kept[0] ?? "")), bytes);
    });
  }

  test("by another address is named, not fetched", async () => {
    const folder = data();
    for (const url of ["file:///etc/hostname", "https://example.org/x.png"]) {
      const end = completed(INPUT, "done", { attachments: [{ type: "file", mime: "image/png", url }] });
      await new Recording(folder).does(...withCalls([bash("call_1", url.length), end])).end();
      const attachments = resultsOf((await readSound(folder, "ses_1.md")).entries).flatMap(
        (entry) => entry.attachments ?? [],
      );
      assert.ok(attachments.some((attachment) => attachment.url === url && attachment.path === undefined));
    }
    assert.deepEqual(attachmentsIn(folder), []);
  });
});

describe("ids that want to leave the folder", () => {
  const hostile = ["../../x", "..", "/tmp/absolute", "nul\0", "x".repeat(10_000), "a/b", "C:\\x", "\ud800", "aux"];

  test("of sessions, parents, calls and tools name files inside of it", async () => {
    const outer = makeTempDir();
    const folder = join(outer, "project", ".openfleet");
    const recording = new Recording(folder, { format: "both", maxInlineChars: 1 });
    for (const id of hostile) {
      for (const parentID of [undefined, "../../p"]) {
        const sessionID = `${id}${parentID ?? ""}`;
        const place = { sessionID, messageID: "msg_1", id: "prt_1", callID: id, tool: id };
        const attachments = [{ type: "file", mime: "../../../x/y", filename: id, url: "data:text/plain,hello" }];
        recording.does(
          session("created", sessionID, parentID === undefined ? {} : { parentID }),
          message(sessionID, "msg_1", "assistant"),
          call(place, running(INPUT)),
          call(place, completed(INPUT, "long output", { attachments })),
        );
      }
    }
    await recording.end();
    const all = filesIn(outer);
    assert.ok(
      all.every((name) => name.startsWith("project/.openfleet/")),
      all.find((name) => !name.startsWith("project/.openfleet/")),
    );
    const transcripts = transcriptsIn(folder);
    assert.equal(transcripts.length, 2 * 2 * hostile.length);
    for (const path of transcripts) {
      const { entries } = await readSound(folder, path);
      const [result] = resultsOf(entries);
      assert.equal(result?.output, "long output");
      assert.ok(hostile.includes(result?.callID ?? ""));
      assert.match(`${result?.attachments?.[0]?.path}`, /^\w+\/attachments\/\w+$/);
    }
  });

  test("an empty id names no session: its records are left out", async () => {
    const folder = data();
    const recording = new Recording(folder).does(...newSession(""), ...newSession("ses_1"));
    await recording.end();
    assert.deepEqual(transcriptsIn(folder), ["ses_1.md"]);
  });
});
