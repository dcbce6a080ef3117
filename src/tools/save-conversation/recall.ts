import type { TranscriptFormat } from "../../transcript/paths.ts";

export interface RecallFacts {
  /** Absolute path of the transcript. */
  transcript: string;
  format: TranscriptFormat;
  /** Absolute path of the folder with whole outputs and subagents' transcripts, if there is one. */
  folder: string | undefined;
  /** What the user asked first. */
  prompt: string | undefined;
}

/** Commands for a POSIX shell that run as they stand, from any folder: a fenced block. */
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

/** A word that stands in the transcript, so that the example finds something. */
function searchWord({ prompt = "", format }: RecallFacts): string {
  const words = prompt.match(/[\p{L}\p{N}]{4,40}/gu) ?? [];
  const [longest] = words.toSorted((a, b) => b.length - a.length);
  return longest ?? (format === "markdown" ? "Assistant Message" : '"type":"assistant"');
}

/** One word for a POSIX shell, whatever the text holds. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
