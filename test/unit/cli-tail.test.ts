import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
} from "../../src/transcript/format/formats.ts";
import { at, sampleSession, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { rowsOf } from "../support/cli/json-output.ts";
import { type CliRun, interrupt, runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** A `tail -f` in progress. */
class Following {
  readonly #stop = new AbortController();
  readonly #run: Promise<CliRun>;
  #seen = "";
  #noted = "";

  constructor(home: string, ...argv: string[]) {
    this.#run = runCli(["tail", "-f", ...argv], {
      home,
      signal: this.#stop.signal,
      onOutput: (text) => (this.#seen += text),
      onNote: (text) => (this.#noted += text),
    });
  }

  hasShown(text: string): boolean {
    return this.#seen.includes(text);
  }

  /** Waits until the text was printed; hangs, and so fails, if it never is. */
  async shows(text: string): Promise<void> {
    while (!this.hasShown(text)) await sleep(10);
  }

  /** Waits for a note. */
  async notes(text: string, count = 1): Promise<void> {
    while (times(this.#noted, text) < count) await sleep(10);
  }

  async end(): Promise<CliRun> {
    interrupt(this.#stop);
    return this.#run;
  }
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe("transcripts tail", () => {
  test("the last messages", async () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const { stdout, exitCode } = await runCli(["tail", "-n", "2"], { home });
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^Assistant [^]*\(thinking, withheld by the provider\)\n\nAssistant [^]*> Bash {2}node sum\.mjs\n\n$/,
    );
    const rows = rowsOf("tail", (await runCli(["tail", SESSION, "-n", "3", "--json"], { home })).stdout);
    assert.deepEqual(
      rows.map(({ line_number }) => line_number),
      [8, 9, 10],
    );
  });

  test("additions are printed as they arrive, a torn line once it is complete", async () => {
    const home = makeTempDir();
    const path = storeSession(home, user("one", 0));
    const following = new Following(home, SESSION);
    await following.shows("one");
    const next = says("two", 1);
    appendFileSync(path, next.slice(0, 40));
    await sleep(300);
    appendFileSync(path, next.slice(40));
    await following.shows("two");
    const { stdout, exitCode, stderr } = await following.end();
    assert.equal(exitCode, 130);
    assert.equal(times(stdout, "one"), 1);
    assert.equal(stderr, "");
  });

  test("a file that is replaced, cut, and removed: it says so and begins again", async () => {
    const home = makeTempDir();
    const path = storeSession(home, user("one", 0) + says("two", 1));
    const following = new Following(home, path);
    await following.shows("two");
    writeFileSync(`${path}.new`, user("one", 0) + says("two", 1) + says("three", 2));
    renameSync(`${path}.new`, path);
    await following.shows("three");
    writeFileSync(path, says("four", 3));
    await following.shows("four");
    rmSync(path);
    await following.notes("beginning again", 3);
    writeFileSync(path, says("six", 5));
    await following.shows("six");
    const { stdout, stderr } = await following.end();
    for (const word of ["three", "four", "six"]) assert.equal(times(stdout, word), 1, word);
    assert.equal(stderr, `${path} was replaced or cut; beginning again\n`.repeat(3));
  });

  test("-n 0 begins with new entries", async () => {
    const home = makeTempDir();
    const path = storeSession(home, user("old", 0));
    const following = new Following(home, path, "-n", "0");
    // What is there when it starts is not new, so it may take some.
    while (!following.hasShown("new")) {
      appendFileSync(path, says("new", 1));
      await sleep(50);
    }
    assert.doesNotMatch((await following.end()).stdout, /old/);
  });

  for (const format of ["markdown", "jsonl"] as const) {
    test(`a ${format} transcript: each entry at once`, async () => {
      const home = makeTempDir();
      const folder = join(home, ".openfleet/transcripts");
      mkdirSync(folder, { recursive: true });
      const path = join(folder, format === "markdown" ? "ses_1.md" : "ses_1.jsonl");
      const options = { filePath: "ses_1.md", maxInlineChars: 5_000 };
      const [header, entry] =
        format === "markdown" ? [encodeMarkdownHeader, encodeMarkdownEntry] : [encodeJsonlHeader, encodeJsonlEntry];
      writeFileSync(path, header({ version: 1, sessionID: "ses_1" }, options));
      const following = new Following(home, path);
      appendFileSync(path, entry({ type: "user", timestamp: at(0), content: "List it", parts: [] }, options));
      await following.shows("List it");
      appendFileSync(
        path,
        entry({ type: "tool_use", timestamp: at(1), tool: "bash", callID: "c", input: { command: "ls" } }, options),
      );
      await following.shows("> bash  ls");
      appendFileSync(
        path,
        entry(
          { type: "tool_result", timestamp: at(2), tool: "bash", callID: "c", input: {}, output: "a.txt" },
          options,
        ),
      );
      await following.shows("  < a.txt");
      assert.equal((await following.end()).exitCode, 130);
    });
  }

  test("a missing session is an error", async () => {
    assert.equal((await runCli(["tail", "./gone.jsonl"], { home: makeTempDir() })).exitCode, 2);
  });
});
