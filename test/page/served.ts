/** The built program, serving pages. */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Machine } from "../support/cli/sample-machine.ts";
import { REPOSITORY } from "../support/repository.ts";

const PROGRAM = join(REPOSITORY, "dist/cli/main.js");

/** Runs a command of the built program, which must succeed. Returns what it said on standard error. */
export function runBuilt(machine: Pick<Machine, "home" | "env">, ...args: readonly string[]): string {
  const env = { ...process.env, ...machine.env, HOME: machine.home };
  const { stderr, status } = spawnSync("node", [PROGRAM, ...args], { env, encoding: "utf8", cwd: machine.home });
  assert.equal(status, 0, stderr);
  return stderr;
}

/** A running server, asked without a browser. */
export class ServedSite {
  readonly #server: ChildProcessByStdio<null, Readable, null>;
  /** Works once. */
  readonly link: string;
  #cookie: string | undefined;

  private constructor(server: ChildProcessByStdio<null, Readable, null>, link: string) {
    this.#server = server;
    this.link = link;
  }

  static async start(machine: Pick<Machine, "home" | "env">, ...args: readonly string[]): Promise<ServedSite> {
    const env = { ...process.env, ...machine.env, HOME: machine.home };
    const server = spawn("node", [PROGRAM, "serve", ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface(server.stdout)) return new ServedSite(server, line);
    throw new Error("The server printed no link.");
  }

  href(path: string): string {
    return new URL(path, this.link).href;
  }

  /** Returns a page. Cannot be used together with a browser, since the link works once. */
  async page(path: string): Promise<string> {
    if (this.#cookie === undefined) {
      const opened = await fetch(this.link, { redirect: "manual" });
      this.#cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    }
    const response = await fetch(this.href(path), { headers: { cookie: this.#cookie } });
    assert.equal(response.status, 200, path);
    return response.text();
  }

  async stop(): Promise<void> {
    const ended = once(this.#server, "exit");
    this.#server.kill("SIGINT");
    await ended;
  }
}

type Cookies = Parameters<Awaited<ReturnType<Browser["newContext"]>>["addCookies"]>[0];

/** A running server, shown to a real browser. */
export class ServedPages {
  readonly #browser: Browser;
  readonly #site: ServedSite;
  #cookies: Cookies | undefined;

  private constructor(browser: Browser, site: ServedSite) {
    this.#browser = browser;
    this.#site = site;
  }

  static async start(
    browser: Browser,
    machine: Pick<Machine, "home" | "env">,
    ...args: readonly string[]
  ): Promise<ServedPages> {
    return new ServedPages(browser, await ServedSite.start(machine, ...args));
  }

  href(path: string): string {
    return this.#site.href(path);
  }

  /** Opens a page. Fails if it complains, shows a dialog, or asks for anything of another server. */
  async visit(path: string, look: (page: Page) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
    const context = await this.#browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
    try {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("dialog", (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("request", (request) => {
        const isOurs = request.url().startsWith(this.href("/")) || request.url().startsWith("data:");
        if (!isOurs) complaints.push(`asked for ${request.url()}`);
      });
      if (this.#cookies === undefined) {
        await page.goto(this.#site.link);
        this.#cookies = await context.cookies();
      } else await context.addCookies(this.#cookies);
      await page.goto(this.href(path));
      await look(page);
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
    }
  }

  stop(): Promise<void> {
    return this.#site.stop();
  }
}
