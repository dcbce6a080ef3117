import { micromark, type Options } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { h, type JSX } from "preact";
import { withoutSequences } from "../neutral-text.ts";

/** Longer texts are shown as they are: nobody wrote them as prose, and reading markdown costs more than time linear. */
const MAX_MARKDOWN_CHARS = 100_000;
/** Micromark matches emphasis in the square of the marks in a paragraph; at this many that is about 0.1 s. */
const MAX_MARKS_IN_PARAGRAPH = 2_000;
/** Headings of a text stand below those of the page. */
const HEADING_SHIFT = 2;

const OPTIONS: Options = {
  extensions: [
    gfm(),
    // Footnotes have ids, which would be the same in every message.
    { disable: { null: ["gfmFootnoteCall", "gfmFootnoteDefinition", "gfmPotentialFootnoteCall"] } },
  ],
  htmlExtensions: [gfmHtml()],
};

/** A text as markdown. HTML in it is shown, not obeyed; pictures are named, never loaded. */
export function Markdown({ text: given }: { text: string }): JSX.Element {
  const text = withoutSequences(given);
  if (!isReadable(text)) return h("div", { class: "plain", dir: "auto" }, text);
  // `toHtml` gives elements and attributes from its own list only.
  return h("div", { class: "prose", dir: "auto", dangerouslySetInnerHTML: { __html: toHtml(text) } });
}

function isReadable(text: string): boolean {
  if (text.length > MAX_MARKDOWN_CHARS) return false;
  for (const paragraph of text.split(/\n[ \t]*\n/)) {
    if (paragraph.length > MAX_MARKS_IN_PARAGRAPH && countMarks(paragraph) > MAX_MARKS_IN_PARAGRAPH) return false;
  }
  return true;
}

function countMarks(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(/[*_~[\]]/g)) count += 1;
  return count;
}

/** Micromark escapes `<` and `>` of the text, so each pair that is left is a tag of its own making. */
function toHtml(text: string): string {
  const open: string[] = [];
  return micromark(text, OPTIONS).replace(/<(\/?)(\w+)([^<>]*)>/g, (_tag, slash: string, name: string, rest: string) =>
    slash === "" ? startTag(name, attributesOf(rest), open) : endTag(name, open),
  );
}

type Attributes = ReadonlyMap<string, string>;

/** Values as micromark wrote them: still encoded, safe between double quotes. */
function attributesOf(text: string): Attributes {
  const pairs = text.matchAll(/([\w-]+)="([^"]*)"/g);
  return new Map(Array.from(pairs, ([, name = "", value = ""]) => [name, value]));
}

const PLAIN = new Set("p ul li blockquote pre code hr br strong em del thead tbody tr".split(" "));

function startTag(name: string, attributes: Attributes, open: string[]): string {
  if (PLAIN.has(name)) return `<${name}>`;
  if (/^h[1-6]$/.test(name)) return `<${shifted(name)}>`;
  if (name === "a") return startLink(attributes.get("href") ?? "", open);
  if (name === "img") return imageNote(attributes);
  if (name === "input") return attributes.has("checked") ? "☑" : "☐";
  if (name === "table") return '<div class="scroll"><table>';
  if (name === "td" || name === "th") return startCell(name, attributes.get("align"));
  if (name === "ol") return startList(attributes.get("start"));
  return "";
}

function endTag(name: string, open: string[]): string {
  if (PLAIN.has(name) || name === "ol" || name === "td" || name === "th") return `</${name}>`;
  if (/^h[1-6]$/.test(name)) return `</${shifted(name)}>`;
  if (name === "a") return `</${open.pop() ?? "span"}>`;
  if (name === "table") return "</table></div>";
  return "";
}

function shifted(name: string): string {
  return `h${Math.min(6, Number(name.slice(1)) + HEADING_SHIFT)}`;
}

/** Links to the web and to mail stay links. Others would lead into the page or the reader's disk: their target is shown. */
function startLink(href: string, open: string[]): string {
  const isWeb = /^(https?:\/\/|mailto:)/i.test(href);
  open.push(isWeb ? "a" : "span");
  if (isWeb) return `<a href="${href}" rel="noopener noreferrer nofollow">`;
  return href === "" ? "<span>" : `<span class="dead-link" title="${href}">`;
}

function imageNote(attributes: Attributes): string {
  const alt = attributes.get("alt") ?? "";
  const source = attributes.get("src") ?? "";
  return `<span class="note">[Image${alt === "" ? "" : `: ${alt}`}${source === "" ? "" : ` (${source})`}]</span>`;
}

function startCell(name: string, align: string | undefined): string {
  return align === "right" || align === "center" ? `<${name} class="${align}">` : `<${name}>`;
}

function startList(start: string | undefined): string {
  return start !== undefined && /^\d{1,9}$/.test(start) ? `<ol start="${start}">` : "<ol>";
}
