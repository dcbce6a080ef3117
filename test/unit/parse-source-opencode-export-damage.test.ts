import assert from "node:assert/strict";
import { opencodeExport } from "../../src/parse/sources/opencode-export.ts";
import { assertAccounted } from "../support/parse/account.ts";
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

/** Reads a file that may be damaged; every line of it must be accounted for. */
async function read(file: string | Buffer, chunkBytes?: number): Promise<SourceReading> {
  const bytes = Buffer.from(file);
  const reading = await readSource(opencodeExport, bytes, chunkBytes === undefined ? {} : { chunkBytes: [chunkBytes] });
  assertAccounted(reading, bytes);
  return reading;
}

/** `text` with the `n`th `what` changed. */
function changed(text: string, what: string, to: string, n = 0): string {
  let at = text.indexOf(what);
  for (let turn = 0; turn < n; turn += 1) at = text.indexOf(what, at + 1);
  assert.ok(at >= 0, what);
  return text.slice(0, at) + to + text.slice(at + what.length);
}

for (const [layout, indent] of Object.entries(LAYOUTS)) {
  const whole = JSON.stringify(SESSION, null, indent);
  const startOf = (message: string): number =>
    whole.lastIndexOf("{", whole.lastIndexOf('"info"', whole.indexOf(`msg_${message}`)));

  const without = (mark: string, before: number): string => {
    const at = whole.lastIndexOf(mark, before);
    return `${whole.slice(0, at)} ${whole.slice(at + mark.length)}`;
  };

  describe(`an export ${layout}`, () => {
    test("that is whole has no errors, and all of its lines are used", async () => {
      const reading = await read(whole);
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.deepEqual(reading.errors, []);
      assert.equal(reading.lines.used, whole.split("\n").length);
      for (const { line_number, byte_offset } of reading.messages) {
        assert.match(whole.slice(byte_offset), /^\{\s*"info":/);
        assert.equal(whole.slice(0, byte_offset).split("\n").length, line_number);
      }
    });

    test("with its bytes one by one, with line ends of Windows, with a byte order mark", async () => {
      const reading = await read(`\ufeff${whole.replaceAll("\n", "\r\n")}\r\n`, 1);
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.deepEqual(codes(reading), ["byte_order_mark"]);
    });

    test("that is cut off within a message returns the parts before the cut", async () => {
      const reading = await read(whole.slice(0, whole.indexOf("prt_three_2")));
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.deepEqual(codes(reading), ["torn_line"]);
      assert.equal(reading.blocks.length, 5);
    });

    test("that is cut off within a message's info returns the others", async () => {
      const reading = await read(whole.slice(0, whole.indexOf("msg_three")));
      assert.deepEqual(beginnings(reading), ["one", "two"]);
      assert.deepEqual(codes(reading), ["torn_line"]);
    });

    test("that is cut off between messages is used as it is", async () => {
      const at = startOf("three");
      assert.deepEqual(beginnings(await read(whole.slice(0, at))), ["one", "two"]);
    });

    test("with a value that is not JSON loses the part that contains it", async () => {
      const reading = await read(changed(whole, '"two"', "tw0"));
      assert.deepEqual(beginnings(reading), ["one", "three"]);
      assert.deepEqual(codes(reading), ["partly_lost"]);
      assert.equal(reading.blocks.length, 5);
      const [error] = reading.errors;
      assert.equal(error?.byte_offset, reading.messages[1]?.byte_offset);
    });

    test("with invalid JSON in a message's info loses that message", async () => {
      const reading = await read(changed(whole, '"msg_two"', "msg"));
      assert.deepEqual(beginnings(reading), ["one", "three"]);
      assert.deepEqual(codes(reading), ["invalid_json"]);
    });

    for (const [what, damaged] of [
      ["bracket of a list", without("]", startOf("two"))],
      ["bracket of a message", without("}", startOf("two"))],
      ["opening bracket", changed(whole, "[", " ", 2)],
      ["quote", changed(whole, '"two"', '"two ')],
      ["comma", whole.replace(/,(\s*"parts")/, " $1")],
    ] as const) {
      test(`that lost a ${what} keeps the messages around it`, async () => {
        const reading = await read(damaged);
        const found = beginnings(reading);
        assert.equal(found[0], "one");
        assert.equal(found.at(-1), "three");
        assert.ok(reading.errors.length > 0);
      });
    }

    test("with something else between two messages keeps both", async () => {
      const at = startOf("two");
      for (const junk of ["]]}}", "garbage, ", '"', "{", "\0\0", "}{"]) {
        const reading = await read(whole.slice(0, at) + junk + whole.slice(at));
        const found = beginnings(reading);
        assert.deepEqual([found[0], found.at(-1)], ["one", "three"], junk);
      }
    });

    test("with NUL bytes in a message is read without them", async () => {
      const reading = await read(changed(whole, '"two"', '"t\0\0wo"'));
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.deepEqual(codes(reading), ["nul_bytes"]);
    });

    test("with bytes that are not UTF-8 has them replaced", async () => {
      const bytes = Buffer.from(changed(whole, '"two"', '"tw?"'));
      bytes[bytes.indexOf("tw?") + 2] = 0xff;
      const reading = await read(bytes);
      assert.deepEqual(beginnings(reading), ["one", "tw\ufffd", "three"]);
      assert.deepEqual(codes(reading), ["invalid_utf8"]);
    });

    test("whose own info is damaged has the session's id from its messages", async () => {
      const reading = await read(changed(whole, '"t"', "t"));
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.deepEqual(codes(reading), ["invalid_json"]);
      assert.equal(reading.metadata.sessionId, "ses_1");
    });

    test("with damage to the name of its list is read all the same", async () => {
      const reading = await read(changed(whole, '"messages"', '"massages"'));
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
    });

    test("whose info never closes has the messages all the same", async () => {
      const reading = await read(whole.replace(/\}(,\s*"messages")/, " $1"));
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.ok(reading.errors.length > 0);
    });

    test("without its list says so", async () => {
      const reading = await read(changed(whole, '"messages"', '"turns"'));
      assert.deepEqual(codes(reading), ["not_a_record"]);
      assert.equal(reading.metadata.title, "t");
    });

    test("with a message twice has it once", async () => {
      const again = JSON.stringify({ ...SESSION, messages: [...SESSION.messages, said("two")] }, null, indent);
      const reading = await read(again);
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
    });

    test("with garbage after it says so", async () => {
      const reading = await read(`${whole}\nDone in 3 s\n`);
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.deepEqual(codes(reading), ["invalid_json"]);
    });

    test("with another export after it does not mix the two", async () => {
      const reading = await read(`${whole}\n${whole.replaceAll("ses_1", "ses_2")}\n`);
      assert.deepEqual(beginnings(reading), ["one", "two", "three"]);
      assert.ok(reading.errors.length > 0);
    });

    test("with a message of a role that is not known keeps it aside", async () => {
      const reading = await read(changed(whole, '"assistant"', '"oracle"', 1));
      assert.deepEqual(beginnings(reading), ["one", "three"]);
      const unknown = reading.units.flatMap(({ outcome }) => (outcome.as === "unknown" ? [outcome.type] : []));
      assert.deepEqual(unknown, ["oracle"]);
      assert.deepEqual(codes(reading), ["unknown_type"]);
    });

    test("with something else than a message in the list continues after it", async () => {
      for (const odd of ["null", '"x"', "7", "[1]", "{}", '{"info":{}}']) {
        const at = startOf("two");
        const reading = await read(`${whole.slice(0, at)}${odd}, ${whole.slice(at)}`);
        assert.deepEqual(beginnings(reading), ["one", "two", "three"], odd);
        assert.deepEqual(codes(reading), ["not_a_record"], odd);
      }
    });
  });
}

