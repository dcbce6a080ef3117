/** `stats` and `list` with a store: the same as without one, and only what changed is read. */
import assert from "node:assert/strict";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { generateSessions } from "../../bench/generate-sessions.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { answer, file, text, toolResult, toolUse, usage, userText } from "../support/parse/claude-lines.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { encodeJsonlEntry, encodeJsonlHeader, type TranscriptEntry } from "../../src/transcript/format/formats.ts";
import { openFakeStore } from "./sessions-machine.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** Long ago, so that a file that is written anew has the same time. */
const OLD = new Date(Date.now() - 3_600_000);

const TOKENS = { input: 100, output: 200 };

class Machine {
  readonly home = makeTempDir();
  readonly env = { XDG_DATA_HOME: join(this.home, "data") };

  /** Writes a file with a time that is always the same. */
  write(path: string, content: string | Buffer): string {
    const place = join(this.home, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
    utimesSync(place, OLD, OLD);
    return place;
  }

  /** Blanks the middle of a file, which keeps its size and time: only the store can still say what was there. */
  blank(path: string): void {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(" ", Math.trunc(bytes.length * 0.3), Math.trunc(bytes.length * 0.7)));
    utimesSync(path, OLD, OLD);
  }

  async index(): Promise<void> {
    const { exitCode, stderr } = await runCli(["index"], this);
    assert.equal(exitCode, 0, stderr);
  }

  async run(args: readonly string[], env: Record<string, string> = this.env): Promise<string> {
    const { stdout, stderr, exitCode } = await runCli([...args, "--json"], { home: this.home, env });
    assert.equal(exitCode, 0, stderr);
    assert.doesNotMatch(stderr, /not used/);
    return stdout;
  }

  /** Without a store, and in a place where none can be made. */
  cold(args: readonly string[]): Promise<string> {
    return this.run(args, { TRANSCRIPTS_DATABASE: "/dev/null/none.db", XDG_DATA_HOME: join(this.home, "none") });
  }
}

const machine = new Machine();
const { home } = machine;
const { files } = generateSessions(join(home, ".claude"), { seed: 3, bytes: 3_000_000, sessionBytes: 150_000 });

// A fork: the beginning of a session again, under another name.
const [origin = ""] = files.toSorted((a, b) => statSync(b).size - statSync(a).size);
const FORK = "f0f0f0f0-1111-4222-8333-444444444444";
const fork = join(dirname(origin), `${FORK}.jsonl`);
const lines = readFileSync(origin, "utf8").split("\n");
writeFileSync(fork, lines.slice(0, lines.length / 2).join("\n") + "\n");
// What has no rows: a damaged line, an unknown one, and a title in two lines.
appendFileSync(
  fork,
  '{"type":"custom-title","customTitle":"In two\\nlines","sessionId":"s"}\n{broken\n{"type":"new-thing"}\n',
);
// Another agent's session, where Claude Code keeps its own.
const foreign = { type: "user", uuid: "u", sessionId: "s", message: { role: "user", parts: [{ text: "Hello" }] } };
writeFileSync(join(dirname(origin), "f1f1f1f1-1111-4222-8333-444444444444.jsonl"), `${JSON.stringify(foreign)}\n`);
for (const path of jsonlFiles()) utimesSync(path, OLD, OLD);

function jsonlFiles(): string[] {
  const folder = join(home, ".claude/projects");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
}

const QUESTIONS = [
  ["stats"],
  ...["day", "project", "model", "session"].map((by) => ["stats", "--by", by]),
  ["stats", FORK],
  ["list", "--subagents", "--empty"],
];

async function agree(): Promise<void> {
  for (const question of QUESTIONS) {
    assert.equal(await machine.run(question), await machine.cold(question), question.join(" "));
  }
}

