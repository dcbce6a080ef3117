import { createHash } from "node:crypto";
import type { JSX } from "preact";
import { Anchors, Clock } from "./view.ts";
import { outlineOf, type PageSession } from "./outline.ts";
import { overview, titleOf } from "./overview.tsx";
import { PageWriter } from "./page-writer.ts";
import { writeSession } from "./session-body.tsx";
import { STYLE } from "./style.ts";
import { turnsIn } from "./turn-list.tsx";

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
  "Made with opencode-transcripts. The page loads nothing and runs no script; find-in-page also searches collapsed sections.";

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
  await writer.addTag('<body class="alone">');
  const turns = turnsIn(outline, new Anchors());
  await writer.add(SKIP_LINK);
  await writer.addTag('<main class="session">');
  await writer.add(overview(session, clock, { turns }));
  await writeSession(writer, { session, outline, clock, turns });
  await writer.addTag("</main>");
  await writer.add(
    <footer>
      <p>{MADE_WITH}</p>
    </footer>,
  );
  await writer.addTag("</body></html>");
  await writer.flush();
}
