/** A thread for tests of `WorkerThread`: does what its tasks say. */
import { serveTasks } from "../../src/worker-thread.ts";

serveTasks(async (task: string, { signal, ask }) => {
  if (task === "fail") throw new Error("failed on purpose");
  if (task === "ask") return ask("how much?");
  if (task === "exit") process.exit(0);
  if (task === "wait") await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return `${task} done`;
});
