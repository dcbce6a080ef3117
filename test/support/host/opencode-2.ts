/** `opencode2 serve` in a sandbox: a host of opencode 2.x that someone has built, named by `OPENCODE2_BIN`. */
import { found } from "../recording/eventually.ts";
import { field, list, text } from "./fields.ts";
import { spawnProgram, type Finished, type Running } from "./process.ts";
import type { Sandbox } from "./sandbox.ts";

/** Undefined: there is no such host here, so that its scenarios are skipped. */
export const OPENCODE2_BIN = process.env["OPENCODE2_BIN"];

const PASSWORD = "scenario";

export class Opencode2 {
  readonly process: Running;
  readonly #url: string;

  private constructor(running: Running, url: string) {
    this.process = running;
    this.#url = url;
  }

  static async start(sandbox: Sandbox): Promise<Opencode2> {
    const env = { ...sandbox.env, OPENCODE_PASSWORD: PASSWORD };
    const args = ["serve", "--port", "0", "--hostname", "127.0.0.1"];
    const running = spawnProgram(OPENCODE2_BIN ?? "", args, { cwd: sandbox.projectDir, env });
    const [url] = await running.printed(/http:\/\/127\.0\.0\.1:\d+/);
    return new Opencode2(running, url);
  }

  stop(signal: NodeJS.Signals): Promise<Finished> {
    return this.process.stop(signal);
  }

  async request(method: string, path: string, body?: unknown): Promise<unknown> {
    const authorization = `Basic ${Buffer.from(`opencode:${PASSWORD}`).toString("base64")}`;
    const headers = { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.#url}${path}`, init);
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return answer === "" ? undefined : JSON.parse(answer);
  }

  async createSession(directory: string): Promise<string> {
    const created = await this.request("POST", "/api/session", { location: { directory } });
    return text(field(field(created, "data"), "id"));
  }

  /** Sends a prompt and does not wait. */
  async promptAsync(sessionID: string, prompt: string): Promise<void> {
    await this.request("POST", `/api/session/${sessionID}/prompt`, { text: prompt });
  }

  /** Sends a prompt and waits for the end of the turn. */
  async prompt(sessionID: string, prompt: string): Promise<void> {
    const before = (await this.messages(sessionID)).length;
    await this.promptAsync(sessionID, prompt);
    await this.idle(sessionID, before + 1);
  }

  /** Waits until the session has more than so many messages and does nothing. */
  async idle(sessionID: string, messages = 0): Promise<void> {
    await found(async () => {
      const active = field(await this.request("GET", "/api/session/active"), "data");
      const isActive = typeof active === "object" && active !== null && sessionID in active;
      return !isActive && (await this.messages(sessionID)).length > messages ? true : undefined;
    }, 50);
  }

  /** The stored messages, oldest first. */
  async messages(sessionID: string): Promise<unknown[]> {
    const answer = await this.request("GET", `/api/session/${sessionID}/message?limit=200`);
    return list(field(answer, "data")).toReversed();
  }

  /** The sessions that the session started. */
  async children(sessionID: string): Promise<string[]> {
    const sessions = list(field(await this.request("GET", "/api/session?limit=200"), "data"));
    return sessions.filter((each) => field(each, "parentID") === sessionID).map((each) => text(field(each, "id")));
  }
}
