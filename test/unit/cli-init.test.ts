import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { type ParseError, parse } from "jsonc-parser";
import { addPlugin, type Change, newConfig, removePlugin } from "../../src/cli/init/plugin-config.ts";
import { isFields } from "../../src/parse/json-fields.ts";
import { PACKAGE } from "../../src/user-folders.ts";
import { type CliSetting, runCli } from "../support/cli/run-cli.ts";
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

/** Configurations, and the list of plugins that the entry belongs in. Everything else in the file stays. */
const ADDITIONS: readonly [name: string, before: string, key: string, after: string][] = [
  [
    "a list that a person wrote",
    WRITTEN_BY_HAND,
    "plugin",
    WRITTEN_BY_HAND.replace(
      '"opencode-wakatime", // counts hours\n',
      '"opencode-wakatime",\n    "opencode-transcripts", // counts hours\n',
    ),
  ],
  [
    "no list",
    '{\n  "model": "x"\n}\n',
    "plugin",
    '{\n  "model": "x",\n  "plugin": [\n    "opencode-transcripts"\n  ]\n}\n',
  ],
  [
    "tabs, and a comment behind the last property",
    '{\n\t"a": 1 // one\n}',
    "plugin",
    '{\n\t"a": 1,\n\t"plugin": [\n\t\t"opencode-transcripts"\n\t] // one\n}',
  ],
  [
    "a trailing comma",
    '{\n  "plugin": [\n    "x",\n  ],\n}\n',
    "plugin",
    '{\n  "plugin": [\n    "x",\n    "opencode-transcripts",\n  ],\n}\n',
  ],
  [
    "a list with nothing but a comment",
    '{\n  "plugin": [\n    // none\n  ]\n}',
    "plugin",
    '{\n  "plugin": [\n    "opencode-transcripts"\n    // none\n  ]\n}',
  ],
  ["an empty object", "{}", "plugin", '{\n  "plugin": [\n    "opencode-transcripts"\n  ]\n}'],
  ["an empty file", "", "plugin", newConfig("plugin")],
  [
    "Windows line ends",
    '{\r\n    "a": 1\r\n}\r\n',
    "plugin",
    '{\r\n    "a": 1,\r\n    "plugin": [\r\n        "opencode-transcripts"\r\n    ]\r\n}\r\n',
  ],
  [
    "a byte order mark",
    '\ufeff{\n  "a": 1\n}',
    "plugin",
    '\ufeff{\n  "a": 1,\n  "plugin": [\n    "opencode-transcripts"\n  ]\n}',
  ],
  [
    "a configuration of opencode 2.x, which a key of 1.x would turn into one of 1.x",
    '{\n  "agents": {}\n}',
    "plugins",
    '{\n  "agents": {},\n  "plugins": [\n    "opencode-transcripts"\n  ]\n}',
  ],
  [
    "servers of opencode 2.x",
    '{\n  "mcp": { "servers": {} }\n}',
    "plugins",
    '{\n  "mcp": {\n    "servers": {}\n  },\n  "plugins": [\n    "opencode-transcripts"\n  ]\n}',
  ],
  [
    "a key of 1.x, because of which 2.x passes over the list of its own",
    '{\n  "plugins": ["opencode-transcripts"],\n  "provider": {}\n}',
    "plugin",
    '{\n  "plugins": ["opencode-transcripts"],\n  "provider": {},\n  "plugin": [\n    "opencode-transcripts"\n  ]\n}',
  ],
];

/** Configurations with the plugin. */
const PRESENT = [
  '{"plugin": ["opencode-transcripts"]}',
  '{"plugin": ["opencode-transcripts@1.2.0"]}',
  '{"plugin": [["opencode-transcripts", { "format": "both" }]]}',
  '{"plugin": [["opencode-transcripts@latest"]]}',
  '{"plugin": ["./node_modules/opencode-transcripts"]}',
  '{"plugin": ["file:///home/me/opencode-transcripts/dist/plugin.js"]}',
  '{"plugin": ["github:someone/opencode-transcripts#main"]}',
  '{"plugins": ["-other", "/home/me/opencode-transcripts"]}',
  '{"plugins": [{"package": "opencode-transcripts", "options": {"format": "both"}}]}',
  '{"plugins": ["git+https://example.com/me/opencode-transcripts.git"]}',
];

