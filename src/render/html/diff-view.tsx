import type { JSX } from "preact";

/** Renders the lines of a diff. Parts whose place in the file is not known are divided by dots. */
export function Diff({ text }: { text: string }): JSX.Element {
  const lines = text.replace(/^@@\n/, "").replace(/\n$/, "").split("\n");
  return <pre class="diff">{lines.map(lineView)}</pre>;
}

function lineView(line: string): JSX.Element {
  if (line.startsWith("+")) return <ins>{`${line}\n`}</ins>;
  if (line.startsWith("-")) return <del>{`${line}\n`}</del>;
  if (line.startsWith("@@")) return <span class="hunk">{line === "@@" ? "⋯\n" : `${line}\n`}</span>;
  return <span>{`${line}\n`}</span>;
}
