/** Opens a file in the program that the user's desktop has for it, such as the browser. */
import { spawn } from "node:child_process";
import type { CommandContext } from "../context.ts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Resolves when the program was started, or when it is known that it cannot be, which is reported. */
export async function openFile({ env, note }: Pick<CommandContext, "env" | "note">, path: string): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  await new Promise<void>((resolve) => {
    const child = spawn(program, [...args, path], { env, detached: true, stdio: "ignore" });
    child.on("spawn", resolve);
    child.on("error", () => {
      note(`${program} could not be started; open ${path} yourself`);
      resolve();
    });
    child.unref();
  });
}
