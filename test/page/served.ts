/** The built program, serving pages to a real browser. */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Machine } from "../support/cli/sample-machine.ts";
import { REPOSITORY } from "../support/repository.ts";

type Cookies = Parameters<Awaited<ReturnType<Browser["newContext"]>>["addCookies"]>[0];

export class ServedPages {
  readonly #browser: Browser;
  readonly #server: ChildProcessByStdio<null, Readable, null>;
  readonly #link: string;
  /** The link works once. */
  #cookies: Cookies | undefined;

  private constructor(browser: Browser, server: ChildProcessByStdio<null, Readable, null>, link: string) {
    this.#browser = browser;
    this.#server = server;
    this.#link = link;
  }

  static async start(
    browser: Browser,
    machine: Pick<Machine, "home" | "env">,
    ...args: readonly string[]
  ): Promise<ServedPages> {
    const env = { ...process.env, ...machine.env, HOME: machine.home };
    const main = join(REPOSITORY, "dist/cli/main.js");
    const server = spawn("node", [main, "serve", ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface(server.stdout)) return new ServedPages(browser, server, line);
    throw new Error("The server printed no link.");
  }

  href(path: string): string {
    return new URL(path, this.#link).href;
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
        await page.goto(this.#link);
        this.#cookies = await context.cookies();
      } else await context.addCookies(this.#cookies);
      await page.goto(this.href(path));
      await look(page);
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
    }
  }

  stop(): void {
    this.#server.kill();
  }
}
