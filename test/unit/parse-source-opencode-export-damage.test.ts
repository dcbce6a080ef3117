import assert from "node:assert/strict";
import { opencodeExport } from "../../src/agents/opencode/opencode-export.ts";
import { readSource, type SourceReading } from "../support/parse/source.ts";
import { describe, test } from "../support/runner.ts";

const said = (text: string): object => ({
  info: { id: `msg_${text}`, sessionID: "ses_1", role: "assistant" },
  parts: [
    { id: `prt_${text}_1`, type: "text", text },
    { id: `prt_${text}_2`, type: "text", text: `${text}, "}}" \\ {"info":{ "]` },
  ],
});
const SESSION = { info: { id: "ses_1", title: "t" }, messages: ["one", "two", "three"].map(said) };
const LAYOUTS = { "pretty-printed": 2, "on one line": 0 };

const beginnings = ({ blocks }: SourceReading): string[] =>
  blocks.flatMap(({ content_text }) => (content_text?.includes(",") === false ? [content_text] : []));
const codes = ({ errors }: SourceReading): string[] => errors.map(({ code }) => code);

const read = (file: string | Buffer, chunkBytes?: number): Promise<SourceReading> =>
  readSource(opencodeExport, file, chunkBytes === undefined ? {} : { chunkBytes: [chunkBytes] });

for (const [layout, indent] of Object.entries(LAYOUTS)) {
  const whole = JSON.stringify(SESSION, null, indent);

  describe(`an export ${layout}`, () => {
    test("that is whole has no errors, and the number of each message as its line", async () => {
      const reading = await read(whole);
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.deepEqual(reading.errors, []);
      assert.deepEqual([reading.lines.used, reading.lines.total], [3, 3]);
      assert.deepEqual(
        reading.messages.map(({ line_number, byte_offset }) => [line_number, byte_offset]),
        [
          [1, 1],
          [2, 2],
          [3, 3],
        ],
      );
    });

    test("with its bytes one by one, with line ends of Windows, with a byte order mark", async () => {
      const reading = await read(`\ufeff${whole.replaceAll("\n", "\r\n")}\r\n`, 1);
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.deepEqual(codes(reading), []);
    });

    test("that is cut off returns the messages before the cut, and says so", async () => {
      for (const at of ["prt_three_2", "msg_three"]) {
        const reading = await read(whole.slice(0, whole.indexOf(at)));
        assert.deepEqual(beginnings(reading), ["one", "two"]);
        assert.deepEqual(codes(reading), ["torn_line"]);
        assert.equal(reading.metadata.title, "t");
        assert.match(reading.errors[0]?.reason ?? "", /2 messages were read/);
      }
    });

    test("that is cut off within its info has nothing, and says so", async () => {
      const reading = await read(whole.slice(0, whole.indexOf('"title"')));
      assert.deepEqual([reading.messages, codes(reading)], [[], ["torn_line"]]);
    });

    test("that is damaged returns the messages before the damage, and says so", async () => {
      const reading = await read(whole.replace('"two"', "tw0"));
      assert.deepEqual(beginnings(reading), ["one"]);
      assert.deepEqual(codes(reading), ["torn_line"]);
    });

    test("with bytes that are not UTF-8 has them replaced", async () => {
      const bytes = Buffer.from(whole.replace('"two"', '"tw?"'));
      bytes[bytes.indexOf("tw?") + 2] = 0xff;
      const reading = await read(bytes);
      assert.deepEqual(beginnings(reading), ["one", "tw\ufffd", "three"]);
      assert.deepEqual(codes(reading), ["invalid_utf8"]);
    });

    test("without its list says so", async () => {
      const reading = await read(whole.replace('"messages"', '"turns"'));
      assert.deepEqual(codes(reading), ["torn_line"]);
      assert.equal(reading.metadata.title, "t");
    });

    test("with garbage or another export after it says so, and does not mix the two", async () => {
      for (const rest of ["Done in 3 s", whole.replaceAll("ses_1", "ses_2")]) {
        const reading = await read(`${whole}\n${rest}\n`);
        assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
        assert.deepEqual(codes(reading), ["torn_line"]);
      }
    });

    test("with a message of a role that is not known keeps it aside", async () => {
      const reading = await read(JSON.stringify({ ...SESSION, messages: [said("one"), { info: { role: "oracle" } }] }));
      assert.deepEqual(beginnings(reading), ["one"]);
      const unknown = reading.units.flatMap(({ outcome }) => (outcome.as === "unknown" ? [outcome.type] : []));
      assert.deepEqual(unknown, ["oracle"]);
      assert.deepEqual(codes(reading), ["unknown_type"]);
    });

    test("with something else than a message in the list continues after it", async () => {
      for (const odd of [null, "x", 7, [1], {}, { info: {} }]) {
        const messages = [said("one"), odd, said("two")];
        const reading = await read(JSON.stringify({ ...SESSION, messages }, null, indent));
        assert.deepEqual(beginnings(reading), ["one", "two"], JSON.stringify(odd));
        assert.deepEqual(codes(reading), ["not_a_record"], JSON.stringify(odd));
      }
    });
  });
}

test("an export that no text can hold is refused", async () => {
  const chunk = Buffer.alloc(64 * 1024 * 1024, "line\n");
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"info":{"id":"ses_1"},"messages":[\n');
    for (let count = 0; count < 8; count += 1) yield chunk;
  }
  const units = (await Array.fromAsync(opencodeExport.read(chunks(), {}))).flat();
  assert.deepEqual(
    units.map(({ outcome, problems }) => [outcome.as, problems[0]?.code]),
    [["failed", "line_too_long"]],
  );
  assert.match(units[0]?.problems[0]?.reason ?? "", /up to 500 MiB are read/);
});

test("JSON that is not an export gives one error", async () => {
  for (const file of ["{}", "{\n}\n", '{"a":1}']) {
    const reading = await read(file);
    assert.deepEqual(reading.messages, []);
    assert.equal(reading.errors.length, 1);
  }
});
