/**
 * Freezes the behaviour of a built checkout: every command with --json, every tool over MCP, the library's parser and
 * the recorder, over ../shared/corpus, in the four states of the store. Two builds are compared with `diff -r`.
 *
 *     node scripts/freeze-behaviour.mjs --repo CHECKOUT --out DIR [--recorded DIR] [--only record,parser,commands,tools]
 *
 * `--recorded`: transcripts to read back, made by the first build that runs and used for all. Default: beside `--out`.
 *
 * Row ids, times of now and process-bound paths are normalised.
 */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";

const { values } = parseArgs({
  options: {
    repo: { type: "string" },
    out: { type: "string" },
    only: { type: "string" },
    recorded: { type: "string" },
  },
});
const repo = resolve(values.repo ?? ".");
const out = resolve(values.out ?? "");
const recordings = resolve(values.recorded ?? join(dirname(out), "recorded"));
const CORPUS = join(repo, "../shared/corpus");
const MACHINE = join(tmpdir(), "frozen-machine");
const HOME = join(MACHINE, "home");
const PROJECT = join(HOME, "project");
const MAIN = join(repo, "dist/cli/main.js");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const filesIn = (folder, end) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((n) => n.endsWith(end))
        .toSorted()
        .map((n) => join(folder, n))
    : [];

function normalised(text) {
  const ids = new Map();
  const year = new Date().getUTCFullYear();
  return text
    .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, (id) => `<ulid ${ids.get(id) ?? ids.set(id, ids.size).get(id)}>`)
    .replace(new RegExp(`\\b${year}-\\d\\d-\\d\\dT[\\d:.]+Z`, "g"), "<now>")
    .replaceAll(repo, "<repo>");
}
function keep(name, text) {
  const path = join(out, name.replaceAll(/[^\w.,=@/+-]/g, "_"));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, normalised(text));
}

async function machine() {
  rmSync(MACHINE, { recursive: true, force: true });
  mkdirSync(PROJECT, { recursive: true });
  let n = 0;
  const dated = (path) => {
    const t = 1_780_000_000 + 1_000 * n++;
    utimesSync(path, t, t);
  };
  for (const path of filesIn(join(CORPUS, "claude-code"), ".jsonl")) {
    const to = join(HOME, ".claude/projects", relative(join(CORPUS, "claude-code"), path));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(path, to);
    dated(to);
  }
  const database = join(HOME, ".local/share/opencode/opencode.db");
  mkdirSync(dirname(database), { recursive: true });
  const db = new DatabaseSync(database);
  db.exec(`CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT, version TEXT,
    time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);`);
  for (const path of filesIn(join(CORPUS, "opencode-export"), ".jsonl")) {
    let value;
    try {
      value = JSON.parse(readFileSync(path, "utf8"));
    } catch {
      continue;
    }
    const { info, messages = [] } = value;
    if (!info?.id) continue;
    db.prepare("INSERT OR IGNORE INTO session VALUES (?,?,?,?,?,?,?,?,?)").run(
      info.id,
      info.projectID ?? null,
      info.parentID ?? null,
      info.slug ?? null,
      info.directory ?? null,
      info.title ?? null,
      info.version ?? null,
      info.time?.created ?? 0,
      info.time?.updated ?? 0,
    );
    for (const m of messages) {
      const { id, sessionID: _session, ...data } = m.info;
      db.prepare("INSERT OR IGNORE INTO message VALUES (?,?,?,?,?)").run(
        id,
        info.id,
        m.info.time?.created ?? 0,
        m.info.time?.created ?? 0,
        JSON.stringify(data),
      );
      for (const p of m.parts ?? []) {
        const { id: pid, sessionID: _s, messageID: _m, ...rest } = p;
        db.prepare("INSERT OR IGNORE INTO part VALUES (?,?,?,?,?,?)").run(pid, id, info.id, 0, 0, JSON.stringify(rest));
      }
    }
  }
  db.close();
  dated(database);
  if (existsSync(recordings)) cpSync(recordings, join(PROJECT, ".openfleet"), { recursive: true });
  for (const path of filesIn(join(PROJECT, ".openfleet"), "")) if (statSync(path).isFile()) dated(path);
}

const env = (data) => ({
  PATH: process.env.PATH,
  HOME,
  LANG: "C.UTF-8",
  TZ: "Europe/Berlin",
  NO_COLOR: "1",
  XDG_DATA_HOME: data,
  XDG_CONFIG_HOME: join(HOME, ".config"),
});

