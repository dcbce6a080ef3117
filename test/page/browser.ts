/** A real browser for the tests of the page: one for all of them. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { test } from "../support/runner.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  // The same pictures on every machine.
  "--disable-lcd-text",
  "--font-render-hinting=none",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Undefined: these tests are skipped. Set `CHROMIUM` to the path of a browser that is elsewhere. */
const CHROMIUM = process.env["CHROMIUM"] ?? PLACES.find((path) => existsSync(path));

/** A test that needs Chromium. */
export const browserTest = test.skipIf(CHROMIUM === undefined && "no Chromium");

/** Starts Chromium with a new, empty profile; undefined where there is none. */
export async function openBrowser(): Promise<Browser | undefined> {
  return CHROMIUM === undefined ? undefined : chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}

/** A page of the browser with all that it did which a page of ours must not do. */
interface Watched {
  page: Page;
  /** Addresses other than the page's own and `data:`. */
  requests: string[];
  /** What was written to the console, errors of the page, refusals by its policy. */
  complaints: string[];
  dialogs: string[];
}

/** Opens a file, at an anchor if one is given, as `#m12`; closes it when it was looked `at`. */
export async function look<T>(
  browser: Browser | undefined,
  path: string,
  anchor: string,
  options: BrowserContextOptions,
  at: (watched: Watched) => Promise<T>,
): Promise<T> {
  if (browser === undefined) throw new Error("There is no Chromium.");
  const url = pathToFileURL(path).href;
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    const watched = watch(page, url);
    await page.goto(url + anchor);
    return await at(watched);
  } finally {
    await context.close();
  }
}

function watch(page: Page, url: string): Watched {
  const watched: Watched = { page, requests: [], complaints: [], dialogs: [] };
  page.on("request", (request) => {
    const target = request.url();
    if (target.split("#")[0] !== url && !target.startsWith("data:")) watched.requests.push(target);
  });
  page.on("console", (message) => watched.complaints.push(message.text()));
  page.on("pageerror", (error) => watched.complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    watched.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return watched;
}
