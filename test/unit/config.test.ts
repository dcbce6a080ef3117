import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { optionsJsonSchema, parseOptions, TOOL_NAMES, type Options } from "../../src/config.ts";
import { nested, hostileMaker, throwingProxy } from "../support/recording/hostile-values.ts";
import { eventually } from "../support/recording/eventually.ts";
import { message, session } from "../support/recording/host-steps.ts";
import { PluginHost } from "../support/recording/plugin-host.ts";
import { newSession } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const DEFAULTS: Options = {
  format: "markdown",
  directory: ".openfleet",
  followLinks: false,
  maxInlineChars: 5_000,
  redact: true,
  tools: [
    "save_conversation",
    "find_in_transcripts",
    "read_session",
    "list_sessions",
    "extract_snippet",
    "query_snippets",
  ],
  compactionHint: true,
  autoExtract: false,
};

/** For each option, some valid values, and some invalid ones with the expected message. */
const VALUES: Record<keyof Options, { right: unknown[]; wrong: [value: unknown, shown: string][]; allowed: RegExp }> = {
  format: {
    right: ["markdown", "jsonl", "both"],
    wrong: [
      ["html", '"html"'],
      ["", '""'],
      [1, "1"],
      [null, "null"],
      [["jsonl"], '["jsonl"]'],
    ],
    allowed: /"markdown", "jsonl" or "both"/,
  },
  directory: {
    right: ["transcripts", "/tmp/x", "../up", "x".repeat(4_096)],
    wrong: [
      ["", '""'],
      ["  ", '"  "'],
      ["a\0b", '"a\\u0000b"'],
      ["x".repeat(4_097), '"xxx'],
      [5, "5"],
    ],
    allowed: /non-empty path/,
  },
  followLinks: { right: [true, false], wrong: [["yes", '"yes"']], allowed: /true or false/ },
  maxInlineChars: {
    right: [0, 1, 1_000_000],
    wrong: [
      [-1, "-1"],
      [1.5, "1.5"],
      [1_000_001, "1000001"],
      ["5000", '"5000"'],
      [Number.NaN, "null"],
    ],
    allowed: /whole number from 0 to 1000000/,
  },
  redact: {
    right: [true, false],
    wrong: [
      ["no", '"no"'],
      [0, "0"],
      [null, "null"],
    ],
    allowed: /true or false/,
  },
  tools: {
    right: [[], ["save_conversation"], ["list_errors", "read_session"]],
    wrong: [
      ["save_conversation", '"save_conversation"'],
      [["find"], '["find"]'],
      [true, "true"],
    ],
    allowed: /list of "save_conversation", "find_in_transcripts", .*"query_snippets"/,
  },
  compactionHint: { right: [true, false], wrong: [["line", '"line"']], allowed: /true or false/ },
  autoExtract: { right: [true, false], wrong: [[1, "1"]], allowed: /true or false/ },
};

