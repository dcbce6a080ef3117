/** Sessions with hostile content have no effect on the pages of all sessions. */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { Machine } from "../support/cli/sample-machine.ts";
import { afterAll, beforeAll, describe } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { browserTest as test, openBrowser } from "./browser.ts";
import { VECTORS } from "./hostile.ts";
import { ServedPages } from "./served.ts";

const idOf = (at: number): string => `5e551000-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** A session with a vector in every field that a page of many sessions shows. */
function session(vector: string, at: number): string {
  const common = { sessionId: idOf(at), cwd: `/home/me/${vector}`, version: "2.1.0", gitBranch: vector };
  let second = 0;
  const line = (more: Record<string, unknown>): string => {
    second += 1;
    const timestamp = new Date(Date.UTC(2026, 2, 4, 9, at, second)).toISOString();
    return JSON.stringify({ ...common, uuid: `u${at}-${second}`, timestamp, ...more });
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const call = (id: string, name: string, input: unknown): string =>
    line({
      type: "assistant",
      message: {
        id: `m${at}-${id}`,
        role: "assistant",
        model: vector,
        usage,
        content: [{ type: "tool_use", id, name, input }],
      },
    });
  const result = (id: string, content: string, isError: boolean): string =>
    line({
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] },
    });
  return `${[
    line({ type: "custom-title", customTitle: `title ${vector}` }),
    line({ type: "user", message: { role: "user", content: `needle ${vector}` } }),
    call("c1", vector, { command: vector, description: vector }),
    result("c1", `failed with ${vector}`, true),
    call("c2", "Edit", { file_path: `/home/me/${vector}.ts`, old_string: vector, new_string: `${vector}!` }),
    result("c2", vector, false),
  ].join("\n")}\n`;
}

const machine = new Machine();
let browser: Browser | undefined;
let pages: ServedPages;

beforeAll(async () => {
  browser = await openBrowser();
  if (browser === undefined) return;
  for (const [at, vector] of VECTORS.entries()) {
    machine.write(`.claude/projects/-home-me/${idOf(at)}.jsonl`, session(vector, at));
  }
  const { stderr, exitCode } = await machine.run("index");
  assert.equal(exitCode, 0, stderr);
  for (const [at] of VECTORS.entries()) {
    const named = await machine.run("tag", idOf(at), "--title", VECTORS[at] ?? "");
    assert.ok(named.exitCode <= 2);
  }
  pages = await ServedPages.start(browser, machine);
});
afterAll(async () => {
  if (browser === undefined) return;
  await pages.stop();
  await browser.close();
  removeTempDirs();
});

/** Elements that only a content could have brought, what it ran, and links that do not stay here. */
const INTRUDERS = `(() => {
  document.querySelectorAll("details").forEach((each) => (each.open = true));
  const foreign = document.querySelectorAll("iframe, object, embed, base, svg script, style, math, video, template, img:not([src^='data:image/'])");
  const scripts = [...document.scripts].filter((each) => !each.src.endsWith("/script.js"));
  const handlers = [...document.querySelectorAll("*")].filter((each) => each.getAttributeNames().some((name) => name.startsWith("on")));
  const links = [...document.querySelectorAll("a[href], form[action]")].filter((each) => {
    const target = each.getAttribute("href") ?? each.getAttribute("action");
    return !/^(https?:|mailto:|#|(\\.\\.\\/)*[\\w~.\\/-]+(\\?[^"<>]*)?(#[\\w-]+)?$)/.test(target);
  });
  return [...foreign, ...scripts, ...handlers, ...links].map((each) => each.outerHTML.slice(0, 200));
})()`;

async function isHarmless(page: Page): Promise<void> {
  const found: unknown = await page.evaluate(INTRUDERS);
  assert.deepEqual(found, [], page.url());
  assert.equal(await page.evaluate("window.ran"), undefined, page.url());
}

describe("hostile sessions, on the pages of all sessions", () => {
  // Without the policy, escaping alone has to hold.
  for (const bypassCSP of [true, false]) {
    test(`stay text, ${bypassCSP ? "without" : "with"} the policy of the pages`, async () => {
      const paths = [
        "/",
        "/figures.html",
        "/failures.html",
        "/files.html",
        "/index.html?text=needle",
        ...VECTORS.map((vector) => `/index.html?${new URLSearchParams({ text: vector, agent: vector, tag: vector })}`),
        ...VECTORS.flatMap((_, at) =>
          ["index", "changes", "rows.1"].map((name) => `/sessions/${idOf(at)}/${name}.html`),
        ),
      ];
      const look = async (page: Page): Promise<void> => {
        for (const path of bypassCSP ? paths : paths.slice(0, 12)) {
          await page.goto(pages.href(path));
          await isHarmless(page);
        }
      };
      await pages.visit("/", look, { bypassCSP });
    });
  }

  test("are harmless on the pages of their errors and files", async () => {
    for (const list of ["/failures.html", "/files.html"]) {
      let links: string[] = [];
      await pages.visit(list, async (page) => {
        const all = page.locator("main ol a, main table a");
        links = await all.evaluateAll((each) => each.map((one) => one.getAttribute("href") ?? ""));
      });
      assert.ok(links.length >= 10, `${list} has ${links.length} links`);
      const look = async (page: Page): Promise<void> => {
        for (const link of links.slice(0, 15)) {
          await page.goto(pages.href(`/${link}`));
          await isHarmless(page);
        }
      };
      await pages.visit(list, look, { bypassCSP: true });
    }
  });
});
