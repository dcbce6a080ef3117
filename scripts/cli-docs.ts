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
  init: ["init --dry-run"],
  list: ["list", "list --agent claude-code"],
  show: ["show latest --summary", "show 6f0c --with-tools"],
  stats: ["stats latest", "stats --by day"],
  timeline: ["timeline latest", "timeline 6f0c"],
  entries: ["entries 6f0c --outcome skipped"],
  errors: ["errors latest", "errors latest --fixes"],
  find: ['find "digits of"', "find swap --role assistant --json"],
  tail: ["tail -n 2"],
  index: ["index", "index --json"],
  "snippets extract": [
    'snippets extract 6f0c --turns 1 --type error_reasoning --title "The forecast swaps digits" --tag forecast',
  ],
  "snippets query": ["snippets query digits"],
  "snippets count": ["snippets count"],
  "snippets suggest": ["snippets suggest latest"],
  "snippets cleanup": ["snippets cleanup --older-than 180 --dry-run"],
  forget: ["forget latest --dry-run"],
  export: ["export latest -o session.html"],
  doctor: ["doctor"],
};

const INTRODUCTION = `# The command line

\`transcripts\` reads the sessions of coding agents. \`transcripts COMMAND --help\` prints what this page says.

## For all commands

- **SESSION** is a path, a session id or the beginning of one (at least 4 characters; \`ses_\` and \`agent-\` may be left out), \`latest\`, or \`-\` for standard input. \`latest\` is the newest session of the current project, or of all projects if it has none.
- **Where sessions are found**: the project's \`.openfleet/\`, \`~/.claude/projects\` (or the folders in \`CLAUDE_CONFIG_DIR\`), and opencode's database.
- **Exit status**: 0 found or done, 1 nothing found, 2 an error, such as a SESSION that does not exist or cannot be read. If one of several sessions cannot be read, the others are processed and the status is 2. An interrupted program exits with 130.
- **Output**: data on standard output; notes, progress and the scope of a search on standard error. If the reader closes the pipe (\`| head\`), the program ends without a message.
- **Terminals**: tables are laid out for the width of the terminal, or for \`COLUMNS\`; other text is left to the terminal. \`NO_COLOR\` turns colours off, \`FORCE_COLOR\` on. Escape sequences and control characters of a session are never printed; JSON output has them, escaped.
- **Times** are local in text, and as the source has them in JSON.
- **JSON**: \`--json\` prints one object, or one object per line, described in [json.md](json.md).
- **Start-up**: Node caches the compiled program in \`opencode-transcripts/compiled\` under \`XDG_CACHE_HOME\` (\`~/.cache\`, on Windows \`LOCALAPPDATA\`). The folder may be deleted at any time; \`NODE_COMPILE_CACHE\` names another, and \`NODE_DISABLE_COMPILE_CACHE=1\` turns the cache off.

`;

/** Writes cli.md into a folder. */
export async function writeCliDocs(folder: string): Promise<void> {
  const runs = await outputs();
  const sections: string[] = [];
  for (const { group, runnable } of await allCommands()) {
    const name = runnable.definition.name();
    const commands =
      "commands" in runnable ? runnable.commands.map((each) => `${name} ${each.definition.name()}`) : [name];
    for (const command of commands) sections.push(await sectionOf(command, group, runs.get(command) ?? []));
  }
  const path = join(folder, "cli.md");
  writeFileSync(path, INTRODUCTION + sections.join("\n"));
  execFileSync(join(REPOSITORY, "node_modules/.bin/oxfmt"), ["-c", join(REPOSITORY, ".oxfmtrc.json"), path], {
    stdio: "ignore",
  });
}

let lastGroup = "";

/** The help of a command, and what its examples print. */
async function sectionOf(command: string, group: string, runs: readonly Run[]): Promise<string> {
  const { stdout } = await runCli([...command.split(" "), "--help"], { home: tmpdir(), env: { COLUMNS: "100" } });
  const heading = group === lastGroup ? "" : `## ${group.replace(/:$/, "")}\n\n`;
  lastGroup = group;
  const shown = runs.map((run) => fenced("console", `$ transcripts ${run.command}\n${run.text}`));
  return `${heading}${[`### ${command}`, fenced("text", stdout), ...shown].join("\n\n")}\n`;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

interface Run {
  command: string;
  /** Standard output and standard error, as a terminal shows them. */
  text: string;
}

/** Runs the examples as a user called Ada would, in a home folder that is removed afterwards. */
async function outputs(): Promise<Map<string, Run[]>> {
  const root = mkdtempSync(join(tmpdir(), "cli-docs-"));
  process.env["TZ"] = "UTC";
  try {
    const home = join(root, "home/ada");
    const cwd = join(home, "projects/shop/basket-price");
    fillHome(home, cwd);
    const made = new Map<string, Run[]>();
    for (const [name, commands] of Object.entries(RUNS)) {
      const runs: Run[] = [];
      for (const command of commands) runs.push({ command, text: await outputOf(command, { home, cwd, root }) });
      made.set(name, runs);
    }
    return made;
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
