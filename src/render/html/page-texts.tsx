import type { ComponentChildren, JSX } from "preact";
import { oneLine, withoutSequences } from "../../neutral-text.ts";

/** Renders a collapsed section. `summary` is its visible line, whose parts may be missing. */
export function details(name: string, summary: readonly ComponentChildren[], ...content: JSX.Element[]): JSX.Element {
  return (
    <details class={name}>
      <summary>{summary}</summary>
      {content}
    </details>
  );
}

/** A first line shorter than this is shown with the second, to be understandable. */
const MIN_GIST_CHARS = 24;

/** Returns enough lines of a message to be meaningful, as it may begin with "Exit code 1". */
export function gist(text: string, maxChars: number): string {
  const lines = text
    .slice(0, 8 * maxChars)
    .split("\n")
    .map((line) => line.trim());
  const [first = "", second = ""] = lines.filter((line) => line !== "");
  const isShort = first.length < MIN_GIST_CHARS && second !== "";
  return oneLine(isShort ? `${first.replace(/:$/, "")}: ${second}` : first, maxChars);
}

/** Maximum length of a text on the page; the session file has longer ones. */
const MAX_CHARS = 200_000;

export interface LongText {
  /** Line of the session file with the full text. */
  line: number;
  kind: "command" | "output" | "text";
  /** The text was already cut when it was read. */
  isCut?: boolean;
}

/** Renders a text unchanged, wrapped; of a very long one the beginning, with a note where the rest is. */
export function longText(text: string, { line, kind, isCut = false }: LongText): JSX.Element {
  const plain = withoutSequences(text);
  const shown = plain.length > MAX_CHARS ? plain.slice(0, MAX_CHARS).replace(/[\ud800-\udbff]$/, "") : plain;
  const pre = (
    <pre class={kind} dir="auto">
      {shown}
    </pre>
  );
  if (shown.length === plain.length && !isCut) return pre;
  const note = `This is only the beginning. The whole text is in line ${line} of the session file.`;
  return (
    <div>
      {pre}
      <p class="note">{note}</p>
    </div>
  );
}

const MAX_PREVIEW_CHARS = 120;

/** Renders a collapsed section. Browsers open it for search matches. `preview`: text whose beginning is visible. */
export function closed(name: string, preview: string, content: JSX.Element, kind = ""): JSX.Element {
  const line = oneLine(preview.slice(0, 1_000).replace(/<\/?[\w-]+>|[*`#]/g, ""), MAX_PREVIEW_CHARS);
  const summary = [<span class="name">{name}</span>, line === "" ? null : <span class="preview">{line}</span>];
  return details(`closed ${kind}`.trimEnd(), summary, <div class="inside">{content}</div>);
}
