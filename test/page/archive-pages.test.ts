/** The pages as files, opened from disk in a real browser. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { calls, result, SESSION, user } from "../support/cli/claude-lines.ts";
import { MAIN, sampleMachine, type Machine } from "../support/cli/sample-machine.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { browserTest, openBrowser } from "./browser.ts";
import { runBuilt, ServedSite } from "./served.ts";

let browser: Browser | undefined;
let machine: Machine;
let folder = "";

function archive(...args: readonly string[]): string {
  return runBuilt(machine, "archive", "-o", folder, ...args);
}

beforeAll(async () => {
  browser = await openBrowser();
  machine = await sampleMachine();
  folder = join(machine.home, "pages");
  archive();
});
afterAll(async () => {
  await browser?.close();
  removeTempDirs();
});

/** What only a server can do: following, tagging, and filtering by several things. */
const LIVE = [
  / data-live="[^"]*"/g,
  /<p class="progress"[^>]*>[^<]*<\/p>/g,
  /<details class="closed edit">.*?<\/details>/gs,
  /<form class="filters".*?<\/form>/gs,
  /<nav class="filters links".*?<\/nav>/gs,
];

function withoutLive(page: string): string {
  return LIVE.reduce((left, part) => left.replaceAll(part, ""), page);
}

