/** A thread that reads and redacts sessions; what it writes goes through the thread that has the store. */
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { createRedactor } from "../redact/redactor.ts";
import type { Store } from "../store/store.ts";
import { attempt, type Attempt } from "./attempt.ts";
import type { IndexRequest } from "./index-session.ts";
import type { IndexLimits } from "./limits.ts";
import type { IndexStore } from "./session-job.ts";

export interface ThreadTask extends Pick<IndexRequest, "sessionId" | "ref" | "rebuild"> {
  kind: "task";
}

export interface ThreadAnswer {
  kind: "answer";
  value: unknown;
  /** The store rejected; it is known there with what. */
  failed: boolean;
}

export type ThreadReport =
  | { kind: "call"; method: keyof IndexStore; args: unknown[] }
  | { kind: "done"; attempt: Attempt }
  | { kind: "failed"; message: string; stack: string | undefined };

/** A store in another thread. One call at a time: a session is indexed step by step. */
function storeBehind(port: MessagePort): { store: IndexStore; answer: (answer: ThreadAnswer) => void } {
  let answered: (answer: ThreadAnswer) => void = () => undefined;
  const ask = async (method: keyof IndexStore, args: unknown[]): Promise<unknown> => {
    const answer = new Promise<ThreadAnswer>((resolve) => (answered = resolve));
    port.postMessage({ kind: "call", method, args } satisfies ThreadReport);
    const { value, failed } = await answer;
    if (failed) throw new Error("The store failed.");
    return value;
  };
  // What the other thread answers with is what its store gave.
  // oxlint-disable typescript/no-unsafe-type-assertion
  const store: IndexStore = {
    session: (...args) => ask("session", args) as ReturnType<Store["session"]>,
    events: (...args) => ask("events", args) as ReturnType<Store["events"]>,
    writeSession: (...args) => ask("writeSession", args) as ReturnType<Store["writeSession"]>,
    querySnippets: (...args) => ask("querySnippets", args) as ReturnType<Store["querySnippets"]>,
  };
  // oxlint-enable typescript/no-unsafe-type-assertion
  return { store, answer: (answer) => answered(answer) };
}

function serve(port: MessagePort, limits: IndexLimits): void {
  const redactor = createRedactor();
  const { store, answer } = storeBehind(port);
  const index = async ({ sessionId, ref, rebuild }: ThreadTask): Promise<ThreadReport> => {
    try {
      return { kind: "done", attempt: await attempt({ sessionId, ref, rebuild, store, redactor, limits }) };
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      return { kind: "failed", message, stack };
    }
  };
  port.on("message", (message: ThreadTask | ThreadAnswer) => {
    if (message.kind === "answer") answer(message);
    else void index(message).then((report) => port.postMessage(report));
  });
}

// What starts the thread and what runs in it are of one package: the limits are what it was given.
const limits: IndexLimits = workerData;
if (parentPort) serve(parentPort, limits);
