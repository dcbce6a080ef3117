import { h, type JSX } from "preact";
import { withoutSequences } from "../neutral-text.ts";
import { excerpt } from "./excerpt.ts";

/** A page is for reading; what is longer is for a program, and stands in the session file. */
const MAX_CHARS = 200_000;

interface LongTextProps {
  text: string;
  /** Line of the session file that has the whole of it. */
  line: number;
  kind: "command" | "output" | "text";
  /** It was cut already, when it was read. */
  isCut?: boolean;
}

/** A text as it stands, wrapped; of a very long one the beginning, and a note that says where the rest is. */
export function LongText({ text, line, kind, isCut = false }: LongTextProps): JSX.Element {
  const { text: shown, missingChars } = excerpt(withoutSequences(text), MAX_CHARS);
  const pre = h("pre", { class: kind, dir: "auto" }, shown);
  if (missingChars === 0 && !isCut) return pre;
  const note = `This is only the beginning. The whole text is in line ${line} of the session file.`;
  return h("div", null, pre, h("p", { class: "note" }, note));
}
