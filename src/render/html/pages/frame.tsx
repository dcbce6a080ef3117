/** Parts of all pages: head, navigation, search box and footer. */
import type { ComponentChildren, JSX } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Clock } from "../view.ts";
import { FAILURES, FIGURES, FILES, type Filters, SCRIPT, sessionsAddress, STYLE_SHEET } from "./addresses.ts";
import { shellWord } from "../../../calls/shell-syntax.ts";

/** A page's surroundings. */
export interface Place {
  /** Way from the page's folder to the root: empty, or `../` once or more. */
  root: string;
  clock: Clock;
  /** The sessions are those of a team's database, which commands ask with --team. */
  isTeam: boolean;
  /** The pages are only about sessions that match these filters, which their commands have as options. Default: all. */
  only?: OnlyFilters;
  /** Only on a server: its pages change, and their forms have this token. */
  live?: Live;
}

export type OnlyFilters = Omit<Filters, "tag" | "text" | "failed"> & { tags?: readonly string[] };

export interface Live {
  formToken: string;
  /** Version of the page's data: see `SiteData.stamp`. */
  stamp: string;
  /** The server's work in progress, such as adding sessions to the store; empty if there is none. */
  progress: string;
}

export type Section = "sessions" | "failures" | "files" | "figures";

const SECTIONS: readonly [Section, string, string][] = [
  ["sessions", "Sessions", sessionsAddress()],
  ["failures", "Failures", FAILURES],
  ["files", "Files", FILES],
  ["figures", "Statistics", FIGURES],
];

export interface FrameProps {
  place: Place;
  title: string;
  section: Section;
  /** Class of the content. */
  kind?: string;
  /** Text in the search box. */
  text?: string;
  /** Command that gives the same answer. */
  command: string;
  children: ComponentChildren;
}

/** Returns the options of a command about the sessions of a page, each with a space before it. */
export function filterOptions(
  { only: { tags = [], ...only } = {} }: Pick<Place, "only">,
  filters: Filters = {},
): string {
  const { agent, project, tool, model, since, until, tag } = { ...only, ...filters };
  const all = [...new Set([...tags, ...(tag === undefined ? [] : [tag])])].map((each) => ["tag", each] as const);
  return [...Object.entries({ agent, project, tool, model, since, until }), ...all]
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${shellWord(value)}`]))
    .join("");
}

/** The page as a whole, without `<!doctype html>`. */
export function Frame({ place, title, section, kind, text, command, children }: FrameProps): JSX.Element {
  const { root, live } = place;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="same-origin" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:," />
        <title>{title}</title>
        <link rel="stylesheet" href={root + STYLE_SHEET} />
        <script src={root + SCRIPT} defer />
      </head>
      <body {...(live && { "data-live": live.stamp })} data-root={root}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="bar">
          <a class="brand" href={root + sessionsAddress()}>
            Transcripts
          </a>
          <nav aria-label="Pages">
            {SECTIONS.map(([name, label, address]) => (
              <a href={root + address} aria-current={name === section ? "page" : undefined}>
                {label}
              </a>
            ))}
          </nav>
          <form class="search" role="search" action={root + sessionsAddress()} method="get">
            <input
              type="search"
              name="text"
              value={text}
              placeholder="Search everything"
              aria-label="Search everything"
            />
            <kbd aria-hidden="true">/</kbd>
          </form>
        </header>
        {live === undefined ? null : (
          <p class="progress" role="status" hidden={live.progress === ""}>
            {live.progress}
          </p>
        )}
        <main id="content" class={kind} tabindex={-1}>
          {children}
        </main>
        <footer class="foot">
          <p>
            In a terminal: <code>{place.isTeam ? command.replace(/^transcripts \w+/, "$& --team") : command}</code>
          </p>
        </footer>
        <Keys />
      </body>
    </html>
  );
}

/** A page that only says something, such as why another cannot be shown. */
export function MessagePage({ title, text, place }: { title: string; text: string; place: Place }): JSX.Element {
  return (
    <Frame place={place} title={title} section="sessions" command="transcripts list">
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href={place.root + sessionsAddress()}>All sessions</a>
      </p>
    </Frame>
  );
}

/** Not in any text: it is a character that pages show as a sign. */
const SPLIT = "\0";

/** The frame of a page whose content is written in pieces between these two. */
export function framePieces(props: Omit<FrameProps, "children">): [start: string, end: string] {
  const [start = "", end = ""] = renderToString(<Frame {...props}>{SPLIT}</Frame>).split(SPLIT);
  return [`<!doctype html>${start}`, end];
}

const KEYS: readonly [string, string][] = [
  ["/", "Search"],
  ["j, k", "Next and previous turn or row"],
  ["n, p", "Next and previous prompt"],
  ["e", "Next failed call"],
  ["?", "This list"],
];

/** Shown by the script. */
function Keys(): JSX.Element {
  return (
    <dialog id="keys" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, does]) => (
          <div>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

interface PageLinksProps {
  label: string;
  kind?: string;
  /** Text and address; undefined at the ends. */
  previous: [text: string, href: string] | undefined;
  next: [text: string, href: string] | undefined;
  children: ComponentChildren;
}

/** Links from one of several pages to the others. */
export function PageLinks({ label, kind = "", previous, next, children }: PageLinksProps): JSX.Element {
  const link = (to: PageLinksProps["next"], rel: string): JSX.Element =>
    to === undefined ? (
      <span />
    ) : (
      <a rel={rel} href={to[1]}>
        {to[0]}
      </a>
    );
  return (
    <nav class={`pages ${kind}`.trimEnd()} aria-label={label}>
      {link(previous, "prev")}
      <span class="quiet">{children}</span>
      {link(next, "next")}
    </nav>
  );
}

export interface WhenProps {
  time: string | null;
  place: Place;
  /** Shows the date too. */
  day?: boolean;
}

export function When({ time, place: { clock }, day = false }: WhenProps): JSX.Element | null {
  if (time === null) return null;
  return <time dateTime={time}>{day ? clock.dateAndTime(time) : clock.time(time).slice(0, 5)}</time>;
}
