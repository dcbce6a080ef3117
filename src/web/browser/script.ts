/**
 * What the pages do beyond showing themselves: keys, search while typing, and following a session that is being recorded.
 * Everything else works without it. Runs in the browser.
 */
import { bucketName, WORD } from "./search-words.ts";

const root = document.body.dataset["root"] ?? "";
/** Version of the data that the page showed when it was loaded. */
const stamp = document.body.dataset["live"];
const isLive = stamp !== undefined;

// Keys.

const typing = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

const KEYS: Readonly<Record<string, () => void>> = {
  "/": () => searchBox()?.focus(),
  j: () => step(".turn, .sessions .what .title, .hit h2 a, .failure > summary", 1),
  k: () => step(".turn, .sessions .what .title, .hit h2 a, .failure > summary", -1),
  n: () => step(".by-user", 1),
  p: () => step(".by-user", -1),
  e: () => step(".call.error", 1),
  "?": () => {
    const help = document.querySelector<HTMLDialogElement>("#keys");
    if (help?.open === true) help.close();
    else help?.showModal();
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && typing(event.target)) {
    event.target.blur();
    return;
  }
  const action = typing(event.target) ? undefined : KEYS[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});

/** Distance from the top of the window at which an element counts as the current one. */
const MARGIN = 24;

/** Goes to the next or previous of some elements: from the focused one, or from the top of the window. */
function step(selector: string, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(`main :is(${selector})`)];
  const at = all.findIndex((each) => each === document.activeElement || each.contains(document.activeElement));
  const next =
    at === -1
      ? by === 1
        ? all.find((each) => each.getBoundingClientRect().top > MARGIN)
        : all.findLast((each) => each.getBoundingClientRect().top < -1)
      : all[at + by];
  if (next === undefined) return;
  for (let box = next.closest("details"); box; box = box.parentElement?.closest("details") ?? null) box.open = true;
  const focused = next.matches("a, summary")
    ? next
    : (next.querySelector<HTMLElement>("a, summary, [tabindex]") ?? next);
  if (focused === next && !next.matches("a, summary")) next.tabIndex = -1;
  focused.focus({ preventScroll: true });
  next.scrollIntoView({ block: "start" });
}

// Search while typing.

const TYPING_MS = 180;

function searchBox(): HTMLInputElement | null {
  return document.querySelector(".search input");
}

let pending: ReturnType<typeof setTimeout> | undefined;
let asked = 0;

if (isLive)
  searchBox()?.addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(() => void showFound(), TYPING_MS);
  });

async function showFound(): Promise<void> {
  const text = searchBox()?.value.trim() ?? "";
  const address = text === "" ? "index.html" : `index.html?text=${encodeURIComponent(text)}`;
  asked += 1;
  const number = asked;
  const page = await pageAt(root + address);
  // An answer to earlier letters may arrive after a later one.
  if (page === undefined || number !== asked) return;
  document.querySelector("main")?.replaceWith(page.querySelector("main") ?? "");
  document.title = page.title;
  history.replaceState(null, "", root + address);
}

async function pageAt(address: string): Promise<Document | undefined> {
  try {
    const response = await fetch(address);
    return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : undefined;
  } catch {
    return undefined;
  }
}

// Search in an archive: see archive-search.ts for its files.

interface Archived {
  segment: number;
  sessions: [href: string, title: string, time: string | null][];
}

type Words = Record<string, (number | string)[]>;

/** Hits shown at most. */
const MAX_FOUND = 100;

if (!isLive)
  document.querySelector(".search")?.addEventListener("submit", (event) => {
    event.preventDefault();
    void searchArchive(searchBox()?.value ?? "");
  });

async function searchArchive(text: string): Promise<void> {
  const words = text.toLowerCase().match(WORD) ?? [];
  const archived = await loaded<Archived>(null);
  if (words.length === 0 || archived === undefined) return;
  const segments = Math.ceil(archived.sessions.length / archived.segment);
  const found: { number: number; href: string; words: number }[] = [];
  for (let at = segments - 1; at >= 0; at -= 1) {
    const hits = new Map<number, { href: string; words: number }>();
    for (const word of words) {
      const list = (await loaded<Words>(`${at}/${bucketName(word)}`)) ?? {};
      const seen = new Set<number>();
      for (const [known, places] of Object.entries(list)) {
        if (!known.startsWith(word)) continue;
        for (let place = 0; place < places.length; place += 2) {
          const [number, href] = [Number(places[place]), String(places[place + 1])];
          if (seen.has(number)) continue;
          seen.add(number);
          const before = hits.get(number);
          hits.set(number, { href: before?.href ?? href, words: (before?.words ?? 0) + 1 });
        }
      }
    }
    for (const [number, hit] of hits) found.push({ ...hit, number: at * archived.segment + number });
  }
  const all = found.filter((hit) => hit.words === words.length);
  const shown = (all.length > 0 ? all : found).toSorted((a, b) => b.words - a.words || b.number - a.number);
  showArchived(text, archived, shown, all.length > 0);
}

