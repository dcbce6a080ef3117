/** Lists the files of an archive: the same pages that the server shows, and those that its list is filtered with. */
import { createHash } from "node:crypto";
import {
  SCRIPT,
  sessionAddress,
  rowsPageName,
  sessionPageName,
  sessionsAddress,
  STYLE_SHEET,
  FAILURES,
  failureAddress,
  fileAddress,
  FILES,
  idOfPath,
  FIGURES,
  type Filters,
} from "../render/html/pages/addresses.ts";
import type { Site } from "./app.ts";
import type { ArchivedGroup, ArchivedPage } from "./archive-writer.ts";
import { searchFiles } from "./archive-search.ts";
import type { SessionOfArchive, SiteData } from "./site-data.ts";

export interface ArchivePagesOptions {
  site: Site;
  data: SiteData;
  /** Version of this program, and anything else that changes every page. */
  version: string;
  signal: AbortSignal;
}

/** Yields the files of all sessions that the data has. */
export async function* archivePages(options: ArchivePagesOptions): AsyncGenerator<ArchivedPage | ArchivedGroup> {
  const { data, version } = options;
  const sessions = await data.archived();
  const versions = new Map(sessions.map((each) => [each.id, `${each.id} ${each.version}`]));
  const versionOf = (ids: readonly string[], ...more: readonly string[]): string =>
    hashOf([version, ...more, ...ids.map((id) => versions.get(id) ?? id)]);
  const all = versionOf([...versions.keys()]);
  for (const path of [STYLE_SHEET, SCRIPT]) yield { ...pageOf(options, path), version };
  for (const path of [FIGURES, FAILURES, FILES]) yield { ...pageOf(options, path), version: all };
  for (const { of, ids } of await data.failureParts())
    yield {
      ...pageOf(options, failureAddress(idOfPath(of.signature))),
      version: versionOf(ids, JSON.stringify(of)),
    };
  for (const { of, ids } of await data.fileParts())
    yield { ...pageOf(options, fileAddress(of)), version: versionOf(ids) };
  const lists = await data.listParts(sessions);
  // Each list has links to those of the agents and projects.
  const names = JSON.stringify(lists.flatMap(({ of: { agent, project } }) => agent ?? project ?? []));
  for (const { of, ids } of lists)
    yield { group: sessionsAddress(of), version: versionOf(ids, names), pages: () => listPages(options, of) };
  const children = Map.groupBy(sessions, ({ parent_session_id: parent }) => parent);
  const byOwnId = Map.groupBy(sessions, ({ session_id: own }) => own);
  for (const session of sessions) {
    // Its page names its parent and shows figures of its subagents.
    const others = [
      ...(byOwnId.get(session.parent_session_id ?? "") ?? []),
      ...(children.get(session.session_id) ?? []),
    ];
    const ids = [session, ...others].map(({ id }) => id);
    yield sessionGroup(options, session, versionOf(ids, ...session.seen));
  }
  yield* searchFiles(
    sessions
      .filter(({ parent_session_id: parent }) => parent === null)
      .toReversed()
      .map(({ id, title, prompt, ended, version: own }) => ({
        href: sessionAddress(id),
        title: title ?? prompt ?? id,
        time: ended,
        version: own,
        texts: () => data.texts(id),
      })),
  );
}

type GroupedPage = Omit<ArchivedPage, "version">;

async function* listPages(options: ArchivePagesOptions, filters: Filters): AsyncGenerator<GroupedPage> {
  const pages = await options.data.pagesOfList(filters);
  for (let page = 1; page <= pages; page += 1) yield pageOf(options, sessionsAddress(filters, page));
}

function sessionGroup(options: ArchivePagesOptions, session: SessionOfArchive, version: string): ArchivedGroup {
  const folder = sessionAddress(session.id).replace(/[^/]*$/, "");
  return {
    group: folder,
    version,
    async *pages() {
      const pages = await options.data.pagesOf(session.id);
      for (let page = 1; page <= pages; page += 1) {
        yield pageOf(options, folder + sessionPageName(page));
        yield pageOf(options, folder + rowsPageName(page));
      }
      yield pageOf(options, `${folder}changes.html`);
    },
  };
}

function pageOf({ site, signal }: ArchivePagesOptions, path: string): GroupedPage {
  return {
    path,
    content: async (write) => {
      const page = await site.page(path, new URLSearchParams(), signal);
      if (page === undefined) throw new Error(`There is no page ${path}.`);
      await page.content(write);
    },
  };
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part}\n`);
  return hash.digest("base64url");
}