describe("an archive of pages", () => {
  browserTest("works opened from disk (list, session, search) and requests nothing else", async () => {
    if (browser === undefined) throw new Error("There is no Chromium.");
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(pathToFileURL(folder).href) && !request.url().startsWith("data:"))
        complaints.push(request.url());
    });
    await page.goto(pathToFileURL(join(folder, "index.html")).href);
    const title = await page.locator(".sessions .title").first().textContent();
    await page.locator(".sessions .title").first().click();
    assert.equal(await page.textContent("h1"), title);
    const [word = ""] = /[a-z]{4,}/i.exec(title ?? "") ?? [];
    await page.fill(".search input", word);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".hits a");
    await page.locator(".hits a").first().click();
    await page.waitForURL(/sessions\/.*#m\d+$/);
    for (const section of ["Failures", "Files", "Statistics"]) {
      await page.click(`.bar nav >> text=${section}`);
      assert.equal(await page.textContent("h1"), section);
    }
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("has the bytes that the server sends, but for what only a server can do", async () => {
    const { pages } = JSON.parse(readFileSync(join(folder, "archive.json"), "utf8"));
    const paths = Object.keys(pages).filter((path) => !path.startsWith("search/"));
    const server = await ServedSite.start(machine);
    try {
      assert.ok(paths.length > 30);
      for (const path of paths) {
        const written = readFileSync(join(folder, path), "utf8");
        assert.equal(withoutLive(await server.page(path)), withoutLive(written), path);
      }
    } finally {
      await server.stop();
    }
  });

  test("is written again only where something changed", () => {
    assert.match(archive(), /wrote 0 files/);
    machine.write(`.claude/projects/-w/${MAIN}.jsonl`, "");
    const before = readFileSync(join(folder, "style.css"), "utf8");
    archive();
    assert.equal(readFileSync(join(folder, "style.css"), "utf8"), before);
  });

  test("says how often an error came up in its own sessions, also on pages that did not change", () => {
    const pages = join(machine.home, "seen");
    const failing = (id: string, project: string): void => {
      const text = [user("Water it", 0), calls("Bash", "t1", { command: "water" }, 1)].join("");
      const error = result("t1", "Exit code 1\nError: the heliotrope is dry", 2, true);
      const lines = `${text}${error}`.replaceAll(SESSION, id).replaceAll("/work/shop", `/work/${project}`);
      machine.write(`.claude/projects/-work-${project}/${id}.jsonl`, lines);
    };
    const [first, second] = ["11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555"];
    const seen = (): string | undefined =>
      /Seen [^.]+\./.exec(readFileSync(join(pages, `sessions/${first}/index.html`), "utf8"))?.[0];
    failing(first, "lake");
    runBuilt(machine, "archive", "-o", pages);
    assert.equal(seen(), undefined);
    failing(second, "river");
    runBuilt(machine, "archive", "-o", pages);
    assert.equal(seen(), "Seen 2 times in 2 sessions.");
    runBuilt(machine, "archive", "-o", pages, "--project", "lake");
    assert.equal(seen(), undefined);
  });

  test("makes the pages of files and errors again only for sessions that have them", async () => {
    const place = join(machine.home, "made");
    const versions = (kind: string): [path: string, version: string][] => {
      const { pages } = JSON.parse(readFileSync(join(place, "archive.json"), "utf8"));
      return Object.entries<[string]>(pages).flatMap(([path, [version]]) =>
        path.startsWith(kind) ? [[path, version] as [string, string]] : [],
      );
    };
    runBuilt(machine, "archive", "-o", place);
    const before = { files: versions("files/"), failures: versions("failures/") };
    const text = [user("Look", 0), calls("Read", "t1", { file_path: "/work/lawn/a.ts" }, 1), result("t1", "grass", 2)];
    const id = "33333333-2222-4333-8444-555555555555";
    machine.write(`.claude/projects/-work-lawn/${id}.jsonl`, text.join("").replaceAll(SESSION, id));
    runBuilt(machine, "archive", "-o", place);
    assert.ok(before.files.length > 0 && before.failures.length > 0);
    assert.deepEqual(versions("failures/"), before.failures);
    const after = new Map(versions("files/"));
    assert.equal(after.size, before.files.length + 1);
    for (const [path, version] of before.files) assert.equal(after.get(path), version, path);
  });

  test("rewrites no page of another session if a new one repeats a frequent error", () => {
    const place = join(machine.home, "frequent");
    const failing = (number: number): string => {
      const id = `44444444-2222-4333-8444-${String(number).padStart(12, "0")}`;
      const text = [user("Mow it", 0), calls("Bash", "t1", { command: "mow" }, 1)].join("");
      const error = result("t1", "Exit code 1\nError: the mower has no petrol", 2, true);
      const path = `.claude/projects/-work-park/${id}.jsonl`;
      machine.write(path, `${text}${error}`.replaceAll(SESSION, id).replaceAll("/work/shop", "/work/park"));
      return id;
    };
    const versions = (): Map<string, string> => {
      const { pages } = JSON.parse(readFileSync(join(place, "archive.json"), "utf8"));
      return new Map(Object.entries<[string]>(pages).map(([path, [version]]) => [path, version]));
    };
    const [first = ""] = Array.from({ length: 23 }, (_, number) => failing(number));
    runBuilt(machine, "archive", "-o", place);
    const page = readFileSync(join(place, `sessions/${first}/index.html`), "utf8");
    assert.match(page, /Seen 20\+ times in 20\+ sessions\./);
    const before = versions();
    const added = failing(23);
    runBuilt(machine, "archive", "-o", place);
    const after = versions();
    const made = [...after].flatMap(([path, version]) => (before.get(path) === version ? [] : path));
    const kinds = [...new Set(made.map((path) => path.replace(/[^/]*$/, "")))].toSorted();
    const own = `sessions/${added}/`;
    const lists = ["", "agents/", "days/", "models/", "projects/", "tools/"];
    assert.deepEqual(kinds, [...lists, "failures/", "search/", "search/0/", own].toSorted());
    assert.equal(made.filter((path) => path.startsWith("projects/")).length, 1);
    assert.equal(made.filter((path) => path.startsWith("failures/")).length, 1);
  });

  test("of a session whose file has become shorter has the pages that are left", () => {
    const place = join(machine.home, "shorter");
    const id = "44444444-2222-4333-8444-555555555555";
    const long = Array.from({ length: 320 }, (_, at) => user(`Prompt ${at}`, at));
    const session = (lines: readonly string[]): void =>
      machine.write(`.claude/projects/-work-long/${id}.jsonl`, lines.join("").replaceAll(SESSION, id));
    session(long);
    runBuilt(machine, "archive", "-o", place, "--project", "shop");
    const pages = (): string[] =>
      readdirSync(join(place, "sessions", id)).filter((name) => /^(index|\d+)\.html$/.test(name));
    assert.deepEqual(pages().toSorted(), ["2.html", "index.html"]);
    session(long.slice(0, 3));
    runBuilt(machine, "archive", "-o", place, "--project", "shop");
    assert.deepEqual(pages(), ["index.html"]);
  });

  test("of one project names it in its commands, and shows no fix from another", () => {
    const place = join(machine.home, "chosen");
    const session = (number: number, project: string, lines: readonly string[]): void => {
      const id = `55555555-2222-4333-8444-00000000000${number}`;
      const text = lines.join("").replaceAll(SESSION, id).replaceAll("/work/shop", `/work/${project}`);
      machine.write(`.claude/projects/-work-${project}/${id}.jsonl`, text);
    };
    const fails = [
      user("Paint it", 0),
      calls("Bash", "t1", { command: "paint" }, 1),
      result("t1", "Exit code 1\nError: the brush is hard", 2, true),
    ];
    session(1, "fence", fails);
    session(2, "wall", [
      ...fails,
      calls("Bash", "t2", { command: "soak --in turpentine" }, 3),
      result("t2", "soft", 4),
      calls("Bash", "t3", { command: "paint" }, 5),
      result("t3", "painted", 6),
    ]);
    const failures = (): string =>
      readdirSync(join(place, "failures"))
        .map((name) => readFileSync(join(place, "failures", name), "utf8"))
        .filter((page) => page.includes("the brush is hard"))
        .join("\n");
    runBuilt(machine, "archive", "-o", place);
    assert.match(failures(), /turpentine/);
    runBuilt(machine, "archive", "-o", place, "--project", "fence");
    assert.doesNotMatch(failures(), /turpentine/);
    for (const [path, command] of [
      ["index.html", "list --project fence"],
      ["figures.html", "stats --by day --project fence"],
      ["failures.html", "fixes --project fence"],
      ["files.html", "find --file PATH --project fence"],
    ] as const)
      assert.ok(readFileSync(join(place, path), "utf8").includes(`<code>transcripts ${command}</code>`), path);
  });

  test("of one tag has only the sessions that have it", async () => {
    assert.equal((await machine.run("tag", MAIN, "chosen")).exitCode, 0);
    archive("--tag", "chosen");
    const { pages } = JSON.parse(readFileSync(join(folder, "archive.json"), "utf8"));
    const sessions = new Set(Object.keys(pages).flatMap((path) => /^sessions\/([^/]+)\//.exec(path)?.[1] ?? []));
    assert.deepEqual([...sessions], [MAIN]);
  });

  test("of one agent has only its sessions; other pages are removed", () => {
    const report = archive("--agent", "opencode");
    assert.match(report, /[1-9]\d* removed/);
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "archive.json"), "utf8"));
    assert.ok(!JSON.stringify(manifest).includes(`sessions/${MAIN}/`));
  });
});