function run(args, data, input = "") {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: PROJECT,
      env: { ...env(data) },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let stdout = "",
      stderr = "";
    child.stdout.on("data", (d) => (stdout += d));
    child.stderr.on("data", (d) => (stderr += d));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const timer = setTimeout(() => child.kill("SIGKILL"), 120_000);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

const sessionsOf = () => [
  ...filesIn(join(HOME, ".claude/projects"), ".jsonl"),
  ...filesIn(join(PROJECT, ".openfleet/transcripts"), ".md").filter((p) => basename(p).startsWith("ses_")),
  ...filesIn(join(PROJECT, ".openfleet/transcripts"), ".jsonl"),
];
const PER_SESSION = (s) => [
  ["show", s, "--json"],
  ["show", s, "--summary", "--json"],
  ["show", s, "--with-tools", "--with-thinking"],
  ["show", s, "--last", "2", "--json"],
  ["timeline", s, "--json"],
  ["entries", s],
  ["errors", s, "--json"],
  ["errors", s],
  ["errors", s, "--fixes", "--json"],
  ["errors", s, "--subagents", "--locate", "--json"],
  ["stats", s, "--json"],
  ["tail", s, "--json", "-n", "5"],
  ["export", s, "--html", "-o", "-"],
  ["snippets", "suggest", s, "--json"],
];
const TERMS = [
  "error",
  "migration",
  "test",
  "TypeError",
  "not found",
  "npm run",
  "Überprüfung",
  "const",
  "http",
  "permission denied",
  "zz-nothing-zz",
  "a",
  "日本",
  "\\n",
  '"type"',
];
const ACROSS = [
  ["list", "--json"],
  ["list", "--json", "--subagents"],
  ["list", "--json", "--recent", "5"],
  ["list", "--json", "--since", "2026-01-15"],
  ["stats", "--all", "--json"],
  ...["day", "project", "model", "session"].map((by) => ["stats", "--all", "--by", by, "--json"]),
  ["stats", "--all", "--since", "2026-01-15", "--json"],
  ["errors", "latest", "--json"],
  ["doctor", "--json", "--all"],
  ["show", "latest", "--json"],
  ...TERMS.flatMap((t) => [
    ["find", t, "--json"],
    ["find", t, "--json", "--role", "user"],
    ["find", t, "--json", "--errors"],
    ["find", t, "--json", "--tool", "Bash"],
  ]),
  ["find", "--words", "retry queue order", "--json"],
  ["find", "error", "--since", "2026-01-15", "--json"],
  ["snippets", "query", "error", "--json"],
  ["snippets", "count", "--json"],
  ["show", "nope", "--json"],
  ["errors"],
  ["find"],
  ["list", "--since", "never"],
  ["frobnicate"],
  ["--version"],
  ["--help"],
  ["show", join(CORPUS, "codex"), "--json"],
  ["stats", "/etc/passwd", "--json"],
];

async function pool(jobs, work) {
  const next = jobs[Symbol.iterator]();
  await Promise.all(
    [0, 1].map(async () => {
      for (const job of { [Symbol.iterator]: () => next }) await work(job);
    }),
  );
}
const shown = (args) =>
  args
    .map((a) => a.replace(HOME, "~").replaceAll("/", "+"))
    .join(",")
    .slice(0, 180);

async function commands() {
  for (const state of ["1-none", "2-figures", "3-content", "4-gone"]) {
    await machine();
    const data = join(MACHINE, "data");
    const sessions = sessionsOf();
    if (state === "2-figures") await run(["stats", "--all", "--json"], data);
    if (state >= "3") keep(`${state}/index`, JSON.stringify(await run(["index", "--json"], data)));
    if (state === "4-gone") {
      rmSync(join(HOME, ".claude"), { recursive: true });
      rmSync(join(PROJECT, ".openfleet"), { recursive: true, force: true });
      rmSync(join(HOME, ".local/share/opencode"), { recursive: true });
    }
    const targets =
      state === "4-gone"
        ? sessions.map((s) => basename(s).replace(/\.\w+$/, ""))
        : state === "1-none"
          ? sessions
          : sessions.filter((_, n) => n % 4 === 0);
    const jobs = [...ACROSS, ...targets.flatMap(PER_SESSION)];
    await pool(jobs, async (args) => {
      const own = state === "1-none" ? join(MACHINE, `data-${Math.random()}`) : data;
      const { code, signal, stdout, stderr } = await run(args, own);
      if (state === "1-none") rmSync(own, { recursive: true, force: true });
      keep(`${state}/${shown(args)}`, `exit ${code ?? signal}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`);
    });
  }
}

async function parser() {
  const { parseTranscript } = await import(pathToFileURL(join(repo, "dist/index.js")).href);
  const paths = ["claude-code", "claude-stream-json", "opencode-export"].flatMap((k) => [
    ...filesIn(join(CORPUS, k), ".jsonl"),
    ...filesIn(join(CORPUS, k), ".json"),
  ]);
  for (const path of [...paths, ...filesIn(recordings, ".md"), ...filesIn(recordings, ".jsonl")]) {
    const result = await parseTranscript("s", readFileSync(path));
    keep(`parse/${relative(CORPUS, path).replaceAll("/", "+")}`, JSON.stringify(result, null, 1));
  }
}

async function record() {
  const { default: plugin } = await import(pathToFileURL(join(repo, "dist/plugin.js")).href);
  const folder = join(MACHINE, "recording");
  for (const path of filesIn(join(CORPUS, "opencode-events"), ".json")) {
    const content = JSON.parse(readFileSync(path, "utf8"));
    if (!content.every((e) => e && typeof e === "object" && "type" in e)) continue;
    const project = join(folder, basename(path, ".json"));
    mkdirSync(project, { recursive: true });
    const ask = (name) => async (asked) => {
      const id = /"id":"([^"]*)"/.exec(JSON.stringify(asked))?.[1];
      return name === "session.get" ? { data: { id } } : name === "session.messages" ? { data: [] } : {};
    };
    const client = {
      session: { get: ask("session.get"), messages: ask("session.messages"), summarize: ask("s") },
      app: { log: ask("log") },
      tui: { showToast: ask("toast") },
    };
    const hooks = await plugin.server(
      { directory: project, worktree: project, client, project: { id: "p" }, serverUrl: new URL("http://localhost") },
      { format: "both", maxInlineChars: 1000 },
    );
    for (const event of content) await hooks.event({ event });
    await hooks.dispose?.();
    for (const file of filesIn(join(project, ".openfleet"), ""))
      if (statSync(file).isFile())
        keep(`record/${relative(folder, file).replaceAll("/", "+")}`, readFileSync(file, "utf8"));
    if (!existsSync(join(recordings, ".done"))) cpSync(join(project, ".openfleet"), recordings, { recursive: true });
  }
  if (existsSync(recordings)) writeFileSync(join(recordings, ".done"), "");
}

