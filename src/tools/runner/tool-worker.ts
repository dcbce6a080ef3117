/** Worker thread for tools: SQLite, parsing and redaction would block the host's own thread. See `ToolRunner`. */
import { workerData } from "node:worker_threads";
import { serveTasks } from "../../worker-thread.ts";
import { type ToolCallRequest, ToolCalls, type ToolSurroundings } from "./tool-requests.ts";

// Output of libraries must not mix with the protocol on standard output.
process.stdout.write = process.stderr.write.bind(process.stderr);

// Only our own code starts this file, so the type is known.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const calls = new ToolCalls(workerData as ToolSurroundings);
serveTasks(
  (request: ToolCallRequest, { signal }) => calls.run(request, signal),
  () => calls.close(),
);
