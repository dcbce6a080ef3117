import { h, type JSX } from "preact";
import { oneLine } from "./excerpt.ts";

const MAX_PREVIEW_CHARS = 120;

export interface ClosedProps {
  kind?: "thinking" | "typed";
  name: string;
  /** Text whose beginning is seen as long as it is closed. */
  preview?: string;
}

/** Something that is read only by those who want to. Browsers open it for what they find in it. */
export function closed({ kind, name, preview = "" }: ClosedProps, content: JSX.Element): JSX.Element {
  const line = oneLine(preview.slice(0, 1_000).replace(/<\/?[\w-]+>|[*`#]/g, ""), MAX_PREVIEW_CHARS);
  return h(
    "details",
    { class: kind === undefined ? "closed" : `closed ${kind}` },
    h("summary", null, h("span", { class: "name" }, name), line === "" ? null : h("span", { class: "preview" }, line)),
    h("div", { class: "inside" }, content),
  );
}
