import { h, type JSX } from "preact";
import { oneLine, withoutSequences } from "../neutral-text.ts";

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

interface LongTextProps {
  text: string;
  /** Line of the session file with the full text. */
  line: number;
  kind: "command" | "output" | "text";
  /** The text was already cut when it was read. */
  isCut?: boolean;
}

/** Renders a text unchanged, wrapped; of a very long one the beginning, with a note where the rest is. */
export function LongText({ text, line, kind, isCut = false }: LongTextProps): JSX.Element {
  const plain = withoutSequences(text);
  const shown = plain.length > MAX_CHARS ? plain.slice(0, MAX_CHARS).replace(/[\ud800-\udbff]$/, "") : plain;
  const pre = h("pre", { class: kind, dir: "auto" }, shown);
  if (shown.length === plain.length && !isCut) return pre;
  const note = `This is only the beginning. The whole text is in line ${line} of the session file.`;
  return h("div", null, pre, h("p", { class: "note" }, note));
}

const MAX_PREVIEW_CHARS = 120;

export interface ClosedProps {
  kind?: "thinking" | "typed";
  name: string;
  /** Text whose beginning is visible while collapsed. */
  preview?: string;
}

/** Renders a collapsed section. Browsers open it for search matches. */
export function closed({ kind, name, preview = "" }: ClosedProps, content: JSX.Element): JSX.Element {
  const line = oneLine(preview.slice(0, 1_000).replace(/<\/?[\w-]+>|[*`#]/g, ""), MAX_PREVIEW_CHARS);
  return h(
    "details",
    { class: kind === undefined ? "closed" : `closed ${kind}` },
    h("summary", null, h("span", { class: "name" }, name), line === "" ? null : h("span", { class: "preview" }, line)),
    h("div", { class: "inside" }, content),
  );
}
