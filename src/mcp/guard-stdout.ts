/** Keeps the protocol alone on standard output. */
import type { Writable } from "node:stream";

/**
 * From now on what anything in this process prints goes to standard error, and only the function that is given back
 * writes to standard output. It resolves when a text is handed over, and rejects if nobody reads any more.
 */
export function guardStdout(stdout: Writable, stderr: Writable): (text: string) => Promise<void> {
  // Bound right below, before it is replaced.
  // oxlint-disable-next-line typescript/unbound-method
  const { write } = stdout;
  Reflect.set(stdout, "write", stderr.write.bind(stderr));
  // A failed write is told to its callback; without a listener the event would end the process with a stack trace.
  stdout.on("error", () => undefined);
  return (text) =>
    new Promise((resolve, reject) => {
      write.call(stdout, text, "utf8", (error) => (error ? reject(error) : resolve()));
    });
}
