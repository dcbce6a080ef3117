/** Standard output and error. */
import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { ClosedOutput, FailedOutput, type Output } from "./io.ts";

type Stream = Writable & { isTTY?: boolean; columns?: number };

/**
 * Writes to files and pipes without a stream, which would take longer to make than most commands take: both ways, the
 * program waits until all is handed over. A terminal has a stream, and so has what takes no more for now, from there on.
 */
export function outputOn(descriptor: number, streamOf: () => Stream): Output {
  let opened: Stream | undefined;
  const stream = (): Stream => {
    // A failed write is told to its callback; without this listener the event would end the process with a stack trace.
    opened ??= streamOf().on("error", () => undefined);
    return opened;
  };
  if (mayBeTerminal(descriptor)) stream();
  return {
    isTerminal: opened?.isTTY === true,
    get columns() {
      return opened?.columns;
    },
    write: async (text) => {
      const rest = opened === undefined ? writtenDirectly(descriptor, text) : text;
      if (rest.length > 0) await writeTo(stream(), rest);
    },
  };
}

/** Of what cannot be told, and on Windows, where pipes do not wait, a stream knows what to do. */
function mayBeTerminal(descriptor: number): boolean {
  if (process.platform === "win32") return true;
  try {
    const facts = fstatSync(descriptor);
    return !facts.isFile() && !facts.isFIFO() && !facts.isSocket();
  } catch {
    return true;
  }
}

/** What is left, if whoever reads is not as quick. */
function writtenDirectly(descriptor: number, text: string): Uint8Array {
  let bytes: Uint8Array = Buffer.from(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(descriptor, bytes));
  } catch (error) {
    if (!isFull(error)) throw asOutputError(error);
  }
  return bytes;
}

function writeTo(stream: Stream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(asOutputError(error));
      else resolve();
    });
  });
}

const CLOSED = new Set(["EPIPE", "ERR_STREAM_DESTROYED", "EOF"]);

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

function asOutputError(error: unknown): unknown {
  const code = codeOf(error);
  if (CLOSED.has(code)) return new ClosedOutput("closed", { cause: error });
  if (!FULL.has(code)) return error;
  const problem = "There is no room left for what is printed, so that it is not whole.";
  return new FailedOutput(`${problem} Free some space, or print it to another place.`, { cause: error });
}

function isFull(error: unknown): boolean {
  return codeOf(error) === "EAGAIN";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
