/** The pages of all sessions, as the built program serves them, in a real browser. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { Machine } from "../support/cli/sample-machine.ts";
import { afterAll, beforeAll, describe } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { browserTest as test, openBrowser } from "./browser.ts";
import { contrasts, wideElements } from "./in-the-page.ts";
import { ServedPages } from "./served.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PROJECT = "/home/me/shop";
const SESSION = "5e551000-0000-4000-8000-000000000001";

type Line = Record<string, unknown>;

/** A session of Claude Code with a failed call, an edit and many prompts. */
function session(turns: number): string {
  const lines: Line[] = [];
  let second = 0;
  const add = (line: Line): void => {
    second += 1;
    const timestamp = new Date(Date.UTC(2026, 2, 4, 9, 0, second)).toISOString();
    const uuid = `u${second}`;
    lines.push({ sessionId: SESSION, cwd: PROJECT, version: "2.1.0", uuid, timestamp, ...line });
  };
  const usage = { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const answer = (content: unknown): void =>
    add({
      type: "assistant",
      message: { id: `m${second}`, role: "assistant", model: "claude-opus-4-5", content, usage },
    });
  const result = (id: string, content: string, isError: boolean): void =>
    add({
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] },
    });
  for (let turn = 1; turn <= turns; turn += 1) {
    add({ type: "user", message: { role: "user", content: `Prompt ${turn} about the price parser` } });
    answer([{ type: "text", text: `Answer ${turn} has **bold** words and <script>alert(1)</script>.` }]);
  }
  answer([{ type: "tool_use", id: "c1", name: "Bash", input: { command: "npm test" } }]);
  result("c1", "Exit code 1\nexpected 12 to be 1200", true);
  answer([{ type: "tool_use", id: "c3", name: "Bash", input: { command: "npm test -- --again" } }]);
  result("c3", "Exit code 1\nexpected 12 to be 1200", true);
  const edit = { file_path: `${PROJECT}/price.mjs`, old_string: "Number(text)", new_string: "parsed(text)" };
  answer([{ type: "tool_use", id: "c2", name: "Edit", input: edit }]);
  result("c2", "The file was updated.", false);
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

const GROWING = "5e551000-0000-4000-8000-000000000002";

/** A prompt as a line. */
function line(sessionId: string, second: number, content: string): string {
  const timestamp = new Date(Date.UTC(2026, 2, 5, 9, 0, second)).toISOString();
  const message = { role: "user", content };
  const uuid = `${sessionId}-${second}`;
  return `${JSON.stringify({ type: "user", sessionId, cwd: PROJECT, version: "2.1.0", uuid, timestamp, message })}\n`;
}

const machine = new Machine();
let browser: Browser | undefined;
let pages: ServedPages;

beforeAll(async () => {
  browser = await openBrowser();
  if (browser === undefined) return;
  machine.write(`.claude/projects/-home-me-shop/${SESSION}.jsonl`, session(200));
  pages = await ServedPages.start(browser, machine);
});
afterAll(async () => {
  if (browser === undefined) return;
  await pages.stop();
  await browser.close();
  removeTempDirs();
});

const visit: ServedPages["visit"] = (path, look, options) => pages.visit(path, look, options);

const PATHS = [
  "/",
  `/sessions/${SESSION}/index.html`,
  `/sessions/${SESSION}/2.html`,
  `/sessions/${SESSION}/changes.html`,
  `/sessions/${SESSION}/rows.1.html`,
  "/figures.html",
  "/failures.html",
  "/files.html",
  "/index.html?text=parser",
];

