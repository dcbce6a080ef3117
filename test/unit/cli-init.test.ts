import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { addPlugin, NEW_CONFIG, newConfig } from "../../src/cli/init/plugin-config.ts";
import { PLUGIN } from "../../src/cli/context.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const WRITTEN_BY_HAND = `{
  // The model that we pay for.
  "model": "anthropic/claude-sonnet-4-5", // not opus
  "plugin": [
    "opencode-wakatime", // counts hours
    /* "off-for-now" */
  ],
  "share": "disabled",
}
`;

/** Text before and after; what is not mentioned stays, to the byte. */
const ADDITIONS: readonly [name: string, before: string, after: string][] = [
  [
    "a list that a person wrote",
    WRITTEN_BY_HAND,
    WRITTEN_BY_HAND.replace("// counts hours\n", '// counts hours\n    "opencode-transcripts",\n'),
  ],
  ["no list", '{\n  "model": "x"\n}\n', '{\n  "model": "x",\n  "plugin": ["opencode-transcripts"]\n}\n'],
  [
    "a comment behind the last property",
    '{\n\t"a": 1 // one\n}',
    '{\n\t"a": 1, // one\n\t"plugin": ["opencode-transcripts"]\n}',
  ],
  ["one line", '{ "a": 1 }', '{ "a": 1, "plugin": ["opencode-transcripts"] }'],
  ["a list on one line", '{"plugin":["x"]}', '{"plugin":["x", "opencode-transcripts"]}'],
  ["a list on one line with a trailing comma", '{"plugin": ["x",]}', '{"plugin": ["x", "opencode-transcripts",]}'],
  ["an empty list", '{ "plugin": [] }', '{ "plugin": ["opencode-transcripts"] }'],
  [
    "a list with nothing but a comment",
    '{\n  "plugin": [\n    // none\n  ]\n}',
    '{\n  "plugin": [\n    // none\n    "opencode-transcripts"\n  ]\n}',
  ],
  ["an empty object", "{}", '{\n  "plugin": ["opencode-transcripts"]\n}'],
  ["an empty file", "", NEW_CONFIG],
  [
    "Windows line ends",
    '{\r\n    "a": 1\r\n}\r\n',
    '{\r\n    "a": 1,\r\n    "plugin": ["opencode-transcripts"]\r\n}\r\n',
  ],
  ["a byte order mark", '\ufeff{"a": 1}', '\ufeff{"a": 1, "plugin": ["opencode-transcripts"]}'],
  [
    "a configuration of opencode 2.x, which a key of 1.x would turn into one of 1.x",
    '{ "agents": {}, "permissions": [] }',
    '{ "agents": {}, "permissions": [], "plugins": ["opencode-transcripts"] }',
  ],
  ["a list of opencode 2.x", '{ "plugins": ["-x"] }', '{ "plugins": ["-x", "opencode-transcripts"] }'],
  [
    "servers of opencode 2.x",
    '{ "mcp": { "servers": {} } }',
    '{ "mcp": { "servers": {} }, "plugins": ["opencode-transcripts"] }',
  ],
  [
    "a key of 1.x, because of which 2.x passes over the list of its own",
    '{ "plugins": ["opencode-transcripts"], "provider": {} }',
    '{ "plugins": ["opencode-transcripts"], "provider": {}, "plugin": ["opencode-transcripts"] }',
  ],
  ["commas in a comment", '{"a": 1 /* , */ }', '{"a": 1, "plugin": ["opencode-transcripts"] /* , */ }'],
];

const PRESENT = [
  '{"plugin": ["opencode-transcripts"]}',
  '{"plugin": ["opencode-transcripts@1.2.0"]}',
  '{"plugin": [["opencode-transcripts", { "format": "both" }]]}',
  '{"plugin": [["opencode-transcripts@latest"]]}',
  '{"plugin": ["./node_modules/opencode-transcripts"]}',
  '{"plugin": ["file:///home/me/opencode-transcripts/dist/plugin.js"]}',
  '{"plugins": ["-other", "/home/me/opencode-transcripts"]}',
  '{"plugins": [{"package": "opencode-transcripts", "options": {"format": "both"}}]}',
];

const BROKEN: readonly [text: string, says: RegExp][] = [
  ['{"plugin": [}', /line 1, column 13: value expected/],
  ['{\n  "a": 1\n  "b": 2\n}', /line 3, column 3: comma expected/],
  ["[]", /an object is expected/],
  ['{"plugin": "x"}', /"plugin" must be a list/],
];

describe("adding the plugin", () => {
  for (const [name, before, after] of ADDITIONS) {
    test(name, () => {
      assert.deepEqual(addPlugin(before), { kind: "added", text: after });
      assert.equal(addPlugin(after).kind, "present");
    });
  }

  for (const text of PRESENT) test(`present: ${text}`, () => assert.equal(addPlugin(text).kind, "present"));

  for (const other of ["opencode-transcripts-extra", "my-opencode-transcripts", "opencode"]) {
    test(`another plugin: ${other}`, () => assert.equal(addPlugin(JSON.stringify({ plugin: [other] })).kind, "added"));
  }

  for (const [text, says] of BROKEN) {
    test(`broken: ${JSON.stringify(text)}`, () => {
      const addition = addPlugin(text);
      assert.match(addition.kind === "broken" ? addition.problem : "", says);
    });
  }

  test("any object keeps its other values, in any layout, and gets the plugin once", () => {
    const layout = fc.constantFrom<string | number | undefined>(undefined, 2, 4, "\t");
    const others = fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== "plugin" && key !== "__proto__"),
      fc.jsonValue(),
    );
    const list = fc.option(fc.array(fc.string().filter((spec) => !spec.includes(PLUGIN))), { nil: undefined });
    fc.assert(
      fc.property(others, list, layout, (rest, plugin, indent) => {
        const value = JSON.parse(JSON.stringify({ ...rest, plugin }));
        const addition = addPlugin(JSON.stringify(value, null, indent));
        assert.ok(addition.kind === "added");
        const text = addition.kind === "added" ? addition.text : "";
        assert.deepEqual(JSON.parse(text), { ...value, plugin: [...(plugin ?? []), PLUGIN] });
      }),
    );
  });
});

function project(files: Readonly<Record<string, string>> = {}): string {
  const folder = makeTempDir();
  mkdirSync(join(folder, ".git"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe("transcripts init", () => {
  test("makes what is missing, says so, and changes nothing the second time", async () => {
    const home = project();
    const first = await runCli(["init"], { home });
    assert.equal(first.exitCode, 0);
    assert.match(
      first.stdout,
      /^created opencode\.json with "plugin": \["opencode-transcripts"\]\ncreated \.openfleet\/transcripts\/\.gitignore\n/,
    );
    assert.equal(readFileSync(join(home, "opencode.json"), "utf8"), NEW_CONFIG);
    const again = await runCli(["init"], { home });
    assert.match(
      again.stdout,
      /^opencode\.json already has the plugin: unchanged\n\.openfleet already has 3 of its 3 files: unchanged\n$/,
    );
  });

  test("--dry-run says the same and writes nothing", async () => {
    const home = project();
    const { stdout } = await runCli(["init", "--dry-run"], { home });
    assert.match(stdout, /^would create opencode\.json/);
    assert.deepEqual(readdirSync(home), [".git"]);
  });

  test("from a folder inside the project, in the file that is there", async () => {
    const home = project({ "opencode.jsonc": WRITTEN_BY_HAND, "src/x.ts": "" });
    const { stdout } = await runCli(["init"], { home, cwd: join(home, "src") });
    assert.match(stdout, /added "opencode-transcripts" to "plugin" in \.\.\/opencode\.jsonc/);
    assert.equal(readFileSync(join(home, "opencode.jsonc"), "utf8"), ADDITIONS[0]?.[2]);
    assert.ok(!existsSync(join(home, "opencode.json")));
  });

  test("where one of several files has the plugin, the others stay", async () => {
    const files = { "opencode.jsonc": "{}", ".opencode/opencode.json": PRESENT[0] ?? "" };
    const home = project(files);
    assert.equal((await runCli(["init"], { home })).exitCode, 0);
    assert.equal(readFileSync(join(home, "opencode.jsonc"), "utf8"), "{}");
  });

  test("the key is that of the opencode on the path, where a configuration does not show its form", async () => {
    for (const [version, key] of [
      ["1.18.33", "plugin"],
      ["2.0.14", "plugins"],
      ["opencode v2.1.0-beta.1", "plugins"],
      ["local", "plugin"],
    ] as const) {
      const bin = makeTempDir();
      writeFileSync(join(bin, "opencode"), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
      for (const [before, after] of [
        ["{}", `{\n  "${key}": ["opencode-transcripts"]\n}`],
        ['{ "agent": {} }', '{ "agent": {}, "plugin": ["opencode-transcripts"] }'],
        [undefined, newConfig(key)],
      ] as const) {
        const home = project(before === undefined ? {} : { "opencode.json": before });
        const { stdout } = await runCli(["init"], { home, env: { PATH: bin } });
        assert.equal(readFileSync(join(home, "opencode.json"), "utf8"), after, version);
        assert.match(stdout, new RegExp(`"${after.includes('"plugins"') ? "plugins" : "plugin"}"`));
      }
    }
  });

  test("Kilo is set up if it is asked for, or the only one with a configuration there", async () => {
    const asked = project({ "opencode.json": "{}" });
    const { stdout } = await runCli(["init", "--kilo"], { home: asked });
    assert.match(
      stdout,
      /^created kilo\.json with "plugin": \["opencode-transcripts"\]\n[^]*^Kilo records the next session/m,
    );
    assert.equal(JSON.parse(readFileSync(join(asked, "kilo.json"), "utf8")).$schema, "https://app.kilo.ai/config.json");
    assert.equal(readFileSync(join(asked, "opencode.json"), "utf8"), "{}");
    const alone = project({ ".kilo/kilo.jsonc": '{ "plugin": [] // none\n}' });
    await runCli(["init"], { home: alone });
    assert.equal(
      readFileSync(join(alone, ".kilo/kilo.jsonc"), "utf8"),
      '{ "plugin": ["opencode-transcripts"] // none\n}',
    );
    assert.ok(!existsSync(join(alone, "opencode.json")));
  });

  test("the templates go into the folder that the plugin's options name", async () => {
    const home = project({ "opencode.json": '{"plugin": [["opencode-transcripts", {"directory": "notes"}]]}' });
    await runCli(["init"], { home });
    assert.ok(existsSync(join(home, "notes/transcripts/README.md")));
    assert.ok(!existsSync(join(home, ".openfleet")));
    const options = { package: "opencode-transcripts", options: { directory: "notes" } };
    const newer = project({ "opencode.json": JSON.stringify({ plugins: [options] }) });
    await runCli(["init"], { home: newer });
    assert.ok(existsSync(join(newer, "notes/transcripts/README.md")));
  });

  for (const [text] of BROKEN) {
    test(`broken JSON is named, and nothing is written: ${JSON.stringify(text)}`, async () => {
      const home = project({ "opencode.json": text });
      const { exitCode, stdout, stderr } = await runCli(["init"], { home });
      assert.equal(exitCode, 2);
      assert.equal(stdout, "");
      assert.match(
        stderr,
        /^transcripts: .*opencode\.json cannot be read as JSON: line \d+, column \d+: .*Nothing was changed\.\n$/,
      );
      assert.equal(readFileSync(join(home, "opencode.json"), "utf8"), text);
      assert.deepEqual(readdirSync(home).sort(), [".git", "opencode.json"]);
    });
  }

  test("a symbolic link stays one, and the file keeps its mode", async () => {
    const home = project({ "shared/config.json": "{}" });
    const target = join(home, "shared/config.json");
    chmodSync(target, 0o640);
    symlinkSync(target, join(home, "opencode.json"));
    await runCli(["init"], { home });
    assert.ok(lstatSync(join(home, "opencode.json")).isSymbolicLink());
    assert.equal(addPlugin(readFileSync(target, "utf8")).kind, "present");
    assert.equal(statSync(target).mode & 0o777, 0o640);
  });

  test("a working copy of the package is added by its folder, once", async () => {
    const home = project({ "opencode.json": '{ "plugin": ["other"] }' });
    const plugin = join(home, "working copy");
    const { stdout } = await runCli(["init"], { home, plugin });
    assert.ok(stdout.startsWith(`added "${plugin}" to "plugin" in opencode.json\n`), stdout);
    const text = readFileSync(join(home, "opencode.json"), "utf8");
    assert.deepEqual(JSON.parse(text), { plugin: ["other", plugin] });
    assert.match((await runCli(["init"], { home, plugin })).stdout, /^opencode\.json already has the plugin/);
    assert.match((await runCli(["doctor"], { home, plugin })).stdout, /opencode\.json has the plugin/);
    writeFileSync(join(home, "opencode.json"), JSON.stringify({ plugin: [[`${plugin}/`, {}]] }));
    assert.match((await runCli(["init"], { home, plugin })).stdout, /^opencode\.json already has the plugin/);
  });

  test("a file in the place of the data folder is named, with what to do", async () => {
    const home = project({ ".openfleet": "" });
    const { exitCode, stderr } = await runCli(["init"], { home });
    assert.equal(exitCode, 2);
    assert.match(stderr, /^transcripts: \S+\.openfleet\S* cannot be used: .* is a file, not a folder\. Check the path/);
  });

  test("the result as JSON", async () => {
    const home = project();
    const { stdout } = await runCli(["init", "--json"], { home });
    assert.deepEqual(JSON.parse(stdout).config, { path: join(home, "opencode.json"), change: "created" });
  });
});