async function tools() {
  const { Client } = await import(
    pathToFileURL(join(repo, "node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js")).href
  );
  const { StdioClientTransport } = await import(
    pathToFileURL(join(repo, "node_modules/@modelcontextprotocol/sdk/dist/esm/client/stdio.js")).href
  );
  for (const state of ["1-none", "3-content"]) {
    await machine();
    const data = join(MACHINE, "data");
    if (state === "3-content") await run(["index"], data);
    const client = new Client({ name: "freeze", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, "mcp"],
        cwd: PROJECT,
        env: env(data),
        stderr: "ignore",
      }),
    );
    keep(`tools/${state}/list`, JSON.stringify(await client.listTools(), null, 1));
    const first = sessionsOf().filter((_, n) => n % 3 === 0);
    const calls = [
      ...TERMS.map((query) => ["find_in_transcripts", { query }]),
      ["find_in_transcripts", { query: "retry queue", match: "words", limit: 5 }],
      ["list_sessions", {}],
      ["list_sessions", { limit: 5 }],
      ["list_errors", {}],
      ["list_errors", { fixes: true, limit: 20 }],
      ...first.flatMap((session) => [
        ["read_session", { session }],
        ["read_session", { session, turns: "-2", with_tools: true, with_thinking: true }],
        ["list_errors", { session, fixes: true }],
      ]),
      ["query_snippets", { keyword: "error" }],
      ["read_session", { session: "nope" }],
      ["find_in_transcripts", {}],
      [
        "extract_snippet",
        { session_id: first[0], content: "x".repeat(120), snippet_type: "learning_pattern", title: "T" },
      ],
    ];
    for (const [tool, args] of calls) {
      const name = JSON.stringify(tool).replaceAll('"', "");
      const answer = await client.callTool({ name, arguments: args }).catch((error) => ({ error: String(error) }));
      keep(
        `tools/${state}/${name},${shown([JSON.stringify(args)])}`,
        JSON.stringify(answer, null, 1).replaceAll("\\n", "\n"),
      );
    }
    await client.close();
  }
}

const only = values.only?.split(",") ?? ["record", "parser", "commands", "tools"];
for (const [name, work] of Object.entries({ record, parser, commands, tools })) {
  if (!only.includes(name)) continue;
  const start = Date.now();
  await work();
  console.log(name, ((Date.now() - start) / 1000).toFixed(1), "s");
}
process.exit(0);
