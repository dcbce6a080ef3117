import { shellQuoted } from "../../calls/shell-syntax.ts";
import type { TranscriptFormat } from "../../transcript/transcript-paths.ts";

export interface RecallFacts {
  transcript: string;
  format: TranscriptFormat;
  /** Absolute path of the folder with complete outputs and subagents' transcripts, if there is one. */
  folder: string | undefined;
  prompt: string | undefined;
}

/** Returns a fenced block of POSIX shell commands that can be run unchanged from any folder. */
export function recallCommands(facts: RecallFacts): string {
  const { transcript, format, folder } = facts;
  const file = shellQuoted(transcript);
  const word = shellQuoted(searchWord(facts));
  const [count, users] =
    format === "markdown"
      ? [String.raw`grep -c '## \[.*\] Tool Use:' ${file}`, String.raw`grep -A 5 '## \[.*\] User Message' ${file}`]
      : [`grep -c '^{"type":"tool_use"' ${file}`, `grep '^{"type":"user"' ${file}`];
  const commands = [
    ["View the whole transcript", `cat ${file}`],
    ["Search it (put your own words in)", `grep -n -i -F -e ${word} ${file}`],
    ...(folder === undefined
      ? []
      : [
          [
            "Search its long outputs and its subagents too",
            `grep -r -n -i -F -e ${word} ${file} ${shellQuoted(folder)}`,
          ],
        ]),
    ["Count the tool calls", count],
    ["The user's messages only", users],
  ];
  return ["```bash", commands.map(([what, command]) => `# ${what}\n${command}`).join("\n\n"), "```"].join("\n");
}

/** Returns a word that occurs in the transcript, so that the example finds something. */
function searchWord({ prompt = "", format }: RecallFacts): string {
  const words = prompt.match(/[\p{L}\p{N}]{4,40}/gu) ?? [];
  const [longest] = words.toSorted((a, b) => b.length - a.length);
  return longest ?? (format === "markdown" ? "Assistant Message" : '"type":"assistant"');
}
