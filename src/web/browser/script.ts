/**
 * What the pages do beyond showing themselves: keys, search while typing, and following a session that is being recorded.
 * Everything else works without it. Runs in the browser, and uses nothing of the package.
 */

const root = document.body.dataset["root"] ?? "";
const isLive = "live" in document.body.dataset;

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

// Live pages.

if (isLive) follow();

function follow(): void {
  const path = new URL(location.href).pathname.slice(new URL(root || ".", location.href).pathname.length);
  const stream = new EventSource(`${root}changes?path=${encodeURIComponent(path)}`);
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

/** Makes the children of an element those of another. Equal ones are kept, and the insides of those with one id merged. */
function merge(old: Element, fresh: Element): void {
  const known = [...old.children];
  for (const [at, child] of [...fresh.children].entries()) {
    const before = known[at];
    if (before === undefined) old.append(child);
    else if (before.isEqualNode(child)) continue;
    else if (before.tagName === child.tagName && before.children.length > 0 && before.className === child.className) {
      merge(before, child);
    } else before.replaceWith(child);
  }
  for (const extra of known.slice(fresh.children.length)) extra.remove();
  if (fresh.children.length === 0 && old.textContent !== fresh.textContent) old.textContent = fresh.textContent;
}