describe("stats and list with an index", () => {
  test("give the same answers as without one", async () => {
    await machine.index();
    await agree();
  });

  test("do not read sessions that are current in the index", async () => {
    const before = readFileSync(fork);
    const expected = await Promise.all(QUESTIONS.map((question) => machine.cold(question)));
    machine.blank(fork);
    for (const [at, question] of QUESTIONS.entries())
      assert.equal(await machine.run(question), expected[at], question.join(" "));
    for (const question of QUESTIONS) assert.notEqual(await machine.cold(question), await machine.run(question));
    writeFileSync(fork, before);
    utimesSync(fork, OLD, OLD);
  });

  test("read what changed, appeared or went away since", async () => {
    const tail = lines.slice(-40, -1).join("\n");
    appendFileSync(origin, `${tail.replaceAll("msg_", "msg_x").replaceAll('"uuid":"', '"uuid":"x')}\n`);
    cpSync(origin, join(dirname(origin), `${basename(origin, ".jsonl").replace(/^.{8}/, "abcdabcd")}.jsonl`));
    const small = files.find((path) => path !== origin && dirname(path) === dirname(origin)) ?? "";
    const sessions = async (): Promise<unknown> => JSON.parse(await machine.run(["stats"])).sessions;
    await agree();
    rmSync(small, { force: true });
    // What went away is in the answers of the store until it is forgotten.
    const there = JSON.parse(await machine.cold(["stats"])).sessions;
    assert.equal(await sessions(), there + 1);
    await machine.index();
    assert.equal(await sessions(), there + 1);
    await runCli(["forget", basename(small, ".jsonl"), "--yes"], machine);
    await agree();
  });

  test("read the files if the index cannot be read, and say so", async () => {
    const broken = join(home, "broken.db");
    writeFileSync(broken, "no database".repeat(1_000));
    const run = await runCli(["stats", "--json"], { home, env: { TRANSCRIPTS_DATABASE: broken } });
    assert.match(run.stderr, /the store is kept in memory for this question: /);
    // What only the store has is missing in the sums.
    assert.deepEqual(JSON.parse(run.stdout), JSON.parse(await machine.cold(["stats"])));
  });
});

describe("figures without an index", () => {
  const [A, B] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
  const said = (id: string, word: string): string =>
    file(userText("Go"), answer(id, [text(word), toolUse(`toolu_${id}`, "Bash", { command: word })], usage(3, 4)));

  function two(): { other: Machine; a: string; b: string; bytes: () => string } {
    const other = new Machine();
    const a = other.write(`.claude/projects/-a/${A}.jsonl`, said("msg_a", "heron".repeat(40)));
    const b = other.write(`.claude/projects/-b/${B}.jsonl`, said("msg_b", "bittern".repeat(40)));
    const folder = join(other.home, "data/opencode-transcripts");
    const bytes = (): string =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("");
    return { other, a, b, bytes };
  }

  test("are stored by the first question, for all sessions whatever it filters, without any text", async () => {
    const { other, a, b, bytes } = two();
    const expected = await other.cold(["stats"]);
    // What lasts longer than a filter: the other session is not in this project.
    await runCli(["stats", "--project", join(other.home, "nowhere"), "--json"], other);
    other.blank(a);
    other.blank(b);
    assert.equal(await other.run(["stats"]), expected);
    assert.notEqual(await other.cold(["stats"]), expected);
    for (const word of ["heron".repeat(25), "bittern".repeat(25)]) assert.ok(!bytes().includes(word));
    assert.ok(bytes().includes("msg_a"));
  });

  test("have no content: find and fixes add that, and the figures stay the same", async () => {
    const { other, bytes } = two();
    for (const question of [["list"], ["stats"]]) assert.equal(await other.run(question), await other.cold(question));
    assert.equal(JSON.parse(await other.run(["doctor"])).index.sessions, 0);
    assert.ok(!bytes().includes("heronheron".repeat(12)));
    assert.match(await other.run(["find", "heronheron"]), /heron/);
    assert.ok(bytes().includes("heronheron".repeat(12)));
    assert.equal(JSON.parse(await other.run(["doctor"])).index.sessions, 2);
    const fixes = await runCli(["fixes", "some error"], other);
    assert.deepEqual(
      [fixes.exitCode, fixes.stderr],
      [1, "no such error came up before; try the line that says what failed\n"],
    );
    for (const question of [["list"], ["stats"]]) assert.equal(await other.run(question), await other.cold(question));
  });

  test("follow a session that grows or is written again, and keep the usage that it dropped", async () => {
    const { other, a } = two();
    const question = ["stats"];
    await other.run(question);
    appendFileSync(a, file(answer("msg_c", [text("more")], usage(5, 6))));
    assert.equal(await other.run(question), await other.cold(question));
    other.write(`.claude/projects/-a/${A}.jsonl`, said("msg_d", "egret"));
    const { total, messages } = JSON.parse(await other.run(question));
    assert.deepEqual([total.tokens_in, total.tokens_out, messages], [3 + 5 + 3 + 3, 4 + 6 + 4 + 4, 4]);
    await other.index();
    const after = JSON.parse(await other.run(question));
    assert.deepEqual([after.total, after.messages], [total, messages]);
  });

  test("are all that is left of a session whose file is gone, and show says so", async () => {
    const { other, a } = two();
    const question = ["stats"];
    const before = await other.run(question);
    rmSync(a);
    assert.equal(await other.run(question), before);
    assert.match(await other.run(["list"]), new RegExp(`"session_id":"${A}"`));
    for (const command of [["show"], ["timeline"], ["errors"], ["export", "--html"]]) {
      const { exitCode, stderr } = await runCli([...command, A], other);
      assert.deepEqual(
        [exitCode, /Only the totals of session .* were kept/.test(stderr)],
        [2, true],
        command.join(" ") + stderr,
      );
    }
    const { exitCode, stderr } = await runCli(["stats", A], other);
    assert.equal(exitCode, 0, stderr);
  });

  test("are forgotten with their session", async () => {
    const { other, bytes } = two();
    await other.run(["stats"]);
    assert.ok(bytes().includes("msg_a"));
    assert.equal((await runCli(["forget", A, "--yes"], other)).exitCode, 0);
    await other.run(["stats"]);
    assert.deepEqual([bytes().includes("msg_a"), bytes().includes("msg_b")], [false, true]);
  });
});

