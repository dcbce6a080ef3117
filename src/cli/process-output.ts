/** Standard output and error. */
import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { ClosedOutput, type Output } from "./io.ts";
import { TranscriptsError } from "../transcripts-error.ts";

type Stream = Writable & { isTTY?: boolean; columns?: number };

/**
 * Writes to files and pipes without a stream, because creating a stream takes longer than most commands. Either way the
 * program waits until everything is written. Uses a stream for a terminal, and for an output that is not ready.
 */
export function outputOn(descriptor: number, streamOf: () => Stream): Output {
  let opened: Stream | undefined;
  const stream = (): Stream => {
    // The callback of a write gets its error; without this listener the event would end the process with a stack trace.
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

/** Uses a stream for unknown outputs, and on Windows, where pipes are not synchronous. */
function mayBeTerminal(descriptor: number): boolean {
  if (process.platform === "win32") return true;
  try {
    const facts = fstatSync(descriptor);
    return !facts.isFile() && !facts.isFIFO() && !facts.isSocket();
  } catch {
    return true;
  }
}

/** Writes the rest, if the reader is slower. */
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
  const problem = "No space left on device: output is incomplete.";
  return new TranscriptsError("output_full", problem, "Free some space, or print it to another place.", {
    cause: error,
  });
}

function isFull(error: unknown): boolean {
  return codeOf(error) === "EAGAIN";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
