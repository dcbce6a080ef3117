/** The pages by their addresses, whoever shows them: the server, or the archive as files. */
import { renderToString } from "preact-render-to-string";
import { setTimeout as delay } from "node:timers/promises";
import type { JSX } from "preact";
import { showUnseen } from "../render/html/page-writer.ts";
import { type Filters, filtersIn, idIn, idOfPath, listIn, sessionAddress } from "../render/html/pages/addresses.ts";
import { ChangesPage } from "../render/html/pages/changes-page.tsx";
import { FailurePage, FailuresPage } from "../render/html/pages/failures-page.tsx";
import { FilePage, FilesPage } from "../render/html/pages/files-page.tsx";
import { SearchPage } from "../render/html/pages/search-page.tsx";
import { RowsPage } from "../render/html/pages/rows-page.tsx";
import { FiguresPage } from "../render/html/pages/figures-page.tsx";
import { MessagePage, type Place } from "../render/html/pages/frame.tsx";
import { PAGES_STYLE } from "../render/html/pages/pages-style.ts";
import { writeSessionPage } from "../render/html/pages/session-page.tsx";
import { SessionsPage } from "../render/html/pages/sessions-page.tsx";
import { STYLE } from "../render/html/style.ts";
import type { Page, Site } from "./app.ts";
import { isSessionError } from "../transcripts-error.ts";
import type { Refresh } from "./refresh.ts";
import type { SiteData } from "./site-data.ts";

const HTML = "text/html; charset=utf-8";

export interface SiteOptions {
  data: SiteData;
  place: Omit<Place, "root" | "live">;
  /** Only on a server. */
  live?: LiveSite;
  /** Text of the script. */
  script: () => Promise<string>;
}

export interface LiveSite {
  formToken: string;
  refresh: Refresh;
}

/** A page as far as its address says; `root` leads from its folder to the root. */
type Route = (
  site: SiteOptions,
  place: Place,
  query: URLSearchParams,
  parts: readonly string[],
) => Promise<Page | undefined>;

const ROUTES: readonly (readonly [RegExp, Route])[] = [
  [/^style\.css$/, async () => text("text/css; charset=utf-8", STYLE + PAGES_STYLE)],
  [/^script\.js$/, async ({ script }) => text("text/javascript; charset=utf-8", await script())],
  [/^figures\.html$/, async ({ data }, place) => html(FiguresPage({ data: await data.figures(), place }))],
  [/^failures\.html$/, async ({ data }, place) => html(FailuresPage({ data: await data.failures(), place }))],
  [/^files\.html$/, async ({ data }, place) => html(FilesPage({ data: await data.files(), place }))],
  [/^failures\/([^/]+)\.html$/, pageAbout((data, id) => data.failure(id), FailurePage)],
  [/^files\/([^/]+)\.html$/, pageAbout((data, id) => data.file(id), FilePage)],
  [/^sessions\/([^/]+)\/(index|\d{1,6})\.html$/, sessionPage],
  [/^sessions\/([^/]+)\/rows\.(\d{1,6})\.html$/, pageAbout((data, id, page) => data.rows(id, page), RowsPage)],
  [/^sessions\/([^/]+)\/changes\.html$/, pageAbout((data, id) => data.changes(id), ChangesPage)],
  [/^(.*\.html)$/, listPage],
];

/** Time between two looks at whether an open page has changed. */
const LOOK_MS = 200;

export function createSite(options: SiteOptions): Site {
  return {
    async *changes(path, query, signal) {
      const { live } = options;
      let [stamp, progress] = [query.get("stamp") ?? "", ""];
      if (live === undefined) return;
      while (!signal.aborted) {
        const now = await stampOf(options.data, live, path);
        const isChanged = now !== stamp;
        if (isChanged || live.refresh.progress !== progress) {
          yield JSON.stringify({ ...(isChanged && { isChanged }), progress: live.refresh.progress });
        }
        [stamp, progress] = [now, live.refresh.progress];
        await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
    },
    async submit(path, form) {
      const id = form.get("session") ?? "";
      if (path !== "tag" || options.live === undefined) return undefined;
      const tags = (form.get("tags") ?? "").split(/[\s,]+/).filter((tag) => tag !== "");
      await options.data.label(id, { tags, title: form.get("title") ?? "", pinned: form.get("pinned") === "yes" });
      options.live.refresh.revision += 1;
      return sessionAddress(id);
    },
    async page(path, query) {
      const { data, live } = options;
      const place: Place = { ...options.place, root: "../".repeat(path.split("/").length - 1) };
      if (live !== undefined) {
        // From before the page is made, so that nothing is missed that comes meanwhile.
        const stamp = await stampOf(data, live, path);
        place.live = { formToken: live.formToken, stamp, progress: live.refresh.progress };
      }
      for (const [form, route] of ROUTES) {
        const [match, ...parts] = form.exec(path) ?? [];
        if (match === undefined) continue;
        try {
          return await route(options, place, query, parts);
        } catch (error) {
          if (!isSessionError(error)) throw error;
          return {
            ...html(MessagePage({ title: "This session cannot be shown", text: error.message, place })),
            status: 404,
          };
        }
      }
      return undefined;
    },
  };
}

/** Returns a text that changes whenever a page may have: that of a session with its file, others with the store. */
async function stampOf(data: SiteData, { refresh }: LiveSite, path: string): Promise<string> {
  const id = sessionIn(path);
  if (id !== undefined) return data.stamp(id);
  refresh.begin();
  return `${refresh.revision} ${data.updates}`;
}

function sessionIn(path: string): string | undefined {
  const [, name = ""] = /^sessions\/([^/]+)\//.exec(path) ?? [];
  return idIn(name);
}

async function listPage(
  { data }: SiteOptions,
  place: Place,
  query: URLSearchParams,
  [path = ""]: readonly string[],
): Promise<Page | undefined> {
  const asked = path === "index.html" && query.size > 0 ? filtersIn(query) : listIn(path);
  if (asked === undefined) return undefined;
  let { filters }: { filters: Filters } = asked;
  const projectId = "projectId" in asked ? asked.projectId : undefined;
  if (projectId !== undefined) {
    const project = (await data.projects()).find((each) => idOfPath(each) === projectId);
    if (project === undefined) return undefined;
    filters = { project };
  }
  // Passages can be filtered by tool, but not by model.
  const { text, model: _model, ...others } = filters;
  if (text !== undefined) return html(SearchPage({ data: await data.search({ text, ...others }), place }));
  return html(SessionsPage({ data: await data.sessions(filters, asked.page), place }));
}

/** A page about one thing, whose id is in the address, or one of several such pages. */
function pageAbout<Data>(
  load: (data: SiteData, id: string, page: number) => Promise<Data | undefined>,
  page: (props: { data: Data; place: Place }) => JSX.Element,
): Route {
  return async ({ data }, place, _query, [name = "", number]) => {
    const id = idIn(name);
    const found = id === undefined ? undefined : await load(data, id, Number(number));
    return found && html(page({ data: found, place }));
  };
}

async function sessionPage(
  { data }: SiteOptions,
  place: Place,
  _query: URLSearchParams,
  [name = "", number = ""]: readonly string[],
): Promise<Page | undefined> {
  const id = idIn(name);
  const page = number === "index" ? 1 : Number(number);
  const session = id === undefined ? undefined : await data.session(id, page);
  return session && { type: HTML, content: (write) => writeSessionPage(session, place, write) };
}

function html(page: JSX.Element): Page {
  return text(HTML, `<!doctype html>${showUnseen(renderToString(page))}`);
}

function text(type: string, content: string): Page {
  return { type, content: (write) => write(content) };
}
