/**
 * `npm run demo`: records a session of the real opencode, whose model is a script on loopback, and shows the files.
 * Needs no key and no network. The files stay in the system's folder for temporary files, unless `--remove` is given.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startModel } from "../test/support/host/model.ts";
import { runOpencode } from "../test/support/host/process.ts";
import { createSandbox, type Sandbox } from "../test/support/host/sandbox.ts";
import { oldRuntime } from "../src/cli/runtime.ts";
import { PROMPT, SCRIPTS, TITLE, writeProject } from "./script.ts";
import { beginning, tree } from "./show.ts";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "");
/** Enough for a first start of opencode on a slow machine. */
const MAX_SECONDS = 180;

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function timed<T>(what: string, act: () => Promise<T> | T): Promise<T> {
  const started = performance.now();
  process.stdout.write(`  ${what} …`);
  const result = await act();
  say(` ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

/** Returns the version of npm's own Node, from its user agent, since npm puts the Node in `node_modules` first. */
function nodeOfNpm(): Record<string, string | undefined> {
  const version = /\bnode\/v(\S+)/.exec(process.env["npm_config_user_agent"] ?? "")?.[1];
  return version === undefined ? process.versions : { node: version };
}

function build(): void {
  const script = join(REPOSITORY, "scripts", "build.ts");
  execFileSync(process.execPath, [script], { cwd: REPOSITORY, stdio: ["ignore", "inherit", "inherit"] });
}

/** Records the session. Keeps the sandbox's project and removes opencode's own data. */
async function record(): Promise<{ sandbox: Sandbox; sessionID: string }> {
  const model = await startModel(SCRIPTS);
  const sandbox = await createSandbox({ modelURL: model.url, plugins: [REPOSITORY] });
  try {
    await writeProject(sandbox.projectDir);
    const args = ["run", "--format", "json", "--title", TITLE];
    const { code, stdout, stderr } = await inTime(runOpencode(sandbox, args, PROMPT));
    const sessionID = /"sessionID":"(ses_\w+)"/.exec(stdout)?.[1];
    if (code !== 0 || sessionID === undefined) throw new Error(`opencode ended with ${code}.\n${stderr}${stdout}`);
    await rm(join(sandbox.root, "home"), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    return { sandbox, sessionID };
  } catch (error) {
    await sandbox.remove();
    throw error;
  } finally {
    await model.close();
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`opencode did not finish within ${MAX_SECONDS} s.`));
    const timer = setTimeout(late, MAX_SECONDS * 1000);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function main(): Promise<void> {
  say("opencode-transcripts, shown with the real opencode and a scripted model: no key, no network.", "");
  const tooOld = oldRuntime(nodeOfNpm());
  if (tooOld !== undefined)
    say(tooOld.replace(/\. Install .*/, "; this demo runs on the Node that `npm install` brought along."), "");
  await timed("building", build);
  const { sandbox, sessionID } = await timed("recording a session", record);
  const data = join(sandbox.projectDir, ".openfleet");
  const transcripts = join(data, "transcripts");
  const transcript = join(transcripts, `${sessionID}.md`);
  const day = (await readdir(join(data, "sessions"))).find((name) => /^\d/.test(name)) ?? "";
  const [savedName = ""] = await readdir(join(data, "sessions", day));
  const saved = join(data, "sessions", day, savedName);
  const missing = [transcript, join(transcripts, sessionID), saved].find((path) => !existsSync(path));
  if (missing !== undefined || savedName === "") throw new Error(`The demo made no ${missing ?? "saved session"}.`);

  const remark = (name: string): string => {
    if (name === `${sessionID}.md`) return "the transcript";
    if (name.startsWith("ses_")) return "what the subagent did";
    if (name.endsWith(".txt")) return "an output that was too long for the transcript";
    return name === savedName ? "written by the save_conversation tool" : "";
  };
  say("", `The files in ${data}`, "", ...(await tree(data, remark)));
  say(
    "",
    "The transcript begins (comments, which have details for programs, are left out here):",
    "",
    ...(await beginning(transcript, 60)),
  );
  say("", "The saved session begins:", "", ...(await beginning(saved, 24)));
  say("", "Look around, then remove everything:", "");
  say(`  less ${transcript}`, `  grep -A 8 "Tool Error:" ${transcript}`, `  rm -r ${sandbox.root}`);
  say(
    "",
    "For real use:",
    "",
    "  npm link                  # puts `transcripts` on your path",
    "  transcripts init          # in your project; then work with opencode as always",
    "  transcripts serve --open  # all sessions of all agents on this machine, in the browser",
  );
  if (process.argv.includes("--remove")) await sandbox.remove();
}

// A reader that closes the pipe (`| head`) is not a failure.
process.stdout.on("error", () => undefined);
try {
  await main();
} catch (error) {
  say("", `The demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
