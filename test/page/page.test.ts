/** The page in a real browser. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { afterAll, beforeAll, describe } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { shared } from "../support/shared.ts";
import { browserTest as test, look, openBrowser } from "./browser.ts";
import { DEEP_NEEDLE, exampleSession, NEEDLE } from "./example.ts";
import { contrasts, focusedOutline, wideElements } from "./in-the-page.ts";
import { MadeSession, pageOf } from "./made-sessions.ts";

const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1_600, height: 1_000 };
const SCHEMES = ["light", "dark"] as const;
const MIN_CONTRAST = 4.5;
/** Where the screenshots go: to be looked at. */
const SHOTS = join(tmpdir(), "opencode-transcripts-pages");
/** A real session with failed calls and thinking, where the corpus is at hand. */
const REAL_SESSION = shared("corpus/claude-code/entireio+cli/4fec7ea0-3335-43ec-a178-d4ab47d5aef3.jsonl");

let browser: Browser | undefined;
let folder: string;
let example: string;

beforeAll(async () => {
  browser = await openBrowser();
  folder = makeTempDir();
  example = join(folder, "example.html");
  writeFileSync(example, await pageOf(await exampleSession()));
});
afterAll(async () => {
  await browser?.close();
  removeTempDirs();
});

describe("the page by itself", () => {
  test("makes no request and logs no error", async () => {
    await look(browser, example, "", {}, async ({ page, requests, complaints, dialogs }) => {
      assert.equal(await page.title(), "Fixing the parser");
      assert.deepEqual({ requests, complaints, dialogs }, { requests: [], complaints: [], dialogs: [] });
      await page.locator("img").scrollIntoViewIfNeeded();
      assert.equal(await page.evaluate("document.images[0].decode().then(() => document.images[0].naturalWidth)"), 1);
    });
  });

  test("has one landmark of each kind, and a heading for each turn", async () => {
    await look(browser, example, "", {}, async ({ page }) => {
      const count = (selector: string): Promise<number> => page.locator(selector).count();
      for (const landmark of ["header", "nav[aria-label]", "main", "footer", "h1"])
        assert.equal(await count(landmark), 1);
      assert.equal(await count("html[lang=en]"), 1);
      assert.deepEqual(await page.locator("h2").evaluateAll((all) => all.map(({ id }) => id)), ["turn-1", "turn-2"]);
      assert.equal(await count("section:not([aria-label], [aria-labelledby])"), 0);
      assert.equal(await count("img:not([alt]), a:empty, summary:empty"), 0);
    });
  });
});

describe("directions of text", () => {
  test("an Arabic first word makes its paragraph right-to-left, but no code, command or output", async () => {
    const path = join(folder, "arabic.html");
    const code =
      "مرحبا\n\n```js\nconst total = items.length; // (1)\n```\n\nAn English paragraph with `inline()` code.";
    const session = new MadeSession()
      .user(code)
      .assistant([{ type: "text", text: code }])
      .call("a", "Bash", { command: "مرحبا; echo (1)" })
      .result("a", "مرحبا (1)\nsecond line");
    writeFileSync(path, await pageOf(await session.session()));
    await look(browser, path, "", {}, async ({ page }) => {
      await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
      const styles = await page
        .locator("main pre, main code")
        .evaluateAll((all) => all.map((each) => [each.tagName, getComputedStyle(each).direction].join(" ")));
      assert.ok(styles.length >= 8, styles.join());
      assert.deepEqual(new Set(styles), new Set(["PRE ltr", "CODE ltr"]));
      // Where the glyphs are: the Arabic word at the right end of its line, the English one at the left.
      const sides = await page.locator("main .prose p").evaluateAll((all) =>
        all.map((each) => {
          const range = document.createRange();
          range.selectNodeContents(each);
          const [text, box] = [range.getBoundingClientRect(), each.getBoundingClientRect()];
          return text.left - box.left < box.right - text.right ? "left" : "right";
        }),
      );
      assert.deepEqual(sides, ["right", "left", "right", "left"]);
    });
  });
});

describe("places in the page", () => {
  test("each anchor exists once, and each link leads to one", async () => {
    await look(browser, example, "", {}, async ({ page }) => {
      const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
      const links = await page
        .locator('a[href^="#"]')
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted());
      assert.deepEqual(
        links.filter((link) => !ids.includes(link?.slice(1) ?? "")),
        [],
      );
      assert.ok(
        ["m1", "m2", "m3b0", "m4", "s1", "s1-m0", "s1-m1b0"].every((id) => ids.includes(id)),
        ids.join(" "),
      );
    });
  });

  const closed: [anchor: string, text: string][] = [
    ["#m3b0", "limit"],
    ["#m4", NEEDLE],
    ["#s1-m0", "Find the tests."],
    ["#s1-m2", DEEP_NEEDLE],
  ];
  for (const [anchor, text] of closed) {
    test(`a link to ${anchor} opens the sections around it`, async () => {
      await look(browser, example, anchor, {}, async ({ page }) => {
        const place = page.locator(anchor);
        assert.equal(await place.isVisible(), true);
        assert.ok((await place.innerText()).includes(text));
        const box = await place.boundingBox();
        assert.ok(box !== null && box.y >= 0 && box.y < 900, `at ${box?.y}`);
      });
    });
  }

  test("each entry has a visible link to itself", async () => {
    await look(browser, example, "", {}, async ({ page }) => {
      await page.locator('.permalink[href="#m2"]').click();
      assert.ok(page.url().endsWith("#m2"));
      assert.match(await page.locator(".permalink").first().innerText(), /^line \d+$/);
    });
  });
});

