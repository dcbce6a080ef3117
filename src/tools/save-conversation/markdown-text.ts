/** Text of others in a markdown file of ours: it stays text, whatever it holds. */

/** A code span. Line breaks become spaces; all else stays as it is. */
export function code(text: string): string {
  const plain = text.replace(/[\r\n]+/g, " ");
  const ticks = plain.match(/`+/g) ?? [];
  if (ticks.length === 0) return `\`${plain}\``;
  const fence = "`".repeat(Math.max(...ticks.map((run) => run.length)) + 1);
  return `${fence} ${plain} ${fence}`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The first line that has words in it. */
export function firstLine(text: string): string {
  return text.trim().split(/[\r\n]/, 1)[0] ?? "";
}

/** A block quote. */
export function quoted(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** The beginning of a text, never half a character of it. */
export function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "")}…`;
}
