/** The frame of the page: everything that is not the session's. */
import { createHash } from "node:crypto";
import { h, type JSX } from "preact";
import { STYLE } from "./style.ts";

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** No script, no network, no form; only the style sheet below and pictures that are in the page itself. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

export function Head({ title }: { title: string }): JSX.Element {
  return h(
    "head",
    null,
    h("meta", { charset: "utf-8" }),
    h("meta", { "http-equiv": "Content-Security-Policy", content: POLICY }),
    h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    h("meta", { name: "color-scheme", content: "light dark" }),
    h("meta", { name: "referrer", content: "no-referrer" }),
    h("meta", { name: "robots", content: "noindex" }),
    // Else browsers ask the server for one.
    h("link", { rel: "icon", href: "data:," }),
    h("title", null, title),
    h("style", { dangerouslySetInnerHTML: { __html: STYLE } }),
  );
}

export function SkipLink(): JSX.Element {
  return h("a", { class: "skip", href: "#conversation" }, "Skip to the conversation");
}

export function Footer(): JSX.Element {
  return h(
    "footer",
    null,
    h(
      "p",
      null,
      "Made with opencode-transcripts. The page loads nothing and runs no script; browsers find text in what is folded, too.",
    ),
  );
}