function showArchived(
  text: string,
  { sessions }: Archived,
  found: readonly { number: number; href: string }[],
  hasAll: boolean,
): void {
  const main = document.querySelector("main");
  if (main === null) return;
  const list = element("ol", "hits");
  for (const { number, href } of found.slice(0, MAX_FOUND)) {
    const [, title = "", time = null] = sessions[number] ?? [];
    const link = element("a", "", title || "(no title)");
    link.setAttribute("href", root + href);
    const heading = element("h2", "");
    heading.append(link, element("span", "about", time === null ? "" : time.slice(0, 16).replace("T", " ")));
    const item = element("li", "hit");
    item.append(heading);
    list.append(item);
  }
  const few = hasAll
    ? "Sessions that have all words, or longer ones that begin like them."
    : "No session has all the words; these have some.";
  const count = `${found.length} session${found.length === 1 ? "" : "s"}`;
  main.className = "";
  main.replaceChildren(
    element("h1", "", found.length === 0 ? "Nothing found" : `${count}: ${text}`),
    element(
      "p",
      "note",
      found.length === 0 ? "Words are found by their beginning. The server finds parts of words too." : few,
    ),
    list,
  );
}

function element(name: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}

const files = new Map<string | null, unknown>();
Object.assign(globalThis, { transcriptsSearch: (name: string | null, content: unknown) => files.set(name, content) });

/** Loads a file of the search, which is a script because a page from disk can load nothing else. Undefined if it is not there. */
async function loaded<T>(name: string | null): Promise<T | undefined> {
  if (!files.has(name)) {
    const script = document.createElement("script");
    script.src = `${root}search/${name ?? "sessions"}.js`;
    const { promise, resolve } = Promise.withResolvers<void>();
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => resolve());
    document.head.append(script);
    await promise;
    script.remove();
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own file
  return files.get(name) as T | undefined;
}

// Live pages.

if (isLive) follow();

function follow(): void {
  const path = new URL(location.href).pathname.slice(new URL(root || ".", location.href).pathname.length);
  const stream = new EventSource(`${root}changes?${new URLSearchParams({ path, stamp: stamp ?? "" })}`);
  stream.addEventListener("message", ({ data }) => {
    const message: { progress?: string; isChanged?: boolean } = JSON.parse(String(data));
    if (message.progress !== undefined) showProgress(message.progress);
    if (message.isChanged === true) void update();
  });
}

function showProgress(text: string): void {
  const line = document.querySelector<HTMLElement>(".progress");
  if (line === null) return;
  line.textContent = text;
  line.hidden = text === "";
}

let isUpdating = false;
let isStale = false;

/** Replaces what changed since the page was loaded; what is open stays open, and nothing moves above it. */
async function update(): Promise<void> {
  isStale = true;
  if (isUpdating) return;
  isUpdating = true;
  while (isStale) {
    isStale = false;
    const page = await pageAt(location.href);
    const [old, fresh] = [document.querySelector("main"), page?.querySelector("main")];
    if (old && fresh) merge(old, fresh);
  }
  isUpdating = false;
}

/** Makes the content of an element that of another. Equal parts are kept, and what the reader opened stays open. */
function merge(old: Element, fresh: Element): void {
  const [known, wanted] = [[...old.childNodes], [...fresh.childNodes]];
  for (const [at, node] of wanted.entries()) {
    const before = known[at];
    if (before === undefined) old.append(node);
    else if (before.isEqualNode(node)) continue;
    else if (before instanceof Element && node instanceof Element && isAlike(before, node)) {
      for (const { name, value } of node.attributes) if (name !== "open") before.setAttribute(name, value);
      merge(before, node);
    } else before.replaceWith(node);
  }
  for (const extra of known.slice(wanted.length)) extra.remove();
}

function isAlike(before: Element, node: Element): boolean {
  return before.tagName === node.tagName && before.className === node.className;
}
