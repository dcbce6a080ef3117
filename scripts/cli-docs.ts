/**
 * Generates docs/cli.md: the help of each command, and what its examples print on docs/example. `bun scripts/cli-docs.ts`
 * writes it; a test checks that it is up to date.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { allCommands } from "../src/cli/commands/all-commands.ts";
import { runCli } from "../test/support/cli/run-cli.ts";

const REPOSITORY = dirname(dirname(fileURLToPath(import.meta.url)));
const DOCS = join(REPOSITORY, "docs");
const COLUMNS = 110;
/** Longer outputs are cut: the page shows their form. */
const MAX_OUTPUT_LINES = 34;
const MAX_LINE = 240;
/** Shortly after the session in docs/example. */
const NOW = new Date("2026-11-22T18:00:00Z");
/** A session of Claude Code, made up. */
const FORECAST = "6f0c9d0e-3c5b-4f43-9e0a-8f3f7f1f2a10";

/** Commands whose output the pages show, in the order in which they run. The store is empty at first. */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  init: ["init"],
  list: ["list", "list --agent claude-code"],
  show: ["show latest --summary", "show 6f0c --with-tools"],
  stats: ["stats latest", "stats --by day"],
  timeline: ["timeline latest", "timeline 6f0c"],
  errors: ["errors latest", "errors latest --fixes"],
  find: ['find "digits of"', "find swap --role assistant --json"],
  tail: ["tail -n 2"],
  index: ["index", "index --json"],
  "snippets extract": [
    'snippets extract 6f0c --turns 1 --type error_reasoning --title "The forecast swaps digits" --tag forecast',
  ],
  "snippets query": ["snippets query digits"],
  "snippets suggest": ["snippets suggest latest"],
  "snippets cleanup": ["snippets cleanup --older-than 180"],
  export: ["export latest -o session.html"],
  doctor: ["doctor"],
};

const INTRODUCTION = `# Commands

The help of each command, as \`transcripts COMMAND --help\` prints it, and what some of the examples print.

CONTENTS

## For all commands

- **SESSION** is a path, a session id or the beginning of one (at least 4 characters; \`ses_\` and \`agent-\` may be left out), \`latest\`, or \`-\` for standard input; a named pipe is passed as standard input, too. \`latest\` is the newest session of the current project, or of all projects if it has none.
- **Where sessions are found**: the project's \`.openfleet/\`, [the folder of each agent](agents.md), and [the store](search.md#the-store).
- **Exit status**: 0 found or done, 1 nothing found, 2 an error, such as a SESSION that does not exist or cannot be read. If one of several cannot be read, the others are processed, and the status is 2. After Ctrl-C it is 130.
- **Output**: data on standard output; notes, progress, and how much was searched, on standard error. If the reader closes the pipe (\`| head\`), the program ends without a message.
- **Terminals**: tables fit the width of the terminal, or \`COLUMNS\`. \`NO_COLOR\` turns colours off, \`FORCE_COLOR\` on. Escape sequences and control characters in a session are never printed; JSON has them, escaped.
- **Times** are local in text, and as the session has them in JSON.
- **JSON**: \`--json\` prints one object, or one on each line: [JSON](json.md).
- **Start-up**: Node caches the compiled program in \`opencode-transcripts/compiled\` under \`XDG_CACHE_HOME\` (\`~/.cache\`, on Windows \`LOCALAPPDATA\`). The folder may be deleted at any time; \`NODE_COMPILE_CACHE\` names another, and \`NODE_DISABLE_COMPILE_CACHE=1\` turns the cache off.

`;

