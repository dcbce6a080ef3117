/**
 * Made-up sessions of a year for the pictures of the pages: three agents, four projects, errors that come up again, and one
 * session that has a bit of everything.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Random } from "../bench/made-texts.ts";

type Agent = "claude-code" | "codex" | "gemini-cli";

/** One thing that happens in a session. */
type Step =
  | { prompt: string }
  | { say: string }
  | { think: string }
  | { tool: string; input: Record<string, unknown>; output: string; failed?: boolean; agentId?: string };

interface Story {
  title: string;
  steps: readonly Step[];
}

const HOME = "/home/ada";
const PROJECTS = ["shop", "weather-api", "docs-site", "dotfiles"] as const;

const read = (path: string, output: string): Step => ({ tool: "Read", input: { file_path: path }, output });
const run = (command: string, output: string, exit = 0): Step => ({
  tool: "Bash",
  input: { command },
  output: exit === 0 ? output : `Exit code ${exit}\n${output}`,
  failed: exit !== 0,
});
const edit = (path: string, from: string, to: string): Step => ({
  tool: "Edit",
  input: { file_path: path, old_string: from, new_string: to },
  output: `The file ${path} has been updated.`,
});
const failedEdit = (path: string, from: string, to: string, output: string): Step => ({
  ...edit(path, from, to),
  output: `<tool_use_error>${output}</tool_use_error>`,
  failed: true,
});

const NOT_READ = "File has not been read yet. Read it first before writing to it.";

/** The session that the pictures show. */
function priceParser(project: string): Story {
  const price = `${project}/src/price.ts`;
  const source = [
    "1\texport function parsePrice(text: string): number {",
    "2\t  const value = Number(text);",
    "3\t  if (Number.isNaN(value)) throw new RangeError(`not a price: ${text}`);",
    "4\t  return Math.round(value * 100);",
    "5\t}",
  ].join("\n");
  const failure = [
    "✖ accepts a comma between thousands (0.8ms)",
    "  RangeError: not a price: 1,200.50",
    "      at parsePrice (src/price.ts:3:34)",
    "",
    "ℹ tests 14   ℹ pass 13   ℹ fail 1",
  ].join("\n");
  const fix = 'const value = Number(text.replaceAll(",", ""));';
  return {
    title: "Accept thousands separators in prices",
    steps: [
      {
        prompt:
          "The import of last night failed: `1,200.50` is not a price, says the parser.\nPlease make it accept a comma between thousands, with a test.",
      },
      {
        think:
          "The parser calls Number() on the text, which gives NaN for a comma. I look at it, and write the test first.",
      },
      { say: "I look at the parser first, then write a test that fails." },
      read(price, source),
      failedEdit(
        `${project}/test/price.test.ts`,
        "});\n",
        '  test("accepts a comma between thousands", () => {\n    assert.equal(parsePrice("1,200.50"), 120050);\n  });\n});\n',
        NOT_READ,
      ),
      read(`${project}/test/price.test.ts`, '1\tdescribe("parsePrice", () => {\n2\t});'),
      edit(
        `${project}/test/price.test.ts`,
        "});\n",
        '  test("accepts a comma between thousands", () => {\n    assert.equal(parsePrice("1,200.50"), 120050);\n  });\n});\n',
      ),
      run("npm test", failure, 1),
      edit(price, "const value = Number(text);", fix),
      run("npm test", "ℹ tests 14   ℹ pass 14   ℹ fail 0"),
      {
        say: [
          "The parser accepts `1,200.50` now, and all 14 tests pass.",
          "",
          "| input | before | now |",
          "| --- | --- | --- |",
          "| `12` | 1200 | 1200 |",
          "| `1,200.50` | error | 120050 |",
          "| `1,2,3` | error | 12300 |",
          "",
          "The last row is more than you asked for: commas are removed **wherever** they are. Shall I be stricter?",
        ].join("\n"),
      },
      { prompt: "Yes, only between groups of three digits. And see whether another importer has the same problem." },
      {
        tool: "TodoWrite",
        input: {
          todos: [
            { content: "Accept commas only between groups of three", status: "in_progress", activeForm: "Editing" },
            { content: "Look for other importers", status: "pending", activeForm: "Looking" },
          ],
        },
        output: "Todos have been modified.",
      },
      {
        tool: "Task",
        input: {
          description: "Find other importers",
          prompt: "Find code that reads numbers of suppliers.",
          subagent_type: "Explore",
        },
        output: "Two others: src/import/stock.ts and src/import/weights.ts. Both call Number() on the text.",
        agentId: "a1",
      },
      edit(
        price,
        fix,
        'if (!/^\\d{1,3}(,\\d{3})*(\\.\\d+)?$|^\\d+(\\.\\d+)?$/.test(text)) {\n    throw new RangeError(`not a price: ${text}`);\n  }\n  const value = Number(text.replaceAll(",", ""));',
      ),
      run(
        "npx tsc --noEmit",
        "src/import/stock.ts(9,28): error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type 'string'.",
        2,
      ),
      edit(`${project}/src/import/stock.ts`, "parsePrice(row.price)", 'parsePrice(row.price ?? "")'),
      run("npx tsc --noEmit && npm test", "ℹ tests 17   ℹ pass 17   ℹ fail 0"),
      {
        say: 'Commas are accepted only between groups of three now. `stock.ts` and `weights.ts` had the same problem; both use `parsePrice` now.\n\n```ts\nparsePrice("1,200.50"); // 120050\nparsePrice("1,2,3");    // RangeError\n```',
      },
      { prompt: "Good. Commit it." },
      run(
        'git commit -am "Accept thousands separators in prices"',
        "[main 4be1f02] Accept thousands separators in prices\n 4 files changed, 21 insertions(+), 4 deletions(-)",
      ),
      { say: "Committed as `4be1f02`: four files changed." },
    ],
  };
}

