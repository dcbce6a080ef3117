import { h } from "preact";
import { Clock } from "./clock.ts";
import { Footer, Head, SkipLink } from "./document.ts";
import { outlineOf } from "./outline.ts";
import { Overview, titleOf } from "./overview.ts";
import type { PageSession } from "./page-session.ts";
import { PageWriter } from "./page-writer.ts";
import { writeConversation } from "./session-body.ts";
import { switches, TurnList } from "./turn-list.ts";
import { Anchors } from "./view.ts";

export interface PageOptions {
  /** IANA name of the zone in which times are shown. Default `UTC`. A name that is none rejects with a `RangeError`. */
  timeZone?: string;
}

/**
 * Writes a session as one page of HTML that needs nothing else: no network, no script, no other file.
 *
 * The page is written in pieces of about 64 KiB, each after the one before was taken, so that it is never in memory as
 * a whole. Nothing that a session says can become markup: it is escaped, or read as markdown without HTML, and the
 * page's policy forbids scripts on top. A rejection of `write`, or of `session.messages`, is passed on.
 */
export async function renderPage(
  session: PageSession,
  write: (html: string) => Promise<void>,
  { timeZone = "UTC" }: PageOptions = {},
): Promise<void> {
  const clock = new Clock(timeZone);
  const outline = await outlineOf(session);
  const writer = new PageWriter(write);
  await writer.addTag('<!doctype html><html lang="en">');
  await writer.add(h(Head, { title: titleOf(session) }));
  await writer.addTag("<body>");
  await writer.add(
    h(SkipLink, {}),
    h(Overview, { session, clock }),
    ...switches(),
    h(TurnList, { turns: outline.turns, clock }),
  );
  await writer.addTag('<main id="conversation" tabindex="-1">');
  await writeConversation(writer, { session, outline, clock, anchors: new Anchors() }, true);
  await writer.addTag("</main>");
  await writer.add(h(Footer, {}));
  await writer.addTag("</body></html>");
  await writer.flush();
}