describe("the plugin's options", () => {
  test("are all optional", () => {
    for (const raw of [undefined, null, {}, Object.create(null)])
      assert.deepEqual(parseOptions(raw), { options: DEFAULTS, problems: [] });
  });

  for (const [path, { right, wrong, allowed }] of Object.entries(VALUES)) {
    test(`${path}: right values are taken`, () => {
      for (const value of right) {
        const expected = { ...DEFAULTS, [path]: value };
        assert.deepEqual(parseOptions({ [path]: value }), { options: expected, problems: [] });
      }
    });

    test(`${path}: a wrong value is named with path, value, what is allowed and what is used, and the others hold`, () => {
      for (const [value, shown] of wrong) {
        const others = { format: "jsonl", maxInlineChars: 7, redact: false, [path]: value };
        const { options, problems } = parseOptions(others);
        const expected = { ...DEFAULTS, format: "jsonl", maxInlineChars: 7, redact: false };
        const used: unknown = Reflect.get(DEFAULTS, path);
        assert.deepEqual(options, { ...expected, [path]: used });
        assert.deepEqual(
          problems.map((problem) => problem.path),
          [path],
        );
        const text = problems[0]?.message ?? "";
        assert.ok(text.startsWith(`${path}: ${shown}`), text);
        assert.match(text, allowed);
        assert.ok(text.endsWith(`${JSON.stringify(used)} is used.`), text);
        assert.ok(text.length < 400, "a message stays readable");
      }
    });
  }

  test("that do not exist are named, together with the valid ones", () => {
    const { options, problems } = parseOptions({ formats: "both", redact: false });
    assert.deepEqual(options, { ...DEFAULTS, redact: false });
    assert.deepEqual(
      problems.map(({ path }) => path),
      ["formats"],
    );
    for (const known of Object.keys(DEFAULTS)) assert.ok(problems[0]?.message.includes(known));
  });

  test("with three mistakes give three messages", () => {
    const { options, problems } = parseOptions({
      format: "html",
      maxInlineChars: "many",
      colour: "red",
      redact: false,
    });
    assert.deepEqual(options, { ...DEFAULTS, redact: false });
    assert.deepEqual(
      problems.map(({ path }) => path),
      ["format", "maxInlineChars", "colour"],
    );
  });

  test("that are not an object are reported as such", () => {
    for (const raw of ["jsonl", 5, true, ["jsonl"], () => 1]) {
      const { options, problems } = parseOptions(raw);
      assert.deepEqual(options, DEFAULTS);
      assert.equal(problems.length, 1);
      assert.match(problems[0]?.message ?? "", /is not an object.*The defaults are used/);
    }
  });

  test("are a list that is too long: it is named, and the defaults are used", () => {
    for (const length of [101, 100_000]) {
      const { options, problems } = parseOptions({ redact: false, tools: Object.assign([], { length }) });
      assert.deepEqual(options, { ...DEFAULTS, redact: false });
      assert.deepEqual(
        problems.map(({ path }) => path),
        ["tools"],
      );
    }
  });

  test("are trimmed where space is never meant", () => {
    assert.equal(parseOptions({ directory: " logs " }).options.directory, "logs");
  });

  test("of any kind never throw, and return usable options", () => {
    const key = fc.oneof(
      fc.constantFrom(...Object.keys(DEFAULTS), "__proto__", "constructor", "toString", ""),
      fc.string(),
    );
    const pairs = fc.array(fc.tuple(key, hostileMaker), { maxLength: 4 });
    fc.assert(
      fc.property(pairs, (given) => {
        const raw = Object.fromEntries(given.map(([name, make]) => [name, make()]));
        const { options, problems } = parseOptions(raw);
        assert.deepEqual(Object.keys(options).toSorted(), Object.keys(DEFAULTS).toSorted());
        assert.deepEqual(parseOptions(options), { options, problems: [] });
        for (const problem of problems) assert.ok(problem.message.length < 500);
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(hostileMaker, (make) => void parseOptions(make())),
      { numRuns: 300 },
    );
    for (const raw of [throwingProxy(), nested(10_000), new Proxy({}, { ownKeys: () => ["format"] })])
      parseOptions(raw);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  test("are in the JSON schema with the same limits and defaults", () => {
    const schema = JSON.parse(JSON.stringify(optionsJsonSchema()));
    assert.equal(schema.additionalProperties, false);
    assert.equal(schema.required, undefined, "no option is required");
    assert.deepEqual(Object.keys(schema.properties).toSorted(), Object.keys(DEFAULTS).toSorted());
    for (const [path, value] of Object.entries(DEFAULTS)) {
      assert.deepEqual(schema.properties[path].default, value);
      assert.ok(schema.properties[path].description.length > 10, `${path} is described`);
    }
    const { format, directory, maxInlineChars, tools } = schema.properties;
    assert.deepEqual(format.enum, ["markdown", "jsonl", "both"]);
    assert.deepEqual([directory.type, directory.minLength, directory.maxLength], ["string", 1, 4096]);
    assert.deepEqual([maxInlineChars.type, maxInlineChars.minimum, maxInlineChars.maximum], ["integer", 0, 1_000_000]);
    assert.deepEqual([tools.type, tools.items.enum], ["array", [...TOOL_NAMES]]);
  });
});

describe("wrong options in the host", () => {
  test("are reported once, as toast and log, at the host's first event and not before", async () => {
    const directory = makeTempDir();
    const options = { format: "html", maxInlineChars: -1, colour: "red", redact: false };
    const file = join(directory, ".opencode/opencode.json");
    mkdirSync(dirname(file));
    writeFileSync(file, JSON.stringify({ plugin: ["other", ["opencode-transcripts", options]] }));
    const host = new PluginHost(directory, options);
    await sleep(20);
    assert.deepEqual(host.requests, [], "nothing is asked of a host that starts");
    await host.does(...newSession("ses_1"));
    await eventually(() => host.logs.length > 0 && host.toasts.length > 0);
    const [toast = "", ...others] = host.toasts;
    assert.deepEqual(others, [], "several problems are one toast");
    assert.ok(toast.startsWith(`"In ${file}: `), `it names the file to change: ${toast}`);
    assert.deepEqual(host.logs, [toast.replace(`"`, `"opencode-transcripts: `)]);
    assert.ok(host.requests.every(({ afterSteps }) => afterSteps >= 1));
    for (const part of ["html", "-1", "colour"]) assert.ok(toast.includes(part));
    const again = new PluginHost(directory, options);
    await again.does(session("updated", "ses_1"), message("ses_1", "msg_9", "user"));
    await host.dispose();
    await again.dispose();
    assert.deepEqual([host.toasts.length, again.toasts.length], [1, 0], "and not again by an instance made anew");
  });

  test("do not prevent recording", async () => {
    const host = new PluginHost(makeTempDir(), "nonsense");
    await host.does(...newSession("ses_1"));
    await host.dispose();
    assert.ok(host.toasts.every((toast) => toast.includes("is not an object")));
  });

  test("valid ones produce no message", async () => {
    const host = new PluginHost(makeTempDir(), { format: "both", redact: false });
    await host.does(...newSession("ses_1"));
    await host.dispose();
    await sleep(20);
    assert.deepEqual(host.requests, []);
  });

  test("name the folder: a relative one starts at the project's root, an absolute one is taken as it is", async () => {
    const project = makeTempDir();
    const elsewhere = join(makeTempDir(), "deep/er");
    for (const [directory, folder] of [
      ["logs", join(project, "logs")],
      [elsewhere, elsewhere],
    ] as const) {
      const host = new PluginHost(project, { directory, redact: false });
      await host.does(...newSession("ses_1"));
      await host.dispose();
      assert.ok(existsSync(join(folder, "transcripts/ses_1.md")), folder);
    }
    assert.equal(existsSync(join(project, ".openfleet")), false);
  });
});
