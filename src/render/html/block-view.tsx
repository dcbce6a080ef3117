/** Renders the blocks of a message: text, thinking, calls with their results, attachments. */
import type { ComponentChildren, JSX } from "preact";
import { micromark, type Options } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { errorText, printedText } from "../../calls/result-texts.ts";
import { oneLine, withoutSequences } from "../../neutral-text.ts";
import { jsonText } from "../../parse/json-fields.ts";
import type { ParsedContentBlock, ToolCall, ToolStatus, TranscriptMessage } from "../../parse/model.ts";
import { closed, details, gist, longText } from "./page-texts.tsx";
import { MAX_IMAGE_BYTES, type PageImage, type PageSession, type PairedCall, type SeenError } from "./outline.ts";
import { compact, roughly } from "../../quantities.ts";
import { answersIn, callTarget, toolInput } from "./tool-input.tsx";
import { questionsIn } from "../../parse/list-items.ts";
import { isReminderText } from "../../parse/prompts.ts";
import type { View } from "./view.ts";

const MAX_NAME_CHARS = 120;

/** Renders a block in its message; null if it is shown in its call. */
export async function blockView(
  view: View,
  message: TranscriptMessage,
  block: ParsedContentBlock,
): Promise<JSX.Element | null> {
  switch (block.block_type) {
    case "text":
      return textView(message, block);
    case "thinking":
      return thinkingView(block);
    case "redacted_thinking":
      return null;
    case "tool_use":
      return callView(view, message, block);
    case "tool_result":
      return view.outline.resultsInCalls.has(block.id) ? null : loneResult(block);
    case "image":
      return imageView(block, view.session);
    case "document":
      return block.content_text === null
        ? note(`${attachmentName(block)}, not included in this page.`)
        : textView(message, block);
    case "unknown":
      return unknownView(block);
  }
}

function thinkingView(block: ParsedContentBlock): JSX.Element | null {
  const text = block.thinking_text ?? "";
  // The page's head has their number.
  if (text === "") return null;
  return closed("Thinking", text, markdown(text), "thinking");
}

function unknownView(block: ParsedContentBlock): JSX.Element {
  const type = oneLine(block.metadata.type ?? "none", MAX_NAME_CHARS);
  const content = longText(jsonText(block.metadata.raw, 2), { line: block.line_number, kind: "text" });
  return closed(`Block of an unknown type: ${type}`, "", content);
}

function note(text: string): JSX.Element {
  return <p class="note">{withoutSequences(text)}</p>;
}

/** Renders text of people and models as markdown; text added by programs is collapsed, or in small print. */
function textView(message: TranscriptMessage, block: ParsedContentBlock): JSX.Element {
  const output = printedText(block.content_text ?? "");
  if (output !== undefined) {
    if (output.trim() === "") return note("A command without output");
    return closed("Command output", output, longText(output, { line: block.line_number, kind: "output" }));
  }
  const text = block.content_text ?? "";
  const isCut = block.metadata.truncated === true;
  const asItStands = longText(text, { line: block.line_number, kind: "text", isCut });
  const prose = isCut ? asItStands : markdown(text);
  const { origin, command } = message.metadata;
  switch (origin) {
    case "command":
      return closed(oneLine(command ?? text, MAX_NAME_CHARS), "", asItStands, "typed");
    case "interruption":
      return note(text.replace(/^\[|\]$/g, ""));
    case "command_output":
      return closed("Command output", text, asItStands);
    case "notification":
      return closed("Notice", text, asItStands);
    case "compact_summary":
      return closed("Summary of earlier messages", "", prose);
    default:
      break;
  }
  const isAdded = message.user_kind === "meta" || (message.user_kind === "human" && isReminderText(text));
  if (isAdded) return closed("Added by the agent's program", text, prose);
  return message.message_type === "system" && !isCut ? note(text) : prose;
}

const MAX_TOOL_CHARS = 80;
const MAX_REASON_CHARS = 240;

const ENDINGS: Record<ToolStatus, string> = {
  completed: "",
  error: "failed",
  interrupted: "interrupted",
  rejected: "rejected",
  pending: "no result",
};

