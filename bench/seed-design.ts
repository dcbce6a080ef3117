/**
 * The simplest possible recorder, as a baseline: each hook checks twice whether its file exists and awaits the append.
 * It records less than ours (no assistant text, no failures, no redaction).
 */
import { existsSync } from "node:fs";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Hooks, PluginModule } from "@opencode-ai/plugin";

export function seedHooks(
  directory: string,
): Required<Pick<Hooks, "chat.message" | "tool.execute.before" | "tool.execute.after">> {
  const inputs = new Map<string, unknown>();
  const append = async (sessionID: string, markdown: string): Promise<void> => {
    const path = join(directory, ".openfleet", "transcripts", `${sessionID}.md`);
    if (!existsSync(dirname(path))) await mkdir(dirname(path), { recursive: true });
    if (!existsSync(path)) await writeFile(path, `# Transcript: ${sessionID}\n\n`, "utf8");
    await appendFile(path, markdown, "utf8");
  };
  const now = (): string => new Date().toISOString();
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      await append(sessionID, `## [${now()}] User Message\n\n${text}\n\n---\n\n`);
    },
    "tool.execute.before": async ({ sessionID, tool, callID }, { args }) => {
      inputs.set(callID, args);
      const input = JSON.stringify(args, null, 2);
      await append(
        sessionID,
        `## [${now()}] Tool Use: ${tool}\n\n**Call ID**: ${callID}\n\n### Input\n\n\`\`\`json\n${input}\n\`\`\`\n\n---\n\n`,
      );
    },
    "tool.execute.after": async ({ sessionID, tool, callID }, { output }) => {
      inputs.delete(callID);
      const shown = output.length > 5_000 ? `${output.slice(0, 5_000)}\n... (truncated)` : output;
      await append(
        sessionID,
        `## [${now()}] Tool Result: ${tool}\n\n**Call ID**: ${callID}\n\n### Output\n\n\`\`\`\n${shown}\n\`\`\`\n\n---\n\n`,
      );
    },
  };
}

const plugin: PluginModule = {
  id: "seed-design",
  server: async ({ directory }) => seedHooks(directory),
};

export default plugin;