/** What the subagent did. */
const EXPLORED: readonly Step[] = [
  { prompt: "Find code that reads numbers of suppliers." },
  {
    tool: "Grep",
    input: { pattern: "Number\\(", path: "src" },
    output: "src/import/stock.ts:9\nsrc/import/weights.ts:14",
  },
  { say: "Two others: `src/import/stock.ts` and `src/import/weights.ts`. Both call `Number()` on the text." },
];

/** Everyday sessions: told again and again over the year. */
function stories(project: string): Story[] {
  const src = (name: string): string => `${project}/src/${name}`;
  return [
    {
      title: "Why does the build take four minutes?",
      steps: [
        { prompt: "The build takes four minutes since last week. Find out why." },
        run("npm run build -- --profile", "transform 201.4 s\nbundle     21.0 s"),
        { say: "Nearly all of it is the transform step, which now also runs on `node_modules`." },
        edit(src("../build.config.ts"), "exclude: []", 'exclude: ["node_modules"]'),
        run("npm run build", "built in 38.2 s"),
        { say: "38 seconds. A change of last week emptied the list of excluded folders." },
      ],
    },
    {
      title: "Flaky test: two workers take the same job",
      steps: [
        { prompt: "The queue test fails now and then. Two workers take the same job, it says." },
        run(
          "npm test -- queue --repeat 50",
          "AssertionError: job 7 was taken twice\n    at test/queue.test.ts:41:12",
          1,
        ),
        read(src("queue.ts"), "1\tconst job = await next();\n2\tawait mark(job, worker);"),
        edit(
          src("queue.ts"),
          "const job = await next();\n  await mark(job, worker);",
          "const job = await takeNext(worker);",
        ),
        run("npm test -- queue --repeat 50", "ℹ tests 50   ℹ pass 50"),
        { say: "Reading and marking were two statements. They are one now, in a transaction." },
      ],
    },
    {
      title: "Add a dark colour scheme to the settings page",
      steps: [
        { prompt: "Please add a dark colour scheme to the settings page." },
        failedEdit(src("settings.css"), ".page {", ".page {\n  color-scheme: light dark;", NOT_READ),
        read(src("settings.css"), "1\t.page {\n2\t  color: #222;"),
        edit(src("settings.css"), ".page {", ".page {\n  color-scheme: light dark;"),
        { say: "The page follows the system's scheme now." },
      ],
    },
    {
      title: "Upgrade to React 19",
      steps: [
        { prompt: "Upgrade React to 19, please." },
        run(
          "npm install react@19 react-dom@19",
          "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error Found: react@18.3.1",
          1,
        ),
        run("npm install react@19 react-dom@19 @types/react@19", "changed 4 packages in 6s"),
        run(
          "npx tsc --noEmit",
          "src/app.tsx(12,7): error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type 'string'.",
          2,
        ),
        edit(src("app.tsx"), "open(id)", 'open(id ?? "")'),
        run("npx tsc --noEmit", ""),
        { say: "React is at 19.2. One type had to change." },
      ],
    },
    {
      title: "The server does not start: address already in use",
      steps: [
        { prompt: "The server does not start." },
        run("npm start", "Error: listen EADDRINUSE: address already in use :::3000", 1),
        run("lsof -ti :3000", "48211"),
        run("kill 48211 && npm start", "listening on 3000"),
        { say: "An earlier server was still running. It is stopped, and the new one listens on 3000." },
      ],
    },
    {
      title: "Release notes for 2.4",
      steps: [
        { prompt: "Write the release notes for 2.4 from the commits since 2.3." },
        run("git log v2.3..HEAD --oneline", "4be1f02 Accept thousands separators\n91c2aa0 Faster build"),
        { say: "## 2.4\n\n- Prices may have thousands separators.\n- The build is six times as fast." },
      ],
    },
    {
      title: "Rename the customer table to accounts, with a migration",
      steps: [
        { prompt: "Rename the table `customer` to `accounts`, with a migration that can be undone." },
        run(
          "psql -c 'alter table customer rename to accounts'",
          "ERROR:  permission denied: must be owner of table customer",
          1,
        ),
        { say: "My user may not change the table, so I write the migration as a file." },
        edit(src("migrations/042.sql"), "", "alter table customer rename to accounts;"),
        { prompt: "Run it with the owner's role." },
        run("npm run migrate -- --role owner", "042 applied"),
        { say: "Done. `npm run migrate -- --down 042` undoes it." },
      ],
    },
    {
      title: "Explain the retry logic of the payment client",
      steps: [
        { prompt: "How does the payment client decide whether to try again?" },
        read(src("payment/client.ts"), "1\tfor (let attempt = 0; attempt < 4; attempt++) {"),
        {
          say: "It tries four times, and waits 1, 2 and 4 seconds. Only network errors and 5xx are tried again; a 409 is not.",
        },
      ],
    },
    {
      title: "Search is slow for long queries",
      steps: [
        { prompt: "Searching with ten words takes three seconds. Make it faster." },
        run("npm run bench -- search", "10 words: 3,120 ms"),
        edit(src("search.ts"), "words.map(find)", "rarestFirst(words).map(find)"),
        run("npm run bench -- search", "10 words: 84 ms"),
        { say: "The rarest word is looked up first now, so the others have little left to check: 84 ms." },
      ],
    },
    {
      title: "Shell prompt appears after a delay of two seconds",
      steps: [
        { prompt: "My shell shows its prompt only after two seconds." },
        run("zsh -i -c exit", "zsh: command not found: rg", 127),
        run("time zsh -i -c exit", "real 2.04 s"),
        edit(`${HOME}/dotfiles/.zshrc`, "compinit", "autoload -Uz compinit; compinit -C"),
        run("time zsh -i -c exit", "real 0.11 s"),
        { say: "Completions were built again at each start. They are cached now: 0.1 seconds." },
      ],
    },
  ];
}

