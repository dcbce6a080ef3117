/** Fenced code blocks that hold any text: the fence is longer than every run of backticks inside. */

/** A fenced block. `text` must be encoded already, so that it has no line ends but `\n` and `\r\n`. */
export function fenced(text: string, info = ""): string {
  const fence = fenceFor(text);
  return `${fence}${info}\n${text}\n${fence}`;
}

function fenceFor(text: string): string {
  let longest = 2;
  if (text.includes("```")) {
    for (const run of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  }
  return "`".repeat(longest + 1);
}

/**
 * The fenced block with which `text` ends: what it holds and where it starts. Undefined if `text` does not end with one.
 * Read from the end because what stands before may hold anything; the fence occurs nowhere inside its own block.
 */
export function fenceAtEnd(text: string): { content: string; info: string; start: number } | undefined {
  const closing = text.slice(text.lastIndexOf("\n") + 1);
  if (!/^`{3,}$/.test(closing)) return undefined;
  const contentEnd = text.length - closing.length - 1;
  const before = text.lastIndexOf(`\n${closing}`, contentEnd - closing.length - 1);
  if (before === -1 && !text.startsWith(closing)) return undefined;
  const start = before + 1;
  const infoEnd = text.indexOf("\n", start);
  const info = text.slice(start + closing.length, infoEnd);
  if (infoEnd === -1 || infoEnd > contentEnd || !/^[a-z]*$/.test(info)) return undefined;
  return { content: text.slice(infoEnd + 1, Math.max(contentEnd, infoEnd + 1)), info, start };
}
