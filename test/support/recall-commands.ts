/** Runs the recall commands of a saved session as a reader would: copied from the file, in a shell, in another folder. */
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

export interface RecallOutput {
  /** What the file says that it does, without the `#`. */
  what: string;
  command: string;
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Every command of the file's Recall section, in order, with what it gave. */
export function runRecall(sessionFile: string, env: NodeJS.ProcessEnv = {}): RecallOutput[] {
  const section = sessionFile.slice(sessionFile.lastIndexOf("\n## Recall\n"));
  const block = /^```bash\n([^]*?)\n```$/m.exec(section)?.[1];
  if (block === undefined) throw new Error(`there are no recall commands in\n${sessionFile}`);
  return block.split("\n\n").map((lines) => {
    const [comment = "", ...rest] = lines.split("\n");
    const command = rest.join("\n");
    const options = { cwd: tmpdir(), encoding: "utf8", env: { ...process.env, ...env }, maxBuffer: 1e9 } as const;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", command], options);
    return { what: comment.replace(/^# /, ""), command, code: status, stdout, stderr };
  });
}

/** The one command that says it does this; throws if it failed. */
export function recallOutput(outputs: readonly RecallOutput[], what: RegExp): string {
  const found = outputs.filter((output) => what.test(output.what));
  const [output] = found;
  if (output === undefined || found.length > 1) throw new Error(`${found.length} commands are for ${what}`);
  if (output.code !== 0 || output.stderr !== "")
    throw new Error(`${output.command}\nended with ${output.code}: ${output.stderr}`);
  return output.stdout;
}