/** Writes the sessions below a home folder. `now`: when the last one ended. Returns the id of the session to show. */
export function writeSessions(home: string, now: Date): string {
  const random = new Random(11);
  const id = random.uuid();
  const today = now.getTime() - 25 * 60_000;
  write(home, {
    id,
    agent: "claude-code",
    project: PROJECTS[0],
    story: priceParser(`${HOME}/shop`),
    start: today,
    random,
  });
  for (let day = 0; day < 364; day += 1) {
    const date = new Date(today - day * 86_400_000);
    const isWeekend = date.getDay() % 6 === 0;
    // Work comes in waves.
    const busy = 2.6 + 1.8 * Math.sin(day / 23) - (isWeekend ? 2.4 : 0);
    for (let left = Math.round(busy * random.next() * 1.4); left > 0; left -= 1) {
      const project = random.pick(PROJECTS);
      const all = stories(`${HOME}/${project}`);
      const story = all[random.below(all.length)];
      const start = date.setHours(8 + random.below(10), random.below(60));
      const agent = random.pick<Agent>(["claude-code", "claude-code", "codex", "gemini-cli"]);
      if (story !== undefined && start < today - 3_600_000)
        write(home, { id: random.uuid(), agent, project, story, start, random });
    }
  }
  return id;
}

