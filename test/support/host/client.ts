/** The few calls of opencode's HTTP API that the tests make. */
import { found } from "../recording/eventually.ts";
import { field, list, text } from "./fields.ts";
import { MODEL } from "./sandbox.ts";

export type PromptPart =
  | { type: "text"; text: string; synthetic?: boolean; ignored?: boolean }
  | { type: "agent"; name: string }
  | { type: "file"; mime: string; url: string; filename?: string };

export interface SessionInfo {
  id: string;
  title: string;
  parentID?: string;
}

export class OpencodeClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** One call; throws on any status but 2xx, with the body in the message. Undefined for an empty body. */
  async request(method: string, path: string, body?: unknown): Promise<unknown> {
    const init =
      body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(`${this.url}${path}`, { method, ...init });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return answer === "" ? undefined : JSON.parse(answer);
  }

  async createSession(title?: string): Promise<SessionInfo> {
    return sessionInfo(await this.request("POST", "/session", title === undefined ? {} : { title }));
  }

  /** Sends a prompt and waits for the whole turn. */
  prompt(sessionID: string, prompt: string | readonly PromptPart[]): Promise<unknown> {
    return this.request("POST", `/session/${sessionID}/message`, { parts: promptParts(prompt) });
  }

  /** Sends a prompt and does not wait. */
  async promptAsync(sessionID: string, prompt: string | readonly PromptPart[]): Promise<void> {
    await this.request("POST", `/session/${sessionID}/prompt_async`, {
      parts: promptParts(prompt),
    });
  }

  async abort(sessionID: string): Promise<void> {
    await this.request("POST", `/session/${sessionID}/abort`);
  }

  /** Runs a shell command as the user (`!` in the TUI). */
  shell(sessionID: string, command: string): Promise<unknown> {
    return this.request("POST", `/session/${sessionID}/shell`, { agent: "build", command });
  }

  /** Runs a slash command and waits for its whole turn. */
  command(sessionID: string, command: string, args: string): Promise<unknown> {
    return this.request("POST", `/session/${sessionID}/command`, { command, arguments: args });
  }

  async fork(sessionID: string, messageID?: string): Promise<SessionInfo> {
    const body = messageID === undefined ? {} : { messageID };
    return sessionInfo(await this.request("POST", `/session/${sessionID}/fork`, body));
  }

  async summarize(sessionID: string): Promise<void> {
    await this.request("POST", `/session/${sessionID}/summarize`, MODEL);
  }

  async revert(sessionID: string, messageID: string): Promise<void> {
    await this.request("POST", `/session/${sessionID}/revert`, { messageID });
  }

  async unrevert(sessionID: string): Promise<void> {
    await this.request("POST", `/session/${sessionID}/unrevert`);
  }

  async rename(sessionID: string, title: string): Promise<void> {
    await this.request("PATCH", `/session/${sessionID}`, { title });
  }

  async deleteSession(sessionID: string): Promise<void> {
    await this.request("DELETE", `/session/${sessionID}`);
  }

  async children(sessionID: string): Promise<SessionInfo[]> {
    return list(await this.request("GET", `/session/${sessionID}/children`)).map(sessionInfo);
  }

  /** The session and every session below it, parents first. */
  async family(sessionID: string): Promise<string[]> {
    const below = await Promise.all((await this.children(sessionID)).map((child) => this.family(child.id)));
    return [sessionID, ...below.flat()];
  }

  /** IDs of the session's messages, oldest first, with their roles. */
  async messages(sessionID: string): Promise<{ id: string; role: string }[]> {
    return list(await this.request("GET", `/session/${sessionID}/message`)).map((message) => {
      const info = field(message, "info");
      return { id: text(field(info, "id")), role: text(field(info, "role")) };
    });
  }

  /** ID of the newest message of the user. */
  async lastPrompt(sessionID: string): Promise<string> {
    const prompt = (await this.messages(sessionID)).findLast(({ role }) => role === "user");
    if (!prompt) throw new Error(`session ${sessionID} has no prompt`);
    return prompt.id;
  }

  /** Waits until the model has said its last word this many times in the session. */
  async answers(sessionID: string, count: number): Promise<void> {
    await found(async () => {
      const messages = list(await this.request("GET", `/session/${sessionID}/message`)).map((m) => field(m, "info"));
      const finished = messages.filter(
        (info) => field(info, "finish") === "stop" && field(field(info, "time"), "completed"),
      );
      return finished.length >= count ? true : undefined;
    }, 50);
  }

  async replyPermission(requestID: string, reply: "once" | "always" | "reject", message?: string): Promise<void> {
    await this.request(
      "POST",
      `/permission/${requestID}/reply`,
      message === undefined ? { reply } : { reply, message },
    );
  }

  /** Waits for a permission request of the session and gives its ID. */
  pendingPermission(sessionID: string): Promise<string> {
    return this.#pending("/permission", sessionID);
  }

  pendingQuestion(sessionID: string): Promise<string> {
    return this.#pending("/question", sessionID);
  }

  async replyQuestion(requestID: string, answers: string[][]): Promise<void> {
    await this.request("POST", `/question/${requestID}/reply`, { answers });
  }

  async rejectQuestion(requestID: string): Promise<void> {
    await this.request("POST", `/question/${requestID}/reject`);
  }

  async disposeInstance(): Promise<void> {
    await this.request("POST", "/instance/dispose");
  }

  /** Waits until the host has nothing to do in any of the sessions. */
  async idle(...sessionIDs: string[]): Promise<void> {
    await found(async () => {
      const status = await this.request("GET", "/session/status");
      const busy = Object.entries(status ?? {}).filter(
        ([id, value]) => sessionIDs.includes(id) && field(value, "type") !== "idle",
      );
      return busy.length === 0 ? true : undefined;
    }, 20);
  }

  async #pending(path: string, sessionID: string): Promise<string> {
    const request = await found(
      async () => list(await this.request("GET", path)).find((item) => field(item, "sessionID") === sessionID),
      20,
    );
    return text(field(request, "id"));
  }
}

function promptParts(prompt: string | readonly PromptPart[]): readonly PromptPart[] {
  return typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
}

function sessionInfo(value: unknown): SessionInfo {
  const parentID = field(value, "parentID");
  return {
    id: text(field(value, "id")),
    title: text(field(value, "title")),
    ...(typeof parentID === "string" ? { parentID } : {}),
  };
}
