/** Hostile sessions have no effect in a real browser. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { browserTest as test, look, openBrowser } from "./browser.ts";
import { hostileSession, VECTORS } from "./hostile.ts";
import { intruders } from "./in-the-page.ts";
import { pageOf } from "./made-sessions.ts";

const NOTHING = { intruders: [], ran: undefined, requests: [], complaints: [], dialogs: [] };

let browser: Browser | undefined;
let folder: string;

beforeAll(async () => {
  browser = await openBrowser();
  folder = makeTempDir();
});
afterAll(async () => {
  await browser?.close();
  removeTempDirs();
});

describe("hostile content", () => {
  for (const policy of ["with", "without"] as const) {
    test(`stays text, ${policy} the page's policy`, async () => {
      const path = join(folder, `hostile-${policy}.html`);
      writeFileSync(path, "");
      // One page for all of them: what a vector starts may also come late.
      await look(
        browser,
        path,
        "",
        { bypassCSP: policy === "without" },
        async ({ page, requests, complaints, dialogs }) => {
          for (const vector of VECTORS) {
            writeFileSync(path, await pageOf(await hostileSession(vector)));
            await page.reload();
            await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
            const seen = { intruders: await page.evaluate(intruders), ran: await page.evaluate("window.ran") };
            assert.deepEqual({ ...seen, requests, complaints, dialogs }, NOTHING, vector);
          }
        },
      );
    });
  }

  test("the test itself notices a script that runs, a request and a foreign element", async () => {
    const path = join(folder, "foreign.html");
    writeFileSync(path, "<!doctype html><script>alert(1)</script><b><img src='http://127.0.0.1:9/x'></b>");
    await look(browser, path, "", {}, async ({ page, requests, dialogs }) => {
      assert.ok((await page.evaluate(intruders)).includes("<script>"));
      assert.deepEqual([requests, dialogs], [["http://127.0.0.1:9/x"], ["1"]]);
    });
  });
});