test("a lost quote costs no more than its part where each value has a line of its own", async () => {
  const whole = JSON.stringify(SESSION, null, 2);
  const reading = await read(whole.replace('"two"', '"two'));
  assert.deepEqual(beginnings(reading), ["one", "three"]);
  assert.deepEqual(codes(reading), ["partly_lost"]);
  assert.equal(reading.blocks.length, 5);
});

test("an export that no text can hold is refused, and its lines are accounted for", async () => {
  const chunk = Buffer.alloc(64 * 1024 * 1024, "line\n");
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"info":{"id":"ses_1"},"messages":[\n');
    for (let count = 0; count < 8; count += 1) yield chunk;
  }
  const units = [];
  for await (const batch of opencodeExport.read(chunks(), { maxLineBytes: 5_000_000, agentProgress: false })) {
    units.push(...batch);
  }
  const feeds = chunk.filter((byte) => byte === 10).length * 8 + 1;
  assert.deepEqual(
    units.map(({ lines, outcome, problems }) => [lines, outcome.as, problems[0]?.code]),
    [[feeds + 1, "failed", "line_too_long"]],
  );
  assert.match(units[0]?.problems[0]?.reason ?? "", /up to 500 MiB are read/);
});

test("JSON that is not an export gives one error", async () => {
  for (const file of ["{}", "{\n}\n", '{"a":1}', "\n\n"]) {
    const reading = await read(file);
    assert.deepEqual(reading.messages, []);
    assert.equal(reading.errors.length, 1);
  }
});
