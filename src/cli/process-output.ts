/** Standard output and error. */
import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { errorCode } from "../transcript/files/fault.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { ClosedOutput, type Output } from "./io.ts";

const CLOSED = new Set(["EPIPE", "ERR_STREAM_DESTROYED", "EOF"]);
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/**
 * Writes to a stream of the process. Each write resolves when everything is written. A file is written without the stream,
 * since Node's ends with success when only a part of a text fits on the disk.
 */
export function outputOn(stream: Writable & { fd: number; isTTY?: boolean; columns?: number }): Output {
  const isFile = fstatSync(stream.fd).isFile();
  // The callback of a write gets its error; without a listener the event would end the process with a stack trace.
  stream.on("error", () => undefined);
  const write = async (text: string): Promise<void> => {
    if (isFile) return writeAll(stream.fd, text);
    await new Promise<void>((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
  };
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    write: (text) =>
      write(text).catch((error: unknown) => {
        throw outputError(error);
      }),
  };
}

function writeAll(descriptor: number, text: string): void {
  for (let bytes = Buffer.from(text); bytes.length > 0;) bytes = bytes.subarray(writeSync(descriptor, bytes));
}

function outputError(error: unknown): unknown {
  const code = errorCode(error) ?? "";
  if (CLOSED.has(code)) return new ClosedOutput("closed", { cause: error });
  if (!FULL.has(code)) return error;
  const problem = "No space left on device: output is incomplete.";
  const next = "Free some space, or print it to another place.";
  return new TranscriptsError("output_full", problem, next, { cause: error });
}