/** Renders a call with its result, collapsed. The visible line shows how a call failed. */
function callView(view: View, message: TranscriptMessage, block: ParsedContentBlock): JSX.Element {
  const paired = view.outline.calls.get(block.id);
  const { rows } = view.session;
  const status = paired?.call.status ?? block.status ?? "pending";
  const anchor = view.anchors.block(message.ordinal, block.block_order);
  const isAnswered = status === "completed" && questionsIn(block.tool_input).length > 0;
  const summary = [
    <span class="tool">{oneLine(block.tool_name ?? "", MAX_TOOL_CHARS) || "(no name)"}</span>,
    <span class="target">
      {callTarget(block.tool_name, block.tool_input, message.cwd ?? view.session.metadata.cwd)}
    </span>,
    endingView(status, paired?.call.error ?? null),
    isAnswered ? (
      <span class="ending reasoned">{gist(answersIn(paired?.call.result_text ?? ""), MAX_REASON_CHARS)}</span>
    ) : null,
  ];
  // The anchor is inside the collapsed part, because browsers open it for a link into it.
  const inside = (
    <div class="inside" id={anchor}>
      {toolInput(block.tool_name, block.tool_input, block.line_number)}
      {paired?.result ? pairedResult(view, paired.result, paired.call.result?.message_ordinal) : null}
      {paired ? fixView(view, paired.call) : null}
      {paired?.call.status === "error" ? failureNotes(view, paired) : null}
      <p class="reference">
        <a href={`#${anchor}`}>line {block.line_number}</a>
        {idNote(block.tool_use_id)}
        {rows === undefined ? null : [" ", <a href={`${rows}#${view.anchors.message(message)}`}>row</a>]}
      </p>
    </div>
  );
  return details(`call ${status}`, summary, inside);
}

/** Links to what the agent did between a failure and the success of the call, and to that; null if it was not fixed. */
function fixView(view: View, failed: ToolCall): JSX.Element | null {
  const { fix, steps, diff } = view.outline.fixes.get(failed) ?? { fix: null, steps: [], diff: "" };
  if (fix === null) return null;
  const done = steps.flatMap(({ call }) => [callLink(view, call), ", "]);
  const ending =
    diff !== "" || fix.tool_name !== failed.tool_name ? "" : steps.length > 0 ? " passed" : " passed when called again";
  return (
    <p class="note">
      {"Fixed: "}
      {done}
      {callLink(view, fix)}
      {ending}
    </p>
  );
}

/** Shows whether the error came up before, and leads to the next failed call. */
function failureNotes({ session, outline, anchors }: View, { call, use }: PairedCall): JSX.Element | null {
  const seen = session.seen?.(call.result_text ?? "");
  const next = outline.nextFailures.get(use.id);
  const href = next === undefined ? session.nextFailure : `#${anchors.block(next.ordinal, next.order)}`;
  const isRepeated = seen !== undefined && seen.count > 1;
  if (!isRepeated && href === undefined) return null;
  return (
    <p class="note">
      {isRepeated ? `${seenText(seen)} ` : null}
      {isRepeated && seen.href !== undefined ? [<a href={seen.href}>What fixed it</a>, " "] : null}
      {href === undefined ? null : <a href={href}>Next failure</a>}
    </p>
  );
}

/** Says how often an error came up, if it came up more than once. */
export function seenText({ count, sessions }: Pick<SeenError, "count" | "sessions">): string {
  return `Seen ${roughly(count)} times in ${roughly(sessions)} session${sessions === 1 ? "" : "s"}.`;
}

function callLink(view: View, { tool_name: name, tool_input: input, use }: ToolCall): ComponentChildren {
  const block = view.outline.calls.get(use?.block_id ?? "")?.use;
  const text = oneLine(`${name ?? ""} ${callTarget(name, input, view.session.metadata.cwd)}`, MAX_NAME_CHARS);
  if (use === null || block === undefined) return text;
  return <a href={`#${view.anchors.block(use.message_ordinal, block.block_order)}`}>{text}</a>;
}

function idNote(id: string | null): string | null {
  return id === null ? null : ` ${oneLine(id, MAX_TOOL_CHARS)}`;
}

function endingView(status: ToolStatus, error: string | null): JSX.Element | null {
  if (status === "completed") return null;
  const reason = status === "error" && error !== null ? gist(withoutSequences(error), MAX_REASON_CHARS) : "";
  const name = <strong>{ENDINGS[status]}</strong>;
  return reason === "" ? (
    <span class="ending">{name}</span>
  ) : (
    <span class="ending reasoned">
      {name}
      {` ${reason}`}
    </span>
  );
}

/** Has the anchor of the result's message if that is not shown anywhere else on the page. */
function pairedResult(view: View, block: ParsedContentBlock, ordinal: number | undefined): JSX.Element {
  const id =
    ordinal !== undefined && view.outline.emptied.has(ordinal) ? view.anchors.claimMessage({ ordinal }) : undefined;
  return (
    <div class="result" id={id}>
      {resultText(block)}
    </div>
  );
}

