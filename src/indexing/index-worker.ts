/** A thread that reads and redacts sessions; what it writes goes through the thread that has the store. */
import { workerData } from "node:worker_threads";
import { createRedactor } from "../redact/redactor.ts";
import type { Machine } from "../store/store-place.ts";
import type { Store } from "../store/store.ts";
import { serveTasks, type TaskContext } from "../worker-thread.ts";
import { indexSession, type IndexRequest, type IndexStore } from "./index-session.ts";
import type { IndexLimits } from "./limits.ts";

export interface IndexWorkerData {
  limits: IndexLimits;
  machine: Machine;
}

export type LaneTask = Pick<IndexRequest, "sessionId" | "ref" | "isNew" | "level">;

/** A call of the store, which the other thread does. */
export interface StoreCall {
  method: Exclude<keyof IndexStore, "machine">;
  args: unknown[];
}

// The other thread returns its store's answers unchanged.
// oxlint-disable typescript/no-unsafe-type-assertion
function storeBehind(askThread: TaskContext["ask"]): IndexStore {
  const ask = (method: StoreCall["method"], args: unknown[]): Promise<unknown> =>
    askThread({ method, args } satisfies StoreCall);
  return {
    machine,
    session: (...args) => ask("session", args) as ReturnType<Store["session"]>,
    rowStates: (...args) => ask("rowStates", args) as ReturnType<Store["rowStates"]>,
    figures: (...args) => ask("figures", args) as ReturnType<Store["figures"]>,
    blocks: (...args) => ask("blocks", args) as ReturnType<Store["blocks"]>,
    writeSession: (...args) => ask("writeSession", args) as ReturnType<Store["writeSession"]>,
  };
}
// oxlint-enable typescript/no-unsafe-type-assertion

// Both threads run the same package, so the data has the type that was sent.
const { limits, machine }: IndexWorkerData = workerData;
const redactor = createRedactor();
serveTasks((task: LaneTask, { ask }) => indexSession({ ...task, store: storeBehind(ask), redactor, limits }));