interface Told {
  id: string;
  agent: Agent;
  project: string;
  story: Story;
  start: number;
  random: Random;
}

function write(home: string, told: Told): void {
  const { id, agent, start, project } = told;
  if (agent === "claude-code") {
    const folder = `.claude/projects/-home-ada-${project}`;
    writeLines(join(home, folder, `${id}.jsonl`), claudeLines(told, told.story.steps));
    if (told.story.steps.some((step) => "agentId" in step)) {
      const child = claudeLines(told, EXPLORED).map((line) => ({ ...line, isSidechain: true, agentId: "a1" }));
      writeLines(join(home, folder, id, "subagents/agent-a1.jsonl"), child);
    }
  } else if (agent === "codex") {
    const time = new Date(start).toISOString().slice(0, 19).replaceAll(":", "-");
    const folder = `.codex/sessions/${time.slice(0, 10).replaceAll("-", "/")}`;
    writeLines(join(home, folder, `rollout-${time}-${id}.jsonl`), codexLines(told));
  } else {
    const folder = `.gemini/tmp/${project}`;
    const time = new Date(start).toISOString().slice(0, 16).replace(":", "-");
    writeLines(join(home, folder, `chats/session-${time}-${id.slice(0, 8)}.jsonl`), geminiLines(told));
    writeFileSync(join(home, folder, ".project_root"), `${HOME}/${project}`);
  }
}

type Line = Record<string, unknown>;

