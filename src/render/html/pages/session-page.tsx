/** A session, or one page of a long one. */
import type { JSX } from "preact";
import { shellWord } from "../../../calls/shell-syntax.ts";
import { oneLine } from "../../../neutral-text.ts";
import { counted } from "../../../quantities.ts";
import { overview, titleOf } from "../overview.tsx";
import { outlineOf, type PageSession } from "../outline.ts";
import { PageWriter } from "../page-writer.ts";
import { writeSession } from "../session-body.tsx";
import type { TurnRow } from "../turn-list.tsx";
import { changesAddress, sessionAddress, sessionPageName, sessionsAddress } from "./addresses.ts";
import { type FrameProps, framePieces, PageLinks, type Place } from "./frame.tsx";
import { lastPart } from "./sessions-page.tsx";

export interface SessionPageData {
  id: string;
  /** The messages of this page, with the figures of the whole session. Its children have addresses. */
  session: PageSession;
  /** The session that started it. */
  parent: { id: string; title: string } | null;
  agent: string | null;
  /** All turns of the session, with addresses relative to this page. */
  turns: readonly TurnRow[];
  /** The first is 1. */
  page: number;
  pages: number;
  /** Command that resumes it in its agent, or why there is none. */
  resume: { command: string } | { reason: string };
  tags: readonly string[];
  isPinned: boolean;
}

/** Writes the page in pieces. Rejections of `write` are passed on. */
export async function writeSessionPage(
  data: SessionPageData,
  place: Place,
  write: (html: string) => Promise<void>,
): Promise<void> {
  const { id, session, turns } = data;
  const outline = outlineOf(session);
  const writer = new PageWriter(write);
  const frame: Omit<FrameProps, "children"> = {
    place,
    title: titleOf(session),
    section: "sessions",
    kind: "session",
    command: `transcripts show ${shellWord(id)}`,
  };
  const [start, end] = framePieces(frame);
  await writer.addRendered(start);
  await writer.add(<Head data={data} place={place} />);
  if (data.pages > 1) await writer.add(<Pages data={data} where="before" />);
  await writeSession(writer, { session, outline, clock: place.clock, turns });
  if (data.pages > 1) await writer.add(<Pages data={data} where="after" />);
  await writer.addRendered(end);
  await writer.flush();
}

function Head({ data, place }: { data: SessionPageData; place: Place }): JSX.Element {
  const { id, session, parent, agent, turns, resume, tags, isPinned } = data;
  const { root, live } = place;
  const up =
    parent === null ? null : (
      <p class="up">
        Subagent of{" "}
        <a dir="auto" href={root + sessionAddress(parent.id)}>
          {oneLine(parent.title, 120)}
        </a>
      </p>
    );
  const { cwd } = session.metadata;
  const about = [
    cwd === null ? null : (
      <a href={root + sessionsAddress({ project: cwd })} title={oneLine(cwd, 400)}>
        {oneLine(lastPart(cwd), 60)}
      </a>
    ),
    agent === null ? null : <a href={root + sessionsAddress({ agent })}>{agent}</a>,
  ];
  const actions = (
    <>
      {live === undefined ? null : (
        <details class="closed edit">
          <summary>Tag or pin</summary>
          <form method="post" action={`${root}tag`}>
            <input type="hidden" name="token" value={live.formToken} />
            <input type="hidden" name="session" value={id} />
            <label>
              Tags <input name="tags" value={tags.join(", ")} placeholder="release, later" />
            </label>
            <label>
              Title <input name="title" value={session.metadata.title ?? ""} />
            </label>
            <label class="check">
              <input type="checkbox" name="pinned" value="yes" checked={isPinned} /> Pinned
            </label>
            <button type="submit">Save</button>
          </form>
        </details>
      )}
      <a href={root + changesAddress(id)}>Changes to files</a>
      {session.rows === undefined ? null : <a href={session.rows}>Rows</a>}
      {isPinned ? <span>Pinned</span> : null}
      {tags.map((tag) => (
        <a class="tag" href={root + sessionsAddress({ tag })}>
          {oneLine(tag, 40)}
        </a>
      ))}
      {"command" in resume ? (
        <span class="resume">
          Resume: <code>{oneLine(resume.command, 400)}</code>
        </span>
      ) : null}
    </>
  );
  return (
    <>
      {up}
      {overview(session, place.clock, { turns, about, actions })}
    </>
  );
}

function Pages({ data: { page, pages, session }, where }: { data: SessionPageData; where: string }): JSX.Element {
  return (
    <PageLinks
      label="Pages of the session"
      kind={where}
      previous={page > 1 ? ["Earlier", sessionPageName(page - 1)] : undefined}
      next={page < pages ? ["Later", sessionPageName(page + 1)] : undefined}
    >
      Page {page} of {pages}, {counted(session.stats.total_messages, "message")} in all
    </PageLinks>
  );
}