describe("the pages of all sessions", () => {
  test("list the session, with a link to it, and the command that lists it too", async () => {
    await visit("/", async (page) => {
      assert.equal(await page.title(), "Sessions");
      assert.equal(await page.textContent(".sessions .title"), "Prompt 1 about the price parser");
      assert.equal(await page.textContent(".foot code"), "transcripts list");
      await page.click(".sessions .title");
      assert.match(page.url(), new RegExp(`/sessions/${SESSION}/index.html$`));
    });
  });

  test("filter by agent, project and day without a script, in the address", async () => {
    await visit(
      "/",
      async (page) => {
        await page.selectOption("select[name=agent]", "claude-code");
        await page.click(".filters button");
        assert.match(page.url(), /agent=claude-code/);
        assert.equal(await page.locator(".sessions .title").count(), 1);
        await page.goto(pages.href("/days/2001-01-01.html"));
        assert.match((await page.textContent(".nothing")) ?? "", /No session matches/);
      },
      { javaScriptEnabled: false },
    );
  });

  test("show a long session on several pages, and lead to any of its turns", async () => {
    await visit(`/sessions/${SESSION}/index.html`, async (page) => {
      assert.equal(await page.locator(".turns li").count(), 200);
      await page.click('.turns a[href$="#turn-180"]');
      assert.match(page.url(), /\/2\.html#turn-180$/);
      await page.locator("#turn-180").waitFor();
      assert.match((await page.textContent("#turn-180 ~ .by-user")) ?? "", /Prompt 180/);
    });
  });

  test("show what a session did to files", async () => {
    await visit(`/sessions/${SESSION}/changes.html`, async (page) => {
      assert.equal(await page.textContent(".changed del"), "-Number(text)\n");
      assert.equal(await page.textContent(".changed ins"), "+parsed(text)\n");
      await page.click(".changed .note a");
      assert.match(page.url(), /#m\d+$/);
    });
  });

  test("search everything, and lead to the passage", async () => {
    await visit("/", async (page) => {
      await page.fill(".search input", "parser 123");
      await page.keyboard.press("Enter");
      await page.waitForURL(/text=parser/);
      assert.deepEqual(await page.locator(".passage").first().locator("mark").allTextContents(), ["123", "parser"]);
      assert.equal(await page.textContent(".foot code"), "transcripts find parser 123");
      await page.check("input[name=failed]");
      await page.click(".filters button");
      await page.waitForURL(/text=parser\+123.*failed=yes|failed=yes.*text=parser\+123/);
      await page.click('.filters a:has-text("Show all")');
      await page.waitForURL((url) => !url.search.includes("failed"));
      await page.locator(".passage .where").first().click();
      await page.waitForURL(/#m\d+$/);
      assert.match((await page.locator(":target").textContent()) ?? "", /Prompt 123/);
    });
  });

  test("search while words are typed", async () => {
    await visit("/", async (page) => {
      await page.locator(".search input").pressSequentially("1200");
      await page.waitForSelector('.hit mark:has-text("1200")', { timeout: 60_000 });
    });
  });

  test("show which errors came up, and where", async () => {
    await visit("/failures.html", async (page) => {
      await page.click(".failure .message");
      await page.waitForURL(/failures\/[0-9a-f]{16}\.html$/);
      assert.match((await page.textContent("h1")) ?? "", /expected 12 to be 1200/);
      await page.click(".plain-list a");
      await page.waitForURL(/sessions\/.*#m\d+$/);
    });
  });

  test("show how often a failed call came up before, and lead from failure to failure without a script", async () => {
    await visit(
      `/sessions/${SESSION}/2.html`,
      async (page) => {
        await page.click(".gist a.failed");
        const first = page.locator(".call.error").first();
        assert.match((await first.locator(".note").textContent()) ?? "", /Seen 2 times in 1 session\. What fixed it/);
        await first.locator('a:has-text("Next failure")').click();
        assert.match((await page.locator(":target").textContent()) ?? "", /npm test -- --again/);
        await first.locator('a:has-text("What fixed it")').click();
        assert.match((await page.textContent("h1")) ?? "", /expected 12 to be 1200/);
      },
      { javaScriptEnabled: false },
    );
  });

  test("show the rows that `show --json` prints", async () => {
    const printed = await machine.rows("show", SESSION, "--with-tools", "--with-thinking");
    await visit(`/sessions/${SESSION}/rows.2.html`, async (page) => {
      const rows = await page.locator(".row pre").allTextContents();
      assert.deepEqual(
        rows.map((row): unknown => JSON.parse(row)),
        printed.slice(300),
      );
    });
  });

  test("show the sessions that changed a file", async () => {
    await visit("/files.html", async (page) => {
      await page.click('.list a:has-text("price.mjs")');
      await page.waitForURL(/files\/[0-9a-f]{16}\.html$/);
      assert.equal(await page.textContent("h1"), `${PROJECT}/price.mjs`);
      assert.equal(await page.locator(".list tbody tr").count(), 1);
    });
  });

  test("have keys for turns, failures, search and help", async () => {
    await visit(`/sessions/${SESSION}/2.html`, async (page) => {
      await page.keyboard.press("e");
      assert.ok(await page.evaluate(() => document.activeElement?.closest(".call.error") !== null));
      await page.keyboard.press("/");
      assert.ok(await page.evaluate(() => document.activeElement?.matches(".search input")));
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      assert.ok(await page.locator("dialog#keys").isVisible());
    });
  });

  test("tag, pin and name a session, without a script", async () => {
    await visit(
      `/sessions/${SESSION}/index.html`,
      async (page) => {
        await page.click(".edit summary");
        await page.fill("input[name=tags]", "release, later");
        await page.fill("input[name=title]", "The price parser");
        await page.check("input[name=pinned]");
        await page.click(".edit button");
        assert.equal(await page.textContent("h1"), "The price parser");
        assert.deepEqual(await page.locator(".actions .tag").allTextContents(), ["later", "release"]);
        await page.click('.tag:has-text("release")');
        assert.match(page.url(), /tags\/release\.html$/);
        assert.equal(await page.textContent(".sessions .day h2"), "Pinned");
        await page.goto(pages.href(`/sessions/${SESSION}/index.html`));
        await page.click(".edit summary");
        await page.fill("input[name=tags]", "");
        await page.fill("input[name=title]", "");
        await page.uncheck("input[name=pinned]");
        await page.click(".edit button");
        assert.equal(await page.locator(".actions .tag").count(), 0);
      },
      { javaScriptEnabled: false },
    );
  });

  test("follow a session while it is being recorded", async () => {
    const path = `.claude/projects/-home-me-shop/${GROWING}.jsonl`;
    machine.write(path, line(GROWING, 1, "The first prompt"));
    await visit("/", async (page) => {
      // The list follows too, and the server looks for new sessions every few seconds.
      await page.waitForSelector('text="The first prompt"', { timeout: 60_000 });
      assert.deepEqual(await page.locator(".sessions .title").allTextContents(), [
        "The first prompt",
        "Prompt 1 about the price parser",
      ]);
      assert.equal(await page.locator(".sessions td.when").count(), 2);
    });
    await visit(`/sessions/${GROWING}/index.html`, async (page) => {
      await page.waitForLoadState("networkidle").catch(() => undefined);
      appendFileSync(join(machine.home, path), line(GROWING, 2, "The second prompt"));
      await page.waitForSelector('.by-user >> text="The second prompt"', { timeout: 60_000 });
      assert.equal(await page.locator(".by-user").count(), 2);
    });
  });

  for (const path of PATHS) {
    test(`${path} has no serious finding of axe, and fits any width`, async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await visit(
          path,
          async (page) => {
            await page.addScriptTag({ path: AXE });
            const serious: unknown = await page.evaluate(
              `axe.run().then(({ violations }) => violations.flatMap(({ id, impact }) => (/serious|critical/.test(impact) ? [id] : [])))`,
            );
            assert.deepEqual(serious, [], `${path} ${colorScheme}`);
            assert.ok(Math.min(...(await page.evaluate(contrasts)).map(({ ratio }) => ratio)) >= 4.5);
          },
          { colorScheme, bypassCSP: true },
        );
      }
      await visit(path, async (page) => assert.deepEqual(await page.evaluate(wideElements), []), {
        viewport: { width: 360, height: 740 },
      });
    });
  }

  test("of the examples show no session of the user", async () => {
    if (browser === undefined) return;
    const demo = await ServedPages.start(browser, machine, "--demo");
    try {
      await demo.visit("/", async (page) => {
        assert.deepEqual(await page.locator(".sessions .title").allTextContents(), ["Repair the price of a basket"]);
      });
    } finally {
      await demo.stop();
    }
  });
});