function resultText(block: ParsedContentBlock): JSX.Element {
  const text = block.status === "error" ? errorText(block.result_text ?? "") : (block.result_text ?? "");
  const { images, persisted_output_path: path, truncated } = block.metadata;
  const isCut = truncated === true;
  return (
    <div>
      {text === "" ? (
        <p class="note">No output.</p>
      ) : (
        [<p class="label">output</p>, longText(text, { line: block.line_number, kind: "output", isCut })]
      )}
      {typeof images === "number" ? <p class="note">Images of this result are not included in this page.</p> : null}
      {typeof path === "string" ? <p class="note">{`The whole output was saved to ${oneLine(path, 400)}`}</p> : null}
    </div>
  );
}

function loneResult(block: ParsedContentBlock): JSX.Element {
  const status = block.status ?? (block.is_error === true ? "error" : "completed");
  const error = block.result_text === null ? null : errorText(block.result_text);
  const name = [
    <span class="tool">Result without its call</span>,
    <span class="target">{idNote(block.tool_result_id)}</span>,
  ];
  return details(`call ${status}`, [...name, endingView(status, error)], <div class="inside">{resultText(block)}</div>);
}

/** Embedded image types. Not SVG, which is a document that may contain links and styles. */
const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
const MAX_FILE_CHARS = 300;

/** Renders an image if its bytes are available and not too many; else a note about it. */
async function imageView(block: ParsedContentBlock, session: PageSession): Promise<JSX.Element> {
  const name = attachmentName(block);
  let image: PageImage | undefined;
  try {
    image = await session.readImage?.(block);
  } catch {
    return note(`${name}, which could not be read.`);
  }
  if (image === undefined) return note(`${name}, not included in this page.`);
  if (!TYPES.has(image.mediaType)) return note(`${name}, of a kind that this page does not show.`);
  if (image.bytes.length > MAX_IMAGE_BYTES) {
    return note(`${name}, too large for this page: ${compact(image.bytes.length)} bytes.`);
  }
  return <img class="picture" src={dataUrl(image)} alt={name} loading="lazy" />;
}

/** Describes an attachment and its path or URL. */
function attachmentName({ block_type: type, metadata }: ParsedContentBlock): string {
  const { media_type: mediaType, filename, path, url, missing } = metadata;
  const parts = [mediaType ?? "of unknown type", filename, path ?? url, missing].filter(
    (part) => typeof part === "string",
  );
  return `${type === "image" ? "Image" : "Document"} (${oneLine(parts.join(", "), MAX_FILE_CHARS)})`;
}

function dataUrl({ mediaType, bytes }: PageImage): string {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return `data:${mediaType};base64,${base64}`;
}

/** Maximum length of text rendered as markdown: longer texts are not prose, and parsing takes more than linear time. */
const MAX_MARKDOWN_CHARS = 100_000;
/** Maximum number of emphasis marks in a paragraph: micromark takes quadratic time, here about 0.1 s. */
const MAX_MARKS_IN_PARAGRAPH = 2_000;
/** Lowers the headings of a text below those of the page. */
const HEADING_SHIFT = 2;

const OPTIONS: Options = {
  extensions: [
    gfm(),
    // Ids of footnotes would be the same in every message.
    { disable: { null: ["gfmFootnoteCall", "gfmFootnoteDefinition", "gfmPotentialFootnoteCall"] } },
  ],
  htmlExtensions: [gfmHtml()],
};

/** Renders markdown. HTML in it is shown as text; images are named, never loaded. */
export function markdown(given: string): JSX.Element {
  const text = withoutSequences(given);
  if (!isReadable(text))
    return (
      <div class="plain" dir="auto">
        {text}
      </div>
    );
  // `toHtml` returns only elements and attributes from its own list.
  return <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: toHtml(text) }} />;
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

/** Matches tags. Micromark escapes `<` and `>` of the text, so each remaining pair is a tag that it made. */
function toHtml(text: string): string {
  const open: string[] = [];
  return micromark(text, OPTIONS).replace(/<(\/?)(\w+)([^<>]*)>/g, (_tag, slash: string, name: string, rest: string) =>
    slash === "" ? startTag(name, attributesOf(rest), open) : endTag(name, open),
  );
}

type Attributes = ReadonlyMap<string, string>;

/** Attribute values as written by micromark: still encoded, safe between double quotes. */
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

/** Keeps links to the web and to mail. Others would lead into the page or the reader's disk, so their target is shown as text. */
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