/** Writes cli.md into a folder. */
export async function writeCliDocs(folder: string): Promise<void> {
  const outputs = await runExamples(Object.values(RUNS).flat());
  const sections: string[] = [];
  const contents = new Map<string, string[]>();
  for (const { group, runnable } of await allCommands()) {
    const name = runnable.definition.name();
    const commands =
      "commands" in runnable ? runnable.commands.map((each) => `${name} ${each.definition.name()}`) : [name];
    const links = commands.map((command) => `[${command}](#${command.replace(" ", "-")})`);
    contents.set(group, [...(contents.get(group) ?? []), ...links]);
    for (const command of commands) sections.push(await sectionOf(command, group, RUNS[command] ?? [], outputs));
  }
  const path = join(folder, "cli.md");
  const list = Array.from(contents, ([group, links]) => `- ${group} ${links.join(", ")}\n`).join("");
  writeFileSync(path, `${INTRODUCTION.replace("CONTENTS\n", list)}${sections.join("\n")}`);
  execFileSync(join(REPOSITORY, "node_modules/.bin/oxfmt"), ["-c", join(REPOSITORY, ".oxfmtrc.json"), path], {
    stdio: "ignore",
  });
}

let lastGroup = "";

/** The help of a command, and what its examples print. */
async function sectionOf(
  command: string,
  group: string,
  examples: readonly string[],
  outputs: ReadonlyMap<string, string>,
): Promise<string> {
  const { stdout } = await runCli([...command.split(" "), "--help"], { home: tmpdir(), env: { COLUMNS: "100" } });
  const heading = group === lastGroup ? "" : `## ${group.replace(/:$/, "")}\n\n`;
  lastGroup = group;
  const shown = examples.map((each) => fenced("console", `$ transcripts ${each}\n${outputs.get(each) ?? ""}`));
  return `${heading}${[`### ${command}`, fenced("text", stdout), ...shown].join("\n\n")}\n`;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/**
 * Runs commands one after the other as a user called Ada would, who has the sessions of docs/example and one of Claude
 * Code, in a home folder that is removed afterwards. Returns what each prints on a terminal, notes included.
 */
export async function runExamples(commands: readonly string[]): Promise<Map<string, string>> {
  const root = mkdtempSync(join(tmpdir(), "cli-docs-"));
  process.env["TZ"] = "UTC";
  try {
    const home = join(root, "home/ada");
    const cwd = join(home, "projects/shop/basket-price");
    fillHome(home, cwd);
    const outputs = new Map<string, string>();
    for (const command of commands) outputs.set(command, await outputOf(command, { home, cwd, root }));
    return outputs;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function fillHome(home: string, cwd: string): void {
  const claudeCode = join(home, ".claude/projects/-home-ada-weather");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(claudeCode, { recursive: true });
  cpSync(join(DOCS, "example"), join(cwd, ".openfleet"), { recursive: true });
  cpSync(join(REPOSITORY, "test/fixtures/sample-transcript.jsonl"), join(claudeCode, `${FORECAST}.jsonl`));
}

async function outputOf(command: string, place: { home: string; cwd: string; root: string }): Promise<string> {
  const { home, cwd, root } = place;
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
  let text = "";
  await runCli(words, {
    home,
    cwd,
    terminal: COLUMNS,
    env: { NO_COLOR: "1" },
    now: NOW,
    onOutput: (piece) => (text += piece),
    onNote: (piece) => (text += piece),
  });
  return shortened(settled(text.replaceAll(root, "")));
}

/** Replaces what differs between runs: the runtime, and the ids and times of new snippets. */
function settled(text: string): string {
  return text
    .replace(/\b(?:Node|Bun) \d+\.\d+\.\d+/, "Node 22.23.3")
    .replace(
      /\b(?!6f0c9d0e|00000000)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g,
      "b1fc3804-784a-4127-a03f-6b0e16e5211f",
    )
    .replace(/^\d{4}-\d\d-\d\d \d\d:\d\d(?=  6f0c9d0e[-\w]*:)/m, "2026-11-22 18:00");
}

function shortened(text: string): string {
  const lines = text
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  const rest = lines.length - MAX_OUTPUT_LINES;
  return [...lines.slice(0, MAX_OUTPUT_LINES), ...(rest > 0 ? [`(${rest} more lines)`] : [])].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeCliDocs(process.argv[2] ?? DOCS);
