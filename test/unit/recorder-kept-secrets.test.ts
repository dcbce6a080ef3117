/** Secrets in what is kept beside a transcript: attachments of any type, and the names of files. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bash, data, INPUT, resultsOf, withCalls } from "../support/recording/calls-recorded.ts";
import { completed } from "../support/recording/host-steps.ts";
import { filesIn, readSound, Recording } from "../support/recording/recording.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const SECRET = `ghp_${"aB3dE5gH".repeat(5).slice(0, 36)}`;
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();
const utf16 = (text: string): Buffer => Buffer.from(text, "utf16le");

const TEXTS: Record<string, { mime: string; bytes: Buffer; encoding?: "utf16le" | "latin1" }> = {
  YAML: { mime: "application/yaml", bytes: Buffer.from(`api:\n  token: ${SECRET}\n`) },
  "YAML by another name": { mime: "application/x-yaml", bytes: Buffer.from(`api:\n  token: ${SECRET}\n`) },
  SQL: { mime: "application/sql", bytes: Buffer.from(`INSERT INTO keys VALUES ('${SECRET}');\n`) },
  "a shell script": { mime: "application/x-sh", bytes: Buffer.from(`export TOKEN=${SECRET}\n`) },
  "bytes of no known type": { mime: "application/octet-stream", bytes: Buffer.from(`TOKEN=${SECRET}\n`) },
  "a type that is a lie": { mime: "image/png", bytes: Buffer.from(`TOKEN=${SECRET}\n`) },
  "no type": { mime: "", bytes: Buffer.from(`TOKEN=${SECRET}\n`) },
  "a tar of text": { mime: "application/x-tar", bytes: Buffer.from(`.env${"\0".repeat(96)}TOKEN=${SECRET}\n`) },
  "UTF-16 with a mark": { mime: "text/plain", bytes: utf16(`\ufeffTOKEN=${SECRET}\n`), encoding: "utf16le" },
  "UTF-16 without one": { mime: "text/plain", bytes: utf16(`TOKEN=${SECRET}\n`), encoding: "utf16le" },
  "UTF-16 of no known type": {
    mime: "application/octet-stream",
    bytes: utf16(`\ufeff名前 TOKEN=${SECRET}\n`),
    encoding: "utf16le",
  },
  "UTF-16, the other way round": { mime: "text/plain", bytes: swapped(utf16(`\ufeffTOKEN=${SECRET}\n`)) },
  "UTF-16, the other way round, without a mark": { mime: "", bytes: swapped(utf16(`TOKEN=${SECRET}\n`)) },
  "Latin-1 of no known type": {
    mime: "application/octet-stream",
    bytes: Buffer.from(`größe\nTOKEN=${SECRET}\n`, "latin1"),
    encoding: "latin1",
  },
};

async function recorded(...ends: Parameters<typeof withCalls>): Promise<string> {
  const folder = data();
  await new Recording(folder, { format: "both", redact: true, maxInlineChars: 5 }).does(...withCalls(...ends)).end();
  return join(folder, "transcripts");
}

/** The only attachment of a result that has one file. */
async function kept(mime: string, bytes: Buffer): Promise<Buffer> {
  const url = `data:${mime};base64,${bytes.toString("base64")}`;
  const root = await recorded([
    bash("call_1"),
    completed(INPUT, "done", { attachments: [{ type: "file", mime, url }] }),
  ]);
  const names = filesIn(root).filter((name) => name.includes("/attachments/"));
  assert.equal(names.length, 1);
  return readFileSync(join(root, names[0] ?? ""));
}

describe("a secret in an attachment", () => {
  for (const [name, { mime, bytes, encoding = "utf8" }] of Object.entries(TEXTS)) {
    test(`is redacted: ${name}`, async () => {
      const found = await kept(mime, bytes);
      const isSwapped = name.includes("round");
      const text = isSwapped ? swapped(found).toString("utf16le") : found.toString(encoding);
      const before = isSwapped ? swapped(bytes).toString("utf16le") : bytes.toString(encoding);
      assert.ok(!text.includes(SECRET), text);
      assert.match(text, /\[REDACTED:[\w-]+\]/);
      // What is around the secret is as it was.
      assert.equal(text.split("[REDACTED")[0], before.split(SECRET)[0]);
    });
  }

  test("is only looked for in text: other bytes are not changed", async () => {
    for (const mime of ["image/png", "application/octet-stream"]) {
      const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255, 254, ...Buffer.from("plain"), 0, 3]);
      assert.deepEqual(await kept(mime, bytes), bytes);
    }
  });
});

describe("a secret in a call's id", () => {
  test("is in no file name and no entry, and the calls are still distinct", async () => {
    const ids = [`call_${SECRET}`, SECRET, `${SECRET.slice(0, -1)}X`];
    const root = await recorded(
      ...ids.map((id, n): Parameters<typeof withCalls>[number] => [bash(id, n), completed(INPUT, `output ${n}`)]),
    );
    const names = filesIn(root);
    assert.equal(names.filter((name) => name.includes("/outputs/")).length, ids.length);
    for (const id of [SECRET, SECRET.slice(4, 30)]) {
      assert.deepEqual(
        names.filter((name) => name.includes(id)),
        [],
      );
      for (const name of names.filter((each) => !each.endsWith(".lock"))) {
        assert.ok(!readFileSync(join(root, name), "utf8").includes(id), name);
      }
    }
    const { entries } = await readSound(join(root, ".."), "ses_1.md");
    const uses = entries.flatMap((entry) => (entry.type === "tool_use" ? [entry.callID] : []));
    assert.deepEqual(
      resultsOf(entries)
        .map(({ callID }) => callID)
        .toSorted(),
      uses.toSorted(),
    );
    assert.equal(new Set(uses).size, ids.length);
    assert.deepEqual(
      resultsOf(entries)
        .map(({ output }) => String(output))
        .toSorted(),
      ["output 0", "output 1", "output 2"],
    );
  });

  test("is not seen in the ids that providers make", async () => {
    const ids = [
      "call_00_K9mQ2xVbT7nR4wYpLsDf3HjA",
      "toolu_01A09q90qw90lq917835lq9",
      "toolu_vrtx_01XFDUDYJgAACzvnptvVoYEL",
      "chatcmpl-tool-4f1e2d3c4b5a69788796a5b4c3d2e1f0",
      "call_MHJtCc1MzHbVJ9S1GGVbBQHU",
      "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
      "fc_67ccf18f64008190a39b619f4c8455ef087bb177ab789d5c",
      "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      "01JABCDEFGHJKMNPQRSTVWXYZ0",
      "call_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    ];
    const root = await recorded(
      ...ids.map((id, n): Parameters<typeof withCalls>[number] => [bash(id, n), completed(INPUT, `output ${n}`)]),
    );
    const outputs = filesIn(root).filter((name) => name.includes("/outputs/"));
    assert.deepEqual(outputs, ids.map((id) => `ses_1/outputs/${id}.txt`).toSorted());
  });
});
