import type { JSX } from "preact";

/** Lines of a unified diff, coloured. */
export function Diff({ text }: { text: string }): JSX.Element {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <pre class="diff">
      {lines.map((line) => {
        if (/^(?:---|\+\+\+) /.test(line)) return <span class="file">{line}</span>;
        if (line.startsWith("@@")) return <span class="hunk">{line}</span>;
        if (line.startsWith("+")) return <ins>{line}</ins>;
        if (line.startsWith("-")) return <del>{line}</del>;
        return <span>{line || " "}</span>;
      })}
    </pre>
  );
}
