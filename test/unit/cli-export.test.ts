/** A page that may be shared contains no secret, and no file but the session's own pictures. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  existsSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  type Attachment,
  type TranscriptEntry,
  type TranscriptHeader,
} from "../../src/transcript/format/formats.ts";
import { writeWhole } from "../../src/write-file.ts";
import { MAX_IMAGE_BYTES } from "../../src/render/html/outline.ts";
import { assistant, at, calls, result, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** In as many forms as a page could write it. */
function assertNowhere(secret: string, page: string): void {
  for (const form of [secret, secret.slice(4), encodeURIComponent(secret), Buffer.from(secret).toString("base64")]) {
    const place = page.indexOf(form);
    assert.equal(place, -1, `found: ${page.slice(Math.max(0, place - 200), place + 60)}`);
  }
}

/** The page of a session, with and without what redacts it. */
async function pagesOf(argument: string, home: string): Promise<{ page: string; raw: string }> {
  const { exitCode, stdout: page, stderr } = await runCli(["export", argument, "--html"], { home });
  assert.equal(exitCode, 0, stderr);
  const { stdout: raw } = await runCli(["export", argument, "--html", "--no-redact"], { home });
  return { page, raw };
}

describe("secrets", () => {
  test("of a session of Claude Code, its subagent and its damaged lines are not in its page", async () => {
    const home = makeTempDir();
    const secret = randomSecret();
    const line = `export GITHUB_TOKEN=${secret}`;
    const about = { sessionId: SESSION, timestamp: at(20) };
    const path = storeSession(
      home,
      [
        user(line, 0),
        assistant({ blocks: [{ type: "thinking", thinking: line, signature: "x" }] }, 1),
        calls("Bash", "toolu_1", { command: line, [secret]: line }, 2),
        result("toolu_1", `<tool_use_error>${line}</tool_use_error>`, 3, true),
        calls("Agent", "toolu_2", { description: line, prompt: line }, 4),
        result("toolu_2", line, 9),
        assistant({ blocks: [{ type: "hologram", say: line }] }, 10),
        `${JSON.stringify({ ...about, type: "ai-title", aiTitle: line })}\n`,
        `${JSON.stringify({ ...about, type: "summary", summary: line })}\n`,
        `${JSON.stringify({ ...about, type: "future", say: line })}\n`,
        `{"type":"user","message":{"content":${secret}}}\n`,
        says(`It is \`${secret}\`, or **${secret}**.`, 12),
      ].join(""),
    );
    const agent = join(path.replace(/\.jsonl$/, ""), "subagents/agent-a1b2c3.jsonl");
    mkdirSync(dirname(agent), { recursive: true });
    const below = [user(`Below: ${line}`, 5), says(line, 6)].map((text) => {
      const fields: object = JSON.parse(text);
      return `${JSON.stringify({ ...fields, isSidechain: true, agentId: "a1b2c3" })}\n`;
    });
    writeFileSync(agent, below.join(""));

    const { page, raw } = await pagesOf(SESSION, home);
    assert.ok(raw.split(secret).length > 8, "the page without redaction has it");
    assert.match(page, /Below: /);
    assert.match(page, /\[REDACTED:/);
    assertNowhere(secret, page);
  });

  test("of a transcript that was recorded without redaction, its child and its outputs are not in its page", async () => {
    const secret = randomSecret();
    const line = `export GITHUB_TOKEN=${secret}`;
    // Its last line stands in the file of its own only.
    const output = `${"fine\n".repeat(2_000)}${line}\n`;
    const { home, transcript, keep } = project();
    transcript("ses_1.md", { title: line }, [
      { type: "user", timestamp: at(0), content: line, parts: [] },
      { type: "tool_use", timestamp: at(1), tool: "bash", callID: "call_1", input: { command: line } },
      {
        type: "tool_result",
        timestamp: at(2),
        tool: "bash",
        callID: "call_1",
        input: { command: line },
        output,
        status: "completed",
      },
    ]);
    keep("ses_1/outputs/call_1.txt", output);
    transcript("ses_1/ses_2.md", { sessionID: "ses_2", parentID: "ses_1", title: `Below: ${line}` }, [
      { type: "user", timestamp: at(1), content: `Below: ${line}`, parts: [] },
    ]);
    const { page, raw } = await pagesOf("ses_1", home);
    assert.ok(raw.split(secret).length > 5, "the page without redaction has it");
    assert.match(page, /Below: /);
    assertNowhere(secret, page);
  });
});

describe("pictures", () => {
  const png = Buffer.from("89504e470d0a1a0a", "hex");
  const shown = png.toString("base64");

  function userWith(attachment: Attachment): TranscriptEntry[] {
    return [{ type: "user", timestamp: at(0), content: "Look at this", parts: [], attachments: [attachment] }];
  }

  test("saved beside a transcript are in its page", async () => {
    const { home, transcript, keep } = project();
    transcript("ses_1.md", {}, userWith({ mime: "image/png", path: "ses_1/attachments/abc.png" }));
    keep("ses_1/attachments/abc.png", png);
    assert.ok(
      (await runCli(["export", "ses_1", "--html"], { home })).stdout.includes(`src="data:image/png;base64,${shown}"`),
    );
  });

  test("that are too large, missing or elsewhere are only named", async () => {
    const { home, folder, transcript, keep } = project();
    writeFileSync(join(home, "outside.png"), png);
    keep("ses_1/attachments/large.png", Buffer.alloc(MAX_IMAGE_BYTES + 1));
    keep("ses_1/outputs/other.png", png);
    symlinkSync(join(home, "outside.png"), join(folder, "ses_1/attachments/link.png"));
    for (const path of [
      "ses_1/attachments/large.png",
      "ses_1/attachments/gone.png",
      "ses_1/attachments/link.png",
      "ses_1/outputs/other.png",
      "../../outside.png",
      join(home, "outside.png"),
    ]) {
      transcript("ses_1.md", {}, userWith({ mime: "image/png", path }));
      const { exitCode, stdout } = await runCli(["export", "ses_1", "--html"], { home });
      assert.equal(exitCode, 0);
      assert.doesNotMatch(stdout, /src="data:/, path);
      assert.match(stdout, /Image \(image\/png[^<]*not included in this page/, path);
    }
  });
});

test("--open starts the program for the file", async () => {
  const home = makeTempDir();
  storeSession(home, user("Hello", 0) + says("Hello.", 1));
  const opened = join(home, "opened");
  writeFileSync(join(home, "xdg-open"), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
  const asked = ["export", SESSION, "-o", "page.html", "--open", "--yes"];
  if (process.platform === "linux") {
    assert.equal((await runCli(asked, { home, env: { PATH: `${home}:/usr/bin:/bin` } })).exitCode, 0);
    while (!existsSync(opened) || readFileSync(opened, "utf8") === "")
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(readFileSync(opened, "utf8"), `${join(home, "page.html")}\n`);
  }
  const { exitCode, stderr } = await runCli(asked, { home, env: { PATH: join(home, "nothing") } });
  assert.deepEqual([exitCode, /could not be started; open .*page\.html yourself\n$/.test(stderr)], [0, true]);
});

describe("-o", () => {
  const session = (): { home: string; path: string } => {
    const home = makeTempDir();
    return { home, path: storeSession(home, user("Hello", 0) + says("Hello.", 1)) };
  };

  test("writes a page that only its owner can read, and keeps the mode of an existing one", async () => {
    const { home } = session();
    assert.equal((await runCli(["export", SESSION, "-o", "page.html"], { home })).exitCode, 0);
    assert.equal(statSync(join(home, "page.html")).mode & 0o777, 0o600);
    chmodSync(join(home, "page.html"), 0o640);
    const again = ["export", SESSION, "-o", "page.html"];
    assert.match((await runCli(again, { home })).stderr, /page\.html exists and will be replaced\..* add --yes/);
    const declined = await runCli(again, { home, terminal: 80, stdin: "no\n" });
    assert.deepEqual([declined.exitCode, declined.stderr.endsWith("nothing was written\n")], [1, true]);
    assert.equal((await runCli([...again, "--yes"], { home })).exitCode, 0);
    assert.equal(statSync(join(home, "page.html")).mode & 0o777, 0o640);
  });

  test("never replaces a pipe, device, folder, dead link or the session itself", async () => {
    const { home, path } = session();
    const before = readFileSync(path, "utf8");
    const at = (name: string): string => join(home, name);
    execFileSync("sh", ["-c", `mkfifo "$0"`, at("pipe")]);
    mkdirSync(at("folder"));
    symlinkSync(at("nowhere"), at("link"));
    symlinkSync(at("pipe"), at("link-to-pipe"));
    symlinkSync(path, at("link-to-session"));
    for (const output of ["pipe", "link-to-pipe", "/dev/null", "folder", "link", path, "link-to-session"]) {
      const { exitCode, stderr } = await runCli(["export", SESSION, "--html", "-o", output], { home });
      assert.equal(exitCode, 2, output);
      assert.match(stderr, /(?:is not a regular file|is the session itself).* Name another file\.\n$/, output);
    }
    assert.ok(lstatSync(at("pipe")).isFIFO() && lstatSync("/dev/null").isCharacterDevice());
    assert.ok(lstatSync(at("link")).isSymbolicLink());
    assert.equal(readFileSync(path, "utf8"), before);
  });
});

interface Project {
  home: string;
  /** Its transcripts. */
  folder: string;
  transcript: (path: string, header: Partial<TranscriptHeader>, entries: readonly TranscriptEntry[]) => void;
  keep: (path: string, content: string | Uint8Array) => void;
}

function project(): Project {
  const home = makeTempDir();
  mkdirSync(join(home, ".git"));
  const folder = join(home, ".openfleet/transcripts");
  const keep: Project["keep"] = (path, content) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const transcript: Project["transcript"] = (path, header, entries) => {
    // The output's path is for entries with a long one only.
    const options = { filePath: path, outputPath: "ses_1/outputs/call_1.txt" };
    const head = encodeMarkdownHeader({ version: 1, sessionID: "ses_1", ...header }, options);
    keep(path, head + entries.map((entry) => encodeMarkdownEntry(entry, options)).join(""));
  };
  return { home, folder, transcript, keep };
}

test("a file on a full disk is named, and leaves nothing behind", async () => {
  const folder = makeTempDir();
  const path = join(folder, "page.html");
  const handle = await open(join(folder, "other"), "w");
  const files = Object.getPrototypeOf(handle);
  await handle.close();
  const { writeFile } = files;
  files.writeFile = async (): Promise<never> => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  };
  try {
    await assert.rejects(
      writeWhole(path, (write) => write("text")),
      /page\.html cannot be written: no space is left on the device\. Free some space, or name another file\.$/,
    );
  } finally {
    files.writeFile = writeFile;
  }
  assert.deepEqual(readdirSync(folder), ["other"]);
});
