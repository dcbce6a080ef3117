/**
 * Pictures of the pages: `node scripts/screenshots.ts [FOLDER]` writes them to docs/images, or to another folder. Shows
 * made-up sessions in Debian's Chromium, or in the browser that CHROMIUM names. Needs `dist/`.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../test/page/browser.ts";
import { ServedPages } from "../test/page/served.ts";
import { REPOSITORY } from "../test/support/repository.ts";
import { writeSessions } from "./screenshot-sessions.ts";

const WIDE = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 780 };

const FONTS = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include>/etc/fonts/fonts.conf</include>
<match><test name="family" qual="any"><string>sans</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>
</fontconfig>`;

/** Each page is shown in these ways. */
const LOOKS = [
  ["light", { viewport: WIDE, colorScheme: "light" }],
  ["dark", { viewport: WIDE, colorScheme: "dark" }],
  ["phone", { viewport: PHONE, colorScheme: "light", deviceScaleFactor: 2 }],
] as const;

const folder = resolve(process.argv[2] ?? join(REPOSITORY, "docs/images"));
const home = mkdtempSync(join(tmpdir(), "screenshots-"));
// The style sheet names the system's font, which a plain Debian does not choose well.
writeFileSync(join(home, "fonts.conf"), FONTS);
process.env["FONTCONFIG_FILE"] = join(home, "fonts.conf");
const browser = await openBrowser();
if (browser === undefined) throw new Error("There is no Chromium. Set CHROMIUM to the path of one.");
try {
  const session = writeSessions(home, new Date());
  const machine = { home, env: { XDG_DATA_HOME: join(home, "data"), TZ: "UTC" } };
  const pages = await ServedPages.start(browser, machine);
  try {
    await pages.visit("/", untilComplete);
    mkdirSync(folder, { recursive: true });
    for (const { name, path, prepare } of views(session)) {
      for (const [look, options] of LOOKS) {
        await pages.visit(
          path,
          async (page) => {
            await prepare?.(page);
            await save(browser, page, join(folder, `${name}-${look}.webp`));
          },
          options,
        );
      }
    }
  } finally {
    await pages.stop();
  }
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}

interface View {
  name: string;
  path: string;
  /** Brings the page into the state to show. */
  prepare?: (page: Page) => Promise<void>;
}

function views(session: string): View[] {
  return [
    { name: "sessions", path: "/" },
    { name: "session", path: `/sessions/${session}/index.html` },
    { name: "changes", path: `/sessions/${session}/changes.html` },
    { name: "search", path: "/index.html?text=thousands%20separators" },
    { name: "failures", path: "/failures.html" },
    {
      name: "failure",
      path: "/failures.html",
      prepare: async (page) => {
        await page.click('.failure a:has-text("TS2345")');
      },
    },
    { name: "figures", path: "/figures.html" },
    { name: "files", path: "/files.html" },
  ];
}

/** Waits until all sessions are in the store. */
async function untilComplete(page: Page): Promise<void> {
  const progress = page.locator(".progress");
  await progress
    .filter({ hasText: /\d/ })
    .waitFor({ timeout: 5_000 })
    .catch(() => undefined);
  await progress.waitFor({ state: "hidden", timeout: 120_000 });
}

/** Saves what the window shows as WebP, which Chromium can make and is half as large as PNG. */
async function save(browser: Browser, page: Page, path: string): Promise<void> {
  const png = (await page.screenshot()).toString("base64");
  const canvas = await browser.newPage();
  const webp = await canvas.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const sheet = new OffscreenCanvas(image.width, image.height);
    sheet.getContext("2d")?.drawImage(image, 0, 0);
    const blob = await sheet.convertToBlob({ type: "image/webp", quality: 0.9 });
    return [...new Uint8Array(await blob.arrayBuffer())];
  }, png);
  await canvas.close();
  writeFileSync(path, Uint8Array.from(webp));
  process.stdout.write(`${path} ${(statSync(path).size / 1_000).toFixed(0)} kB\n`);
}