describe("find in page", () => {
  for (const needle of [NEEDLE, DEEP_NEEDLE]) {
    test(`finds ${needle}, and opens the sections around it`, async () => {
      await look(browser, example, "", {}, async ({ page }) => {
        const calls = page.locator("details", { hasText: needle });
        assert.equal(await page.getByText(needle).last().isVisible(), false);
        assert.equal(await page.evaluate(`window.find("${needle}")`), true);
        assert.equal(await page.evaluate(`window.find("${needle}-which-is-nowhere")`), false);
        // A link to a text uses the browser's own search.
        await page.goto(`${page.url()}#:~:text=${needle.replaceAll("-", "%2D")}`);
        await page.getByText(needle).last().waitFor({ state: "visible" });
        for (const call of await calls.all()) assert.equal(await call.getAttribute("open"), "");
      });
    });
  }
});

describe("at any width", () => {
  for (const viewport of [NARROW, { width: 768, height: 900 }, WIDE]) {
    test(`nothing is wider than ${viewport.width} px, with everything open`, async () => {
      await look(browser, example, "", { viewport }, async ({ page }) => {
        await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
        assert.deepEqual(await page.evaluate(wideElements), []);
        const [inner, scrolled] = await page.evaluate<[number, number]>(
          "[innerWidth, document.documentElement.scrollWidth]",
        );
        assert.equal(scrolled, inner);
      });
    });
  }

  test("lines of prose have a readable length", async () => {
    await look(browser, example, "", { viewport: WIDE }, async ({ page }) => {
      const box = await page.locator(".by-assistant .prose").first().boundingBox();
      assert.ok(box !== null && box.width > 500 && box.width < 800, `${box?.width}`);
    });
  });
});

describe("colours", () => {
  for (const colorScheme of SCHEMES) {
    test(`every text in the ${colorScheme} scheme has a contrast of ${MIN_CONTRAST}:1`, async () => {
      await look(browser, example, "", { colorScheme }, async ({ page }) => {
        const found = await page.evaluate(contrasts);
        assert.ok(found.length > 100, `${found.length} texts`);
        assert.ok(new Set(found.map(({ ground }) => ground)).size >= 4, "grounds");
        assert.deepEqual(
          found.filter(({ ratio }) => ratio < MIN_CONTRAST),
          [],
        );
      });
    });
  }

  test("the schemes differ", async () => {
    const grounds = SCHEMES.map((colorScheme) =>
      look(browser, example, "", { colorScheme }, ({ page }) =>
        page.evaluate<string>("getComputedStyle(document.body).backgroundColor"),
      ),
    );
    const [light, dark] = await Promise.all(grounds);
    assert.notEqual(light, dark);
  });
});

describe("choices of the reader", () => {
  test("the keyboard reaches closed sections, and the focus is visible", async () => {
    await look(browser, example, "", {}, async ({ page }) => {
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the conversation");
      const summary = page.locator(".call > summary").first();
      await summary.focus();
      await page.keyboard.press("Enter");
      assert.equal(await page.locator(".call").first().getAttribute("open"), "");
      assert.ok((await page.evaluate(focusedOutline)) >= 2);
    });
  });

  test("nothing moves if reduced motion is preferred", async () => {
    const durationOf = (reducedMotion: "reduce" | "no-preference"): Promise<string> =>
      look(browser, example, "", { reducedMotion }, ({ page }) =>
        page.evaluate<string>("getComputedStyle(document.querySelector('summary'), '::before').transitionDuration"),
      );
    assert.equal(await durationOf("reduce"), "0s");
    assert.notEqual(await durationOf("no-preference"), "0s");
  });

  test("prints the conversation alone", async () => {
    await look(browser, example, "", {}, async ({ page }) => {
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.locator("nav").isVisible(), false);
      assert.equal(await page.locator("main").isVisible(), true);
      assert.ok((await page.pdf()).length > 10_000);
    });
  });
});

describe("a real session", () => {
  test("is shown; its screenshots are kept for a look", async () => {
    const path = join(folder, "real.html");
    const session =
      REAL_SESSION === undefined
        ? await exampleSession()
        : { ...(await parseTranscript("real", readFileSync(REAL_SESSION))), children: [] };
    writeFileSync(path, await pageOf(session));
    mkdirSync(SHOTS, { recursive: true });
    for (const colorScheme of SCHEMES) {
      for (const viewport of [NARROW, WIDE]) {
        await look(
          browser,
          path,
          "#turn-2",
          { viewport, colorScheme, deviceScaleFactor: 1 },
          async ({ page, requests, complaints }) => {
            const shot = await page.screenshot({ path: join(SHOTS, `${viewport.width}-${colorScheme}.png`) });
            assert.ok(shot.length > 10_000);
            assert.deepEqual({ requests, complaints }, { requests: [], complaints: [] });
            assert.equal(await page.evaluate("document.documentElement.scrollWidth"), viewport.width);
          },
        );
      }
    }
    console.log(`Screenshots are in ${SHOTS}`);
  });
});
