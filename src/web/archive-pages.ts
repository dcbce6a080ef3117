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
import type { ArchivedSession, SiteData } from "./site-data.ts";

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
  const all = hashOf([version, ...sessions.map((each) => `${each.id} ${each.version}`)]);
  for (const path of [STYLE_SHEET, SCRIPT]) yield { ...pageOf(options, path), version };
  for (const path of [FIGURES, FAILURES, FILES]) yield { ...pageOf(options, path), version: all };
  yield* detailPages(options);
  yield { group: "lists", version: all, pages: () => listPages(options, sessions) };
  for (const session of sessions) yield sessionGroup(options, session);
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

/** Yields the pages of the list, and of the lists by one filter. */
async function* listPages(
  options: ArchivePagesOptions,
  sessions: readonly ArchivedSession[],
): AsyncGenerator<GroupedPage> {
  const { data } = options;
  const each = (pick: (session: ArchivedSession) => readonly (string | null)[]): string[] =>
    [...new Set(sessions.flatMap(pick).filter((value) => value !== null))].toSorted();
  const lists: Filters[] = [
    {},
    ...each(({ agent }) => [agent]).map((agent) => ({ agent })),
    ...each(({ project }) => [project]).map((project) => ({ project })),
    ...each(({ tags }) => tags).map((tag) => ({ tag })),
    ...(await data.days()).map((day) => ({ since: day, until: day })),
  ];
  for (const filters of lists) {
    const pages = await data.pagesOfList(filters);
    for (let page = 1; page <= pages; page += 1) yield pageOf(options, sessionsAddress(filters, page));
  }
}

/** Yields a page for each error of the list, and for each file. */
async function* detailPages(options: ArchivePagesOptions): AsyncGenerator<ArchivedPage> {
  const { data } = options;
  const version = hashOf([options.version, await data.failuresVersion()]);
  for (const { signature } of await data.failures())
    yield { ...pageOf(options, failureAddress(idOfPath(signature))), version };
  for (const [file, own] of await data.fileVersions())
    yield { ...pageOf(options, fileAddress(file)), version: hashOf([options.version, own]) };
}

function sessionGroup(options: ArchivePagesOptions, session: ArchivedSession): ArchivedGroup {
  const folder = sessionAddress(session.id).replace(/[^/]*$/, "");
  return {
    group: folder,
    version: hashOf([options.version, session.version]),
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
