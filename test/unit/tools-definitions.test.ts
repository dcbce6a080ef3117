/** Names and costs of the tools, and the places that mention them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import * as mini from "zod/mini";
import { allCommands } from "../../src/cli/commands/all-commands.ts";
import { parseOptions, TOOL_NAMES } from "../../src/config.ts";
import { SAVE_CONVERSATION, TOOL_DEFINITIONS } from "../../src/tools/tool-definitions.ts";
import { readArguments } from "../../src/tools/arguments.ts";
import { toolWork } from "../../src/tools/runner/tool-requests.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";
import { TranscriptsError } from "../../src/transcripts-error.ts";

const names = TOOL_DEFINITIONS.map(({ name }) => name);

describe("the tools", () => {
  test("have the names of the option, and work behind each", async () => {
    assert.deepEqual([SAVE_CONVERSATION.name, ...names], [...TOOL_NAMES]);
    for (const name of names) assert.equal(typeof (await toolWork(name)), "function");
    assert.equal(await toolWork("no_such_tool"), undefined);
  });

  test("describe each of their parameters", () => {
    for (const { name, args } of [SAVE_CONVERSATION, ...TOOL_DEFINITIONS]) {
      const { properties = {} } = mini.toJSONSchema(mini.object(args), { io: "input" });
      for (const [parameter, schema] of Object.entries(properties))
        assert.ok(typeof schema === "object" && schema.description !== undefined, `${name}: ${parameter}`);
    }
  });

  test("take the example that they give", () => {
    for (const definition of TOOL_DEFINITIONS)
      assert.deepEqual(readArguments(definition, definition.example), definition.example);
  });

  test("that are offered by default cost at most 2,000 tokens as schemas go", () => {
    const offered: readonly string[] = parseOptions({}).options.tools;
    const sent = [SAVE_CONVERSATION, ...TOOL_DEFINITIONS]
      .filter(({ name }) => offered.includes(name))
      .map(({ name, description, args }) => {
        const parameters = mini.toJSONSchema(mini.object(args), { io: "input" });
        return JSON.stringify({ type: "function", function: { name, description, parameters } });
      });
    assert.equal(sent.length, offered.length);
    const tokens = Math.ceil(sent.join("").length / 3.5);
    console.log(`definitions: ${tokens} tokens, 3.5 characters each`);
    assert(tokens <= 2_000, `${tokens} tokens`);
  });
});

describe("a model's arguments", () => {
  const definition = TOOL_DEFINITIONS.find(({ name }) => name === "read_session");
  assert(definition);
  const read = (raw: unknown): unknown => readArguments(definition, raw);

  test("are understood as they are meant", () => {
    for (const nothing of [undefined, null, {}, { session: null, line: null }]) assert.deepEqual(read(nothing), {});
    assert.deepEqual(read({ line: "12", with_tools: "true", last: 3, session: 5 }), {
      line: 12,
      with_tools: true,
      last: 3,
      session: "5",
    });
    assert.deepEqual(read({ session: "12" }), { session: "12" });
    assert.deepEqual(read({ with_tools: false }), { with_tools: false });
  });

  test("are refused with the field, the value, what is allowed and an example", () => {
    for (const [raw, field, words] of [
      [{ line: 0 }, "line", /^0 is not allowed\. It must be a whole number from 1 to \d+\./],
      [{ line: 1.5 }, "line", /1\.5 is not allowed/],
      [{ line: "1e3" }, "line", /"1e3" is not allowed/],
      [{ with_tools: "yes" }, "with_tools", /"yes" is not allowed\. It must be true or false/],
      [{ session: { id: "x" } }, "session", /\{"id":"x"\} is not allowed\. It must be a text/],
      [{ session: "x".repeat(5_000) }, "session", /"x{59}… is not allowed/],
      [{ sesion: "x" }, "sesion", /^"sesion" is not known\. Use one of these: session,/],
    ] as const) {
      assert.throws(
        () => read(raw),
        (error: unknown) => {
          assert(error instanceof TranscriptsError);
          assert.deepEqual([error.code, error.field], ["bad_arguments", field]);
          assert.match(error.message, words);
          assert.match(error.message, /For example: \{"session":"latest"/);
          return true;
        },
      );
    }
    for (const raw of ["text", 5, ["session"], true])
      assert.throws(() => read(raw), /is not allowed\. It must be an object/);
  });
});

describe("docs/tools.md", () => {
  const page = readFileSync(join(REPOSITORY, "docs/tools.md"), "utf8");
  const text = z.string();
  const server = z.object({ command: z.union([text, z.array(text)]), args: z.array(text).optional() });
  const configuration = z.record(z.enum(["mcp", "mcpServers", "servers"]), z.record(text, server));

  test("has configurations of three clients that are valid and start this program", async () => {
    const commands = new Set((await allCommands()).map(({ runnable }) => runnable.definition.name()));
    const { bin } = z
      .object({ bin: z.record(text, text) })
      .parse(JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")));
    const blocks = [...page.matchAll(/^```json\n([^]*?)\n```$/gm)].map(([, json = ""]) => json);
    const keys = blocks.map((json) => {
      assert.equal(json.split("\n").length, 3);
      const parsed = z.partialRecord(configuration.keyType, configuration.valueType).parse(JSON.parse(json));
      const [[key, servers] = ["", {}]] = Object.entries(parsed);
      const [[, { command, args = [] }] = ["", { command: "" }]] = Object.entries(servers ?? {});
      const [program = "", subcommand, ...others] = [command, args].flat();
      assert(program in bin, program);
      assert(commands.has(subcommand ?? ""));
      assert.deepEqual(others, []);
      return key;
    });
    assert.deepEqual(keys.toSorted(), ["mcp", "mcpServers", "servers"]);
  });

  test("names each tool", () => {
    const listed = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, name = ""]) => name);
    assert.deepEqual(listed.toSorted(), [...TOOL_NAMES].toSorted());
  });
});