const BROKEN: readonly [text: string, says: RegExp][] = [
  ['{"plugin": [}', /line 1, column 13: value expected/],
  ['{\n  "a": 1\n  "b": 2\n}', /line 3, column 3: comma expected/],
  ["[]", /an object is expected/],
  ['{"plugin": "x"}', /"plugin" must be a list/],
];

function changed(change: Change): string {
  assert.ok(change.kind === "changed");
  return change.text;
}

/** The values of a configuration with comments and trailing commas. */
function values(text: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace("\ufeff", ""), errors, { allowTrailingComma: true });
  assert.deepEqual(errors, []);
  assert.ok(isFields(value));
  return value;
}

describe("adding the plugin", () => {
  for (const [name, before, key, after] of ADDITIONS) {
    test(name, () => {
      assert.deepEqual(addPlugin(before), { kind: "changed", text: after, key });
      values(after);
    });
  }

  for (const [text, says] of BROKEN) {
    test(`broken: ${JSON.stringify(text)}`, () => {
      const addition = addPlugin(text);
      assert.match(addition.kind === "broken" ? addition.problem : "", says);
    });
  }

  test("keeps all other values, in any layout, and adds the plugin once; removing it restores the file", () => {
    const layout = fc.constantFrom<string | number | undefined>(undefined, 2, 4, "\t");
    const others = fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== "plugin" && key !== "__proto__"),
      fc.jsonValue(),
    );
    const list = fc.option(fc.array(fc.string().filter((spec) => !spec.includes(PACKAGE))), { nil: undefined });
    fc.assert(
      fc.property(others, list, layout, (rest, plugin, indent) => {
        const value = JSON.parse(JSON.stringify({ ...rest, plugin }));
        const text = changed(addPlugin(JSON.stringify(value, null, indent)));
        assert.deepEqual(JSON.parse(text), { ...value, plugin: [...(plugin ?? []), PACKAGE] });
        const removed = changed(removePlugin(text, (spec) => spec === PACKAGE));
        assert.deepEqual(JSON.parse(removed), { ...value, plugin: plugin ?? [] });
      }),
    );
  });

  test("removing it keeps comments outside the list", () => {
    const text = changed(removePlugin(ADDITIONS[0]?.[3] ?? "", (spec) => spec === PACKAGE));
    assert.deepEqual(values(text), values(WRITTEN_BY_HAND));
    assert.match(text, /The model that we pay for/);
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

/** Runs a command in a project, of a user with an empty home. */
function run(args: string[], cwd: string, more: Partial<CliSetting> = {}): ReturnType<typeof runCli> {
  return runCli(args, { home: makeTempDir(), cwd, ...more });
}

describe("transcripts init", () => {
  test("makes what is missing, says so, and changes nothing the second time", async () => {
    const home = project();
    const first = await run(["init"], home);
    assert.equal(first.exitCode, 0);
    assert.match(
      first.stdout,
      /^created opencode\.json with "plugin": \["opencode-transcripts"\]\ncreated \.openfleet\/transcripts\/\.gitignore\n/,
    );
    assert.equal(readFileSync(join(home, "opencode.json"), "utf8"), newConfig("plugin"));
    const again = await run(["init"], home);
    assert.match(
      again.stdout,
      /^opencode\.json already has the plugin: unchanged\n\.openfleet already has 3 of its 3 files: unchanged\n$/,
    );
  });

  test("works from a folder inside the project, with the existing file", async () => {
    const home = project({ "opencode.jsonc": WRITTEN_BY_HAND, "src/x.ts": "" });
    const { stdout } = await run(["init"], join(home, "src"));
    assert.match(stdout, /added "opencode-transcripts" to "plugin" in \.\.\/opencode\.jsonc/);
    assert.equal(readFileSync(join(home, "opencode.jsonc"), "utf8"), ADDITIONS[0]?.[3]);
    assert.ok(!existsSync(join(home, "opencode.json")));
  });

  test("if one of several files has the plugin, the others are not changed", async () => {
    const files = { "opencode.jsonc": "{}", ".opencode/opencode.json": PRESENT[0] ?? "" };
    const home = project(files);
    assert.equal((await run(["init"], home)).exitCode, 0);
    assert.equal(readFileSync(join(home, "opencode.jsonc"), "utf8"), "{}");
  });

  test("an ambiguous configuration gets the key of the opencode on the path", async () => {
    for (const [version, key] of [
      ["1.18.33", "plugin"],
      ["2.0.14", "plugins"],
      ["opencode v2.1.0-beta.1", "plugins"],
      ["local", "plugin"],
    ] as const) {
      const bin = makeTempDir();
      writeFileSync(join(bin, "opencode"), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
      for (const [before, after] of [
        ["{}", key],
        ['{ "agent": {} }', "plugin"],
        [undefined, key],
      ] as const) {
        const home = project(before === undefined ? {} : { "opencode.json": before });
        const { stdout } = await run(["init"], home, { env: { PATH: bin } });
        const config = values(readFileSync(join(home, "opencode.json"), "utf8"));
        assert.deepEqual(config[after], ["opencode-transcripts"], version);
        assert.match(stdout, new RegExp(`"${after}"`));
      }
    }
  });

  test("sets up Kilo with --kilo, or if only Kilo has a configuration", async () => {
    const asked = project({ "opencode.json": "{}" });
    const { stdout } = await run(["init", "--kilo"], asked);
    assert.match(
      stdout,
      /^created kilo\.json with "plugin": \["opencode-transcripts"\]\n[^]*^Kilo records the next session/m,
    );
    assert.equal(JSON.parse(readFileSync(join(asked, "kilo.json"), "utf8")).$schema, "https://app.kilo.ai/config.json");
    assert.equal(readFileSync(join(asked, "opencode.json"), "utf8"), "{}");
    const alone = project({ ".kilo/kilo.jsonc": '{ "plugin": [] // none\n}' });
    await run(["init"], alone);
    assert.deepEqual(values(readFileSync(join(alone, ".kilo/kilo.jsonc"), "utf8")), { plugin: [PACKAGE] });
    assert.ok(!existsSync(join(alone, "opencode.json")));
  });

  test("writes templates into the folder set in the plugin's options", async () => {
    const home = project({ "opencode.json": '{"plugin": [["opencode-transcripts", {"directory": "notes"}]]}' });
    await run(["init"], home);
    assert.ok(existsSync(join(home, "notes/transcripts/README.md")));
    assert.ok(!existsSync(join(home, ".openfleet")));
    const options = { package: "opencode-transcripts", options: { directory: "notes" } };
    const newer = project({ "opencode.json": JSON.stringify({ plugins: [options] }) });
    await run(["init"], newer);
    assert.ok(existsSync(join(newer, "notes/transcripts/README.md")));
  });

  for (const [text] of BROKEN) {
    test(`broken JSON is named, and nothing is written: ${JSON.stringify(text)}`, async () => {
      const home = project({ "opencode.json": text });
      const { exitCode, stdout, stderr } = await run(["init"], home);
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

  test("keeps a symbolic link, and the mode of the file", async () => {
    const home = project({ "shared/config.json": "{}" });
    const target = join(home, "shared/config.json");
    chmodSync(target, 0o640);
    symlinkSync(target, join(home, "opencode.json"));
    await run(["init"], home);
    assert.ok(lstatSync(join(home, "opencode.json")).isSymbolicLink());
    assert.deepEqual(values(readFileSync(target, "utf8")), { plugin: [PACKAGE] });
    assert.equal(statSync(target).mode & 0o777, 0o640);
  });

  test("a working copy of the package is added by its folder, once", async () => {
    const home = project({ "opencode.json": '{ "plugin": ["other"] }' });
    const plugin = clone(join(home, "working copy"));
    const { stdout } = await run(["init"], home, { plugin });
    assert.ok(stdout.startsWith(`added "${plugin}" to "plugin" in opencode.json\n`), stdout);
    const text = readFileSync(join(home, "opencode.json"), "utf8");
    assert.deepEqual(JSON.parse(text), { plugin: ["other", plugin] });
    assert.match((await run(["init"], home, { plugin })).stdout, /^opencode\.json already has the plugin/);
    assert.match((await run(["doctor"], home, { plugin })).stdout, /opencode\.json has the plugin/);
    writeFileSync(join(home, "opencode.json"), JSON.stringify({ plugin: [[`${plugin}/`, {}]] }));
    assert.match((await run(["init"], home, { plugin })).stdout, /^opencode\.json already has the plugin/);
  });

  test("names a file that is in the place of the data folder, with what to do", async () => {
    const home = project({ ".openfleet": "" });
    const { exitCode, stderr } = await run(["init"], home);
    assert.equal(exitCode, 2);
    assert.match(stderr, /^transcripts: \S+\.openfleet\S* cannot be used: .* is a file, not a folder\. Check the path/);
  });

  test("the result as JSON", async () => {
    const home = project();
    const { stdout } = await run(["init", "--json"], home);
    assert.deepEqual(JSON.parse(stdout).configs, [{ path: join(home, "opencode.json"), change: "created" }]);
  });
});

/** Writes a file, and the folders above it. */
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A working copy of this package in a folder of any name. */
function clone(folder = join(makeTempDir(), "a clone")): string {
  write(join(folder, "package.json"), JSON.stringify({ name: PACKAGE }));
  write(join(folder, "server.js"), "");
  write(join(folder, "dist/plugin.js"), "");
  return folder;
}

describe("a second entry is never added, wherever the host finds the first", () => {
  for (const text of PRESENT) {
    test(`as ${text}`, async () => {
      const home = project({ "opencode.json": text });
      const { stdout } = await run(["init"], home);
      assert.match(stdout, /^opencode\.json already has the plugin: unchanged\n/);
      assert.equal(readFileSync(join(home, "opencode.json"), "utf8"), text);
    });
  }

  for (const other of ["opencode-transcripts-extra", "my-opencode-transcripts", "opencode"]) {
    test(`unless it is another plugin: ${other}`, async () => {
      const home = project({ "opencode.json": JSON.stringify({ plugin: [other] }) });
      assert.match((await run(["init"], home)).stdout, /^added /);
    });
  }

  const CONFIG = JSON.stringify({ plugin: [PACKAGE] });
  const places: Record<string, (home: string, root: string) => { path: string; env?: Record<string, string> }> = {
    "the user's configuration": (home) => ({ path: join(home, ".config/opencode/opencode.jsonc") }),
    "the user's configuration of 1.x": (home) => ({ path: join(home, ".config/opencode/config.json") }),
    "the folder of XDG_CONFIG_HOME": (home) => ({
      path: join(home, "xdg/opencode/opencode.json"),
      env: { XDG_CONFIG_HOME: join(home, "xdg") },
    }),
    "the folder .opencode of the home": (home) => ({ path: join(home, ".opencode/opencode.json") }),
    "the file of OPENCODE_CONFIG": (home) => ({
      path: join(home, "own.json"),
      env: { OPENCODE_CONFIG: join(home, "own.json") },
    }),
    "the folder of OPENCODE_CONFIG_DIR": (home) => ({
      path: join(home, "dir/opencode.json"),
      env: { OPENCODE_CONFIG_DIR: join(home, "dir") },
    }),
    "a folder of the repository below its root": (_home, root) => ({ path: join(root, "packages/opencode.json") }),
  };
  for (const [name, place] of Object.entries(places)) {
    test(`in ${name}`, async () => {
      const [home, root] = [makeTempDir(), project({ "packages/app/x.ts": "" })];
      const { path, env = {} } = place(home, root);
      write(path, CONFIG);
      const cwd = join(root, "packages/app");
      const { stdout } = await runCli(["init"], { home, cwd, env });
      assert.match(stdout, /opencode\.jsonc?|config\.json|own\.json/);
      assert.match(stdout.split("\n")[0] ?? "", /already has the plugin: unchanged$/);
      assert.deepEqual(
        readdirSync(root).filter((each) => each.startsWith("opencode")),
        [],
      );
      assert.match((await runCli(["doctor"], { home, cwd, env })).stdout, /\+ \S+ has the plugin\n/);
    });
  }

  test("in the variable OPENCODE_CONFIG_CONTENT", async () => {
    const env = { OPENCODE_CONFIG_CONTENT: CONFIG };
    const { stdout } = await run(["init"], project(), { env });
    assert.match(stdout, /^OPENCODE_CONFIG_CONTENT already has the plugin: unchanged\n/);
  });

  test("as the path of a clone of any name, of a file in it, and through a link", async () => {
    const folder = clone();
    const links = makeTempDir();
    symlinkSync(folder, join(links, "link"));
    const specs = [
      folder,
      join(folder, "server.js"),
      `file://${encodeURI(folder)}/dist/plugin.js`,
      join(links, "link"),
    ];
    for (const spec of [...specs, relative(links, folder)]) {
      const home = project({ "opencode.json": JSON.stringify({ plugin: [[spec, { directory: "notes" }]] }) });
      const cwd = spec.startsWith(".") ? links : home;
      if (cwd !== home) write(join(links, "opencode.json"), readFileSync(join(home, "opencode.json"), "utf8"));
      const { stdout } = await run(["init"], cwd);
      assert.match(stdout, /^opencode\.json already has the plugin: unchanged\n/, spec);
      assert.ok(existsSync(join(cwd, "notes/transcripts/README.md")));
      const doctor = await run(["doctor"], cwd);
      assert.match(doctor.stdout, /transcript {2}\S+notes\/transcripts/, "where transcripts are is known too");
    }
  });

  test("as a file in a folder of plugins: a link to a clone, or a module that imports it", async () => {
    const folder = clone();
    const home = project({ ".opencode/plugins/other.js": 'import "opencode";' });
    assert.match((await run(["init"], home)).stdout, /^created opencode\.json/);
    rmSync(join(home, "opencode.json"));
    symlinkSync(join(folder, "dist/plugin.js"), join(home, ".opencode/plugins/transcripts.js"));
    assert.match((await run(["init"], home)).stdout, /^\.opencode\/plugins\/transcripts\.js already has the plugin/);
    const importing = project({ ".opencode/plugin/mine.ts": `export { default } from "${folder}/dist/plugin.js";` });
    assert.match((await run(["init"], importing)).stdout, /^\.opencode\/plugin\/mine\.ts already has the plugin/);
  });

  test("of opencode 2.x, which reads up to the root of the file system", async () => {
    const above = makeTempDir();
    write(join(above, "opencode.json"), CONFIG);
    const root = join(above, "project");
    mkdirSync(join(root, ".git"), { recursive: true });
    const bin = makeTempDir();
    const versions = [
      ["2.0.14", /^\S*opencode\.json already has the plugin: unchanged\n/],
      ["1.18.33", /^created opencode\.json/],
    ] as const;
    for (const [version, says] of versions) {
      writeFileSync(join(bin, "opencode"), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
      assert.match((await run(["init"], root, { env: { PATH: bin } })).stdout, says, version);
    }
  });

  test("of Kilo, which reads opencode's files of a project and its own folders", async () => {
    const places = ["opencode.json", ".kilocode/kilo.json", ".kilo/opencode.jsonc"];
    for (const path of places) {
      const root = project({ [path]: CONFIG });
      assert.match((await run(["init", "--kilo"], root)).stdout, /already has the plugin: unchanged\n/, path);
      assert.ok(!existsSync(join(root, "kilo.json")));
    }
  });
});

describe("the user's own configuration", () => {
  test("gets the plugin with --global; the project gets no files", async () => {
    const [home, cwd] = [makeTempDir(), makeTempDir()];
    const path = join(home, ".config/opencode/opencode.json");
    const { stdout } = await runCli(["init", "--global"], { home, cwd });
    assert.equal(
      stdout,
      `created ${path} with "plugin": ["opencode-transcripts"]\nopencode records the next session that it starts in any project.\n`,
    );
    assert.deepEqual(readdirSync(cwd), []);
    assert.match((await runCli(["init", "--global"], { home, cwd })).stdout, /already has the plugin: unchanged\n$/);
    await runCli(["init", "--global", "--kilo"], { home, cwd });
    assert.ok(existsSync(join(home, ".config/kilo/kilo.json")));
  });

  test("names a project's entry that would load the plugin a second time", async () => {
    const [home, cwd] = [makeTempDir(), project({ "opencode.json": JSON.stringify({ plugin: [clone()] }) })];
    const { stdout } = await runCli(["init", "--global"], { home, cwd });
    assert.match(
      stdout,
      /^created [^]*\nopencode\.json has the plugin too: `transcripts init --remove` removes it there\n/,
    );
  });
});

describe("removing the plugin", () => {
  test("changes only the project's configuration, and names other places that have it", async () => {
    const [home, cwd] = [makeTempDir(), project({ "opencode.jsonc": WRITTEN_BY_HAND })];
    const setting = { home, cwd };
    await runCli(["init"], setting);
    await runCli(["init", "--global"], setting);
    const own = join(home, ".config/opencode/opencode.json");
    assert.equal(
      (await runCli(["init", "--remove"], setting)).stdout,
      `removed the plugin from opencode.jsonc\n${own} has the plugin too: \`transcripts init --remove --global\` removes it there\n`,
    );
    assert.deepEqual(values(readFileSync(join(cwd, "opencode.jsonc"), "utf8")), values(WRITTEN_BY_HAND));
    assert.ok(existsSync(join(cwd, ".openfleet/transcripts/README.md")), "transcripts stay");
    assert.match((await runCli(["init", "--remove", "--global"], setting)).stdout, /^removed the plugin from \//);
    assert.match(
      (await runCli(["init", "--remove"], setting)).stdout,
      /^No configuration of this project has the plugin/,
    );
  });
});

describe("a folder that is probably not a project", () => {
  test("is set up only if the user says so: the home folder", async () => {
    const home = makeTempDir();
    const refused = await runCli(["init"], { home });
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /your home folder.*add --yes to confirm/s);
    const denied = await runCli(["init"], { home, terminal: 80, stdin: "no\n" });
    assert.equal(denied.exitCode, 2);
    assert.deepEqual(readdirSync(home), []);
    assert.equal((await runCli(["init", "--yes"], { home })).exitCode, 0);
    assert.ok(existsSync(join(home, "opencode.json")));
  });

  test("a configuration in the home does not make the home the project of a folder below it", async () => {
    const home = makeTempDir();
    write(join(home, "opencode.json"), "{}");
    const cwd = join(home, "notes");
    mkdirSync(cwd);
    assert.match((await runCli(["init"], { home, cwd })).stdout, /^created opencode\.json/);
  });

  test("the root of the file system", async () => {
    const { exitCode, stderr } = await runCli(["init"], { home: makeTempDir(), cwd: "/" });
    assert.equal(exitCode, 2);
    assert.match(stderr, /the root of the file system/);
  });
});

describe("what doctor says of the plugin's options", () => {
  test("names wrong values with their file", async () => {
    const options = { format: "pdf", maxInlineChar: 1, directory: "~/log" };
    const [home, cwd] = [makeTempDir(), project({ "opencode.json": JSON.stringify({ plugin: [[PACKAGE, options]] }) })];
    const { stdout, exitCode } = await runCli(["doctor"], { home, cwd });
    assert.equal(exitCode, 2);
    assert.match(
      stdout,
      /x \S+opencode\.json has the plugin\n +format: "pdf" is not allowed.*\n +maxInlineChar: unknown/,
    );
    assert.match(stdout, new RegExp(`transcript  ${home}/log/transcripts`));
  });

  test("names a broken configuration of the user", async () => {
    const home = makeTempDir();
    write(join(home, ".config/opencode/opencode.json"), "{");
    const { stdout } = await runCli(["doctor"], { home, cwd: project() });
    assert.match(stdout, /x \S+opencode\.json:\n +line 1, column 2: close brace expected\n/);
  });
});
