import { createHash } from "node:crypto";
import type { JSX } from "preact";
import { Anchors, Clock } from "./view.ts";
import { oneLine } from "../../neutral-text.ts";
import type { MessageView, Turn } from "../../parse/turns.ts";
import { type Outline, outlineOf, type PageSession } from "./outline.ts";
import { overview, titleOf } from "./overview.tsx";
import { details } from "./page-texts.tsx";
import { PageWriter } from "./page-writer.ts";
import { writeConversation } from "./session-body.tsx";
import { STYLE } from "./style.ts";
import { timeView } from "./entry-view.tsx";
import { counted } from "../../quantities.ts";

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Content security policy: no script, network or form; only the style sheet below and images embedded in the page. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

function head(title: string): JSX.Element {
  return (
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={POLICY} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <meta name="robots" content="noindex" />
      <link rel="icon" href="data:," />
      <title>{title}</title>
      <style dangerouslySetInnerHTML={{ __html: STYLE }} />
    </head>
  );
}

const SKIP_LINK = (
  <a class="skip" href="#conversation">
    Skip to the conversation
  </a>
);

const MADE_WITH =
  "Made with opencode-transcripts. The page loads nothing and runs no script; browsers find text in what is folded, too.";

export interface PageOptions {
  /** IANA name of the time zone. Default `UTC`. An unknown name rejects with a `RangeError`. */
  timeZone?: string;
}

/**
 * Writes a session as one self-contained HTML page: no network, no script, no other file.
 *
 * The page is written in pieces of about 64 KiB, each after the previous one was accepted, so that it is never in memory
 * as a whole. Session text cannot become markup: it is escaped, or rendered as markdown without HTML, and the page's
 * policy also forbids scripts. Rejections of `write` are passed on.
 */
export async function renderPage(
  session: PageSession,
  write: (html: string) => Promise<void>,
  { timeZone = "UTC" }: PageOptions = {},
): Promise<void> {
  const clock = new Clock(timeZone);
  const outline = outlineOf(session);
  const writer = new PageWriter(write);
  await writer.addTag('<!doctype html><html lang="en">');
  await writer.add(head(titleOf(session)));
  await writer.addTag("<body>");
  await writer.add(SKIP_LINK, overview(session, clock), ...switches(), turnList(outline, clock));
  await writer.addTag('<main id="conversation" tabindex="-1">');
  await writeConversation(writer, { session, outline, clock, anchors: new Anchors() }, true);
  await writer.addTag("</main>");
  await writer.add(
    <footer>
      <p>{MADE_WITH}</p>
    </footer>,
  );
  await writer.addTag("</body></html>");
  await writer.flush();
}

/** Renders the list of turns, and the display switches. */
function turnList({ turns, calls }: Outline, clock: Clock): JSX.Element {
  const links = turns.flatMap((turn) => (turn.prompt === undefined ? [] : turnLink(turn, turn.prompt, calls, clock)));
  const labels = SWITCHES.map(({ id, name }) => <label for={id}>{name}</label>);
  const list = links.length === 0 ? null : details("turns", [counted(links.length, "turn")], <ol>{links}</ol>);
  return (
    <nav aria-label="Turns">
      <div class="switches">{labels}</div>
      {list}
    </nav>
  );
}

const SWITCHES = [
  { id: "show-calls", name: "Tool calls", isOn: true },
  { id: "show-thinking", name: "Thinking", isOn: true },
  { id: "unfold", name: "Unfold all", isOn: false },
];

/**
 * Switches that change how the conversation is shown. The style sheet applies them to elements after a switch, so they are
 * children of the body, and only their labels are in the list of turns.
 */
function switches(): JSX.Element[] {
  return SWITCHES.map(({ id, isOn }) => (
    <input class="switch" type="checkbox" id={id} checked={isOn} autocomplete="off" />
  ));
}

function turnLink(
  { number, messages }: Turn,
  prompt: MessageView,
  paired: Outline["calls"],
  clock: Clock,
): JSX.Element {
  const { timestamp } = prompt.message;
  const calls = messages.flatMap(({ blocks }) => blocks.filter(({ block_type: type }) => type === "tool_use"));
  const failures = calls.filter(({ id }) => paired.get(id)?.call.status === "error").length;
  const about = (
    <div class="about">
      {timestamp === null ? null : timeView(timestamp, clock)}
      {calls.length === 0 ? null : <span>{counted(calls.length, "call")}</span>}
      {failures === 0 ? null : <span class="failed">{`${failures} failed`}</span>}
    </div>
  );
  const title = <span class="title">{turnTitle(prompt)}</span>;
  return (
    <li>
      <a href={`#turn-${number}`}>
        <span class="number">{`${number}`}</span>
        {title}
      </a>
      {about}
    </li>
  );
}

const MAX_TURN_TITLE_CHARS = 140;

function turnTitle({ message, blocks }: MessageView): string {
  const { command } = message.metadata;
  if (typeof command === "string") return oneLine(command, MAX_TURN_TITLE_CHARS);
  const text = blocks.find((block) => block.content_text !== null && block.content_text.trim() !== "")?.content_text;
  return oneLine(text ?? "", MAX_TURN_TITLE_CHARS) || "(no text)";
}
