/** Session content never affects a terminal, whichever command prints it and wherever it is printed. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assistant, calls, result, says, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** Colours, the window's title, the clipboard, eight-bit forms, a sequence without end, marks of the direction. */
const HOSTILE =
  "\u001b[31m\u001b]0;owned\u0007\u001b]52;c;aGk=\u0007\u009b2J\u009d0;t\u009c\u0090q\u001b\\\u001b[8mhidden\u001b[0m \u202eturned\u2066 \u200f\u061c \u0008 \u001b]8;;x";
const RAW = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const OWN_COLOURS = /\x1b\[(?:0|1|2|22|31|32|33|34|35|36|39|90)m/g;

const ID = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

function machine(): string {
  const home = makeTempDir();
  mkdirSync(join(home, ".git"));
  const about = { sessionId: ID, timestamp: "2026-01-05T10:00:30.000Z" };
  const session = [
    user(`Needle ${HOSTILE}`, 0),
    assistant({ blocks: [{ type: "thinking", thinking: `needle ${HOSTILE}`, signature: "x" }] }, 1),
    calls(`Bash${HOSTILE}`, `t1${HOSTILE}`, { command: `npm ${HOSTILE}`, file_path: `/x/${HOSTILE}` }, 2),
    result(`t1${HOSTILE}`, `needle ${HOSTILE}\nfailed`, 3, true),
    calls(`Bash${HOSTILE}`, `t2${HOSTILE}`, { command: `npm ${HOSTILE}`, file_path: `/x/${HOSTILE}` }, 4),
    result(`t2${HOSTILE}`, `needle ${HOSTILE}`, 5),
    assistant({ blocks: [{ type: "text", text: `needle ${HOSTILE}` }], model: `m${HOSTILE}` }, 6),
    assistant({ blocks: [{ type: `odd${HOSTILE}`, say: HOSTILE }] }, 7),
    `${JSON.stringify({ ...about, type: `future${HOSTILE}`, say: HOSTILE })}\n`,
    `${JSON.stringify({ ...about, type: "ai-title", aiTitle: `Title ${HOSTILE}` })}\n`,
    `{"type":"user","message":${HOSTILE}}\n`,
    says("The end.", 8),
  ].join("");
  storeSession(home, session, { project: `-work-${HOSTILE.replaceAll("/", "")}` });
  mkdirSync(join(home, ".openfleet/sessions", HOSTILE.replaceAll("/", "")), { recursive: true });
  const name = `note ${HOSTILE.replaceAll("/", "")}.jsonl`;
  writeFileSync(join(home, name), session);
  return home;
}

describe("no control character of a session is printed", () => {
  const home = machine();
  const file = `note ${HOSTILE.replaceAll("/", "")}.jsonl`;
  const commands: readonly (readonly string[])[] = [
    ["list"],
    ["list", "--json"],
    ["show", ID],
    ["show", ID, "--with-tools", "--with-thinking", "--subagents"],
    ["show", ID, "--with-tools", "--json"],
    ["show", join(home, file), "--with-tools"],
    ["show", `none${HOSTILE}`],
    ["show", `${HOSTILE}/x.jsonl`],
    ["stats", ID],
    ["stats", "--by", "session"],
    ["stats", "--by", "project"],
    ["stats", "--by", "model", "--json"],
    ["timeline", ID],
    ["timeline", ID, "--json"],
    ["entries", ID],
    ["errors", ID],
    ["errors", ID, "--fixes"],
    ["errors", ID, "--json"],
    ["errors", join(home, file)],
    ["find", "needle"],
    ["find", "needle", "--json"],
    ["find", "owned"],
    ["tail", ID],
    ["tail", ID, "--json"],
    ["export", ID, "--html"],
    ["doctor"],
    ["doctor", "--json"],
    ["index"],
    ["index", "--json"],
    // Now from the store.
    ["find", "needle"],
    ["find", "needle", "--json"],
    ["list"],
    ["stats"],
    ["snippets", "suggest", ID, "--store", "--full"],
    [
      "snippets",
      "extract",
      ID,
      "--turns",
      "1",
      "--type",
      "learning_pattern",
      "--title",
      `T${HOSTILE}`,
      "--tag",
      `x${HOSTILE}`,
    ],
    ["snippets", "query", "--full"],
    ["snippets", "query", "--json"],
    ["snippets", "count"],
    ["forget", ID],
    ["forget", join(home, file)],
    [HOSTILE],
    ["list", `--${HOSTILE}`],
    ["list", "--since", HOSTILE],
  ];
  for (const [at, command] of commands.entries()) {
    const name = command
      .map((word) =>
        word
          .replace(HOSTILE, "…")
          .replace(home, "")
          .replace(/[^ -~…]+/g, ""),
      )
      .join(" ");
    test(`${at + 1}: ${name}`, async () => {
      for (const colored of [false, true]) {
        const setting = colored ? { env: { FORCE_COLOR: "1" }, terminal: 80 } : {};
        const { stdout, stderr } = await runCli(command, { home, ...setting });
        for (const [stream, text] of [
          ["stdout", colored ? stdout.replace(OWN_COLOURS, "") : stdout],
          ["stderr", stderr],
        ] as const) {
          const found = RAW.exec(text);
          const around = text.slice(Math.max(0, (found?.index ?? 0) - 60), (found?.index ?? 0) + 30);
          assert.equal(found, null, `${stream}, ${colored ? "terminal" : "pipe"}: ${JSON.stringify(around)}`);
          assert.doesNotMatch(text, /\x1b\[8m/);
        }
      }
    });
  }
});