function writeLines(path: string, lines: readonly Line[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** Times of steps, some of them long after the one before. */
function* timesOf({ start, random }: Told): Generator<string, never> {
  let at = start;
  for (;;) {
    yield new Date(at).toISOString();
    at += 1_000 * random.size(14, 4, 120);
  }
}

function claudeLines(told: Told, steps: readonly Step[]): Line[] {
  const { id, project, story, random } = told;
  const times = timesOf(told);
  const model = random.pick(["claude-opus-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929"]);
  const common = { sessionId: id, cwd: `${HOME}/${project}`, version: "2.1.200", gitBranch: "main" };
  const lines: Line[] = [];
  const add = (line: Line): void =>
    void lines.push({ ...common, uuid: random.uuid(), timestamp: times.next().value, ...line });
  const answer = (block: Line): void => {
    const usage = {
      input_tokens: random.below(2_000),
      output_tokens: random.size(600, 5, 8_000),
      cache_read_input_tokens: random.size(60_000, 4, 400_000),
      cache_creation_input_tokens: random.size(4_000, 4, 60_000),
    };
    add({ type: "assistant", message: { id: random.uuid(), role: "assistant", model, content: [block], usage } });
  };
  lines.push({ type: "custom-title", customTitle: story.title, sessionId: id });
  for (const step of steps) {
    if ("prompt" in step) add({ type: "user", message: { role: "user", content: step.prompt } });
    else if ("say" in step) answer({ type: "text", text: step.say });
    else if ("think" in step) answer({ type: "thinking", thinking: step.think, signature: "made" });
    else {
      const call = `toolu_${random.uuid().slice(0, 8)}`;
      answer({ type: "tool_use", id: call, name: step.tool, input: step.input });
      const result = { type: "tool_result", tool_use_id: call, content: step.output, is_error: step.failed ?? false };
      const more = step.agentId === undefined ? {} : { toolUseResult: { agentId: step.agentId } };
      add({ type: "user", message: { role: "user", content: [result] }, ...more });
    }
  }
  return lines;
}

function codexLines(told: Told): Line[] {
  const { id, project, story, random } = told;
  const times = timesOf(told);
  const cwd = `${HOME}/${project}`;
  const lines: Line[] = [];
  const add = (type: string, payload: Line): void => void lines.push({ timestamp: times.next().value, type, payload });
  add("session_meta", {
    id,
    cwd,
    cli_version: "0.169.0",
    source: "cli",
    model_provider: "openai",
    git: { branch: "main" },
  });
  add("turn_context", { cwd, model: "gpt-5.2-codex" });
  const sum = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  for (const step of story.steps) {
    if ("prompt" in step) {
      add("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: step.prompt }] });
      add("event_msg", { type: "user_message", message: step.prompt });
      continue;
    }
    if ("say" in step)
      add("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: step.say }] });
    else if ("tool" in step) {
      const call = `call_${random.uuid().slice(0, 8)}`;
      const { command } = step.input;
      const input = typeof command === "string" ? { cmd: command } : step.input;
      const name = typeof command === "string" ? "exec_command" : step.tool.toLowerCase();
      const exit = /^Exit code (\d+)/.exec(step.output)?.[1] ?? "0";
      const text = step.output.replace(/^Exit code \d+\n/, "");
      const output = `Chunk ID: 1\nWall time: 0.8 seconds\nProcess exited with code ${exit}\nOutput:\n${text}`;
      add("response_item", { type: "function_call", name, arguments: JSON.stringify(input), call_id: call });
      add("response_item", { type: "function_call_output", call_id: call, output });
    }
    const input = random.size(30_000, 4, 200_000);
    const last = {
      input_tokens: input,
      cached_input_tokens: Math.round(input * 0.9),
      output_tokens: random.size(500, 4, 6_000),
    };
    sum.input_tokens += last.input_tokens;
    sum.cached_input_tokens += last.cached_input_tokens;
    sum.output_tokens += last.output_tokens;
    sum.total_tokens = sum.input_tokens + sum.output_tokens;
    const usage = {
      total_token_usage: { ...sum },
      last_token_usage: { ...last, total_tokens: input + last.output_tokens },
    };
    add("event_msg", { type: "token_count", info: usage, rate_limits: null });
  }
  return lines;
}

function geminiLines(told: Told): Line[] {
  const { id, story, random } = told;
  const start = new Date(told.start).toISOString();
  const times = timesOf(told);
  const lines: Line[] = [{ sessionId: id, projectHash: "0", startTime: start, lastUpdated: start, kind: "main" }];
  for (const step of story.steps) {
    const line: Line = { id: random.uuid(), timestamp: times.next().value };
    if ("prompt" in step) {
      lines.push({ ...line, type: "user", content: [{ text: step.prompt }] });
      continue;
    }
    const tokens = {
      input: random.size(20_000, 4, 200_000),
      output: random.size(400, 4, 5_000),
      cached: 0,
      thoughts: 0,
      tool: 0,
    };
    const answer: Line = {
      ...line,
      type: "gemini",
      content: "say" in step ? step.say : "",
      thoughts: [],
      tokens,
      model: "gemini-3-pro",
    };
    if ("tool" in step) {
      const name = step.tool === "Bash" ? "run_shell_command" : step.tool === "Read" ? "read_file" : "replace";
      const exit = /^Exit code (\d+)/.exec(step.output)?.[1] ?? "0";
      const text = step.output.replace(/^Exit code \d+\n/, "");
      const output = name === "run_shell_command" ? `Output: ${text}\nExit Code: ${exit}` : text;
      const response = step.failed === true && name !== "run_shell_command" ? { error: text } : { output };
      const call = random.uuid();
      const result = [{ functionResponse: { id: call, name, response } }];
      const status = step.failed === true && name !== "run_shell_command" ? "error" : "success";
      answer["toolCalls"] = [{ id: call, name, args: step.input, result, status, timestamp: line["timestamp"] }];
    }
    lines.push(answer);
  }
  return lines;
}