describe("figures from an index", () => {
  const ID = "11111111-1111-4111-8111-111111111111";

  test("have no secrets in ids, models, titles and prompts", async () => {
    const other = new Machine();
    const secret = randomSecret();
    const title = JSON.stringify({ type: "custom-title", customTitle: `T ${secret}`, sessionId: ID });
    const said = answer(`msg ${secret}`, [text("Yes")], usage(1, 2), { model: `model ${secret}` });
    other.write(`.claude/projects/-p/${ID}.jsonl`, file(userText(`Say ${secret}`), said, title));
    await other.index();
    for (const question of [["stats", "--by", "model"], ["list"]]) {
      const answered = await other.run(question);
      assert.equal(answered, await other.cold(question));
      assert.doesNotMatch(answered, new RegExp(RegExp.escape?.(secret) ?? secret.replaceAll(/[^\w]/g, ".")));
    }
  });

  test("cover transcripts and opencode's store too", async () => {
    const other = new Machine();
    const header = {
      format: "opencode-transcripts/jsonl",
      version: 1,
      sessionID: "ses_ours",
      created: "2026-01-01T00:00:00.000Z",
    };
    const at = (second: number): string => `2026-01-05T10:00:0${second}.000Z`;
    const entries = [
      { type: "user", timestamp: at(0), content: "ours [REDACTED:token]", parts: [] },
      { type: "tool_use", timestamp: at(1), tool: "bash", callID: "c", input: { command: "echo [REDACTED:token]" } },
      { type: "tool_result", timestamp: at(2), tool: "bash", callID: "c", input: {}, output: "[REDACTED:key]" },
      { type: "session_event", timestamp: at(3), name: "title", text: "A title" },
    ];
    const ours = other.write(
      ".openfleet/transcripts/ses_ours.jsonl",
      [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
    const part = { id: "prt_1", data: { type: "text", text: "theirs" } };
    const store = await openFakeStore(join(other.home, "data/opencode/opencode.db"), [
      { id: "ses_theirs", messages: [{ id: "msg_1", data: { role: "user" }, parts: [part] }] },
    ]);
    const ask = async (): Promise<string[]> => [await other.run(["list"]), await other.run(["stats"])];
    const asked = await ask();
    const [listed = "", summed = ""] = asked;
    assert.ok(
      listed.includes("ses_ours") && listed.includes("A title") && listed.includes('"prompt":"theirs"'),
      listed,
    );
    assert.deepEqual(JSON.parse(summed).redactions, { token: 2, key: 1 });
    await other.index();
    other.blank(ours);
    store.run("UPDATE part SET data = ?", JSON.stringify({ ...part.data, text: "changed" }));
    assert.deepEqual(await ask(), asked);

    store.run("UPDATE message SET time_updated = time_updated + 1");
    store.close();
    assert.ok((await other.run(["list"])).includes('"prompt":"changed"'));
  });

  for (const [what, folder, id] of [
    ["a fork", "-p", "11111111-2222-4333-8444-555555555555"],
    ["a session in another folder that went on under the same id", "-moved", ID],
  ] as const) {
    test(`count what ${what} copied once: prompts, calls, failures and messages as well as answers`, async () => {
      const other = new Machine();
      const minute = (at: number): Record<string, unknown> => ({ timestamp: `2026-03-02T09:0${at}:00.000Z` });
      const call = answer("msg_1", [toolUse("toolu_1", "Bash", { command: "ls" })], usage(1, 2), minute(2));
      const failed = toolResult("toolu_1", "Exit code 2", minute(3), { is_error: true });
      const first = [userText("Go", minute(1)), call, failed, answer("msg_2", [text("No")], usage(1, 2), minute(4))];
      const own = [userText("In the fork", minute(5)), answer("msg_3", [text("Yes")], usage(1, 2), minute(6))];
      const copies = [...first, ...own].map((line, at) =>
        line.replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${id}"`).replace(/"uuid":"[^"]*"/, `"uuid":"f-${at}"`),
      );
      other.write(`.claude/projects/-p/${ID}.jsonl`, file(...first));
      other.write(`.claude/projects/${folder}/${id}.jsonl`, file(...copies));
      const sums = async (stdout: Promise<string>): Promise<unknown> => {
        const { total, prompts, tool_calls, tool_errors, tools, messages } = JSON.parse(await stdout);
        return [total.messages, prompts, tool_calls, tool_errors, tools, messages];
      };
      const expected = [3, 2, 1, 1, [{ tool: "Bash", calls: 1, errors: 1 }], 6];
      assert.deepEqual(await sums(other.cold(["stats"])), expected, "read");
      assert.deepEqual(await sums(other.run(["stats"])), expected, "figures");
      await other.index();
      assert.deepEqual(await sums(other.run(["stats"])), expected, "content");
    });
  }

  test("count only the usage, once, of answers that a session has dropped", async () => {
    const other = new Machine();
    const rewritten = `.claude/projects/-p/${ID}.jsonl`;
    const said = (id: string, call: string): string =>
      answer(id, [toolUse(call, "Bash", { command: "ls" })], usage(10, 20), { model: "claude-opus-4-5" });
    const first = [userText("Go"), said("msg_1", "toolu_1"), said("msg_2", "toolu_2"), said("msg_3", "toolu_3")];
    other.write(rewritten, file(...first));
    const data = { role: "assistant", modelID: "m", providerID: "p", tokens: { input: 100, output: 200 }, cost: 0.5 };
    const messages = ["msg_a", "msg_b"].map((id, at) => ({
      id,
      data: { ...data, id, time: { created: at + 1 } },
      parts: [{ id: `prt_${at}`, data: { type: "text", text: "yes" } }],
    }));
    const store = await openFakeStore(join(other.home, "data/opencode/opencode.db"), [{ id: "ses_theirs", messages }]);
    const sums = async (): Promise<(number | null)[]> => {
      const { total, messages: all, tool_calls } = JSON.parse(await other.run(["stats"]));
      return [total.tokens_in, total.tokens_out, total.messages, all, tool_calls];
    };
    await other.index();
    assert.deepEqual(await sums(), [230, 460, 5, 6, 3]);
    // The journal is written again without its second answer, with the others at other places.
    other.write(rewritten, file(userText("Go again"), first[3] ?? "", first[1] ?? ""));
    store.run("DELETE FROM part WHERE message_id = 'msg_b'");
    store.run("DELETE FROM message WHERE id = 'msg_b'");
    store.run("UPDATE message SET time_updated = time_updated + 1");
    store.close();
    for (const _ of [1, 2]) {
      await other.index();
      assert.deepEqual(await sums(), [230, 460, 5, 4, 2]);
    }
    const files = JSON.parse(await other.cold(["stats"]));
    assert.deepEqual([files.total.tokens_in, files.messages], [20, 3]);
  });

  test("count answers that opencode copied into a fork once, from its store and from transcripts", async () => {
    const answered = (id: string, at: number) => ({
      id,
      data: { id, role: "assistant", modelID: "m", providerID: "p", time: { created: at }, tokens: TOKENS, cost: 0.5 },
      parts: [{ id: `prt_${id}`, data: { type: "text", text: "yes", time: { start: at, end: at + 1 } } }],
    });
    const sessions = [
      { id: "ses_2", messages: [answered("msg_1", 1_750_000_000_001), answered("msg_2", 1_750_000_000_002)] },
      // The copies have new ids, and nothing says where they come from.
      { id: "ses_1", messages: [answered("msg_3", 1_750_000_000_001), answered("msg_4", 1_750_000_000_003)] },
    ];
    const [stored, recorded] = [new Machine(), new Machine()];
    (await openFakeStore(join(stored.home, "data/opencode/opencode.db"), sessions)).close();
    for (const { id, messages } of sessions) {
      const entries = messages.flatMap(({ id: messageID, data, parts }): TranscriptEntry[] => {
        const of = { messageID, timestamp: new Date(data.time.created).toISOString() };
        const usage = { tokens: TOKENS, cost: data.cost, model: "p/m" };
        return [
          { type: "assistant", ...of, partID: parts[0]?.id ?? "", content: "yes", model: "p/m" },
          { type: "session_event", ...of, partID: `${messageID}-usage`, name: "usage", data: usage },
        ];
      });
      const lines = [
        encodeJsonlHeader({ version: 1, sessionID: id }),
        ...entries.map((entry) => encodeJsonlEntry(entry)),
      ];
      recorded.write(`.openfleet/transcripts/${id}.jsonl`, lines.join(""));
    }
    for (const machine of [stored, recorded]) {
      for (const isIndexed of [false, true]) {
        if (isIndexed) await machine.index();
        const { total, rows, repeated_messages } = JSON.parse(await machine.run(["stats", "--by", "session"]));
        const answers = rows.map((row: { key: string; messages: number }) => [row.key, row.messages]);
        assert.deepEqual([total.messages, total.tokens_in, repeated_messages], [3, 300, 1]);
        assert.deepEqual(Object.fromEntries(answers), { ses_1: 1, ses_2: 2 });
      }
    }
  });
});
