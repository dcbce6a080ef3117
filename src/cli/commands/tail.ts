/** `transcripts tail` */
import { access } from "node:fs/promises";
import { readSessionLines } from "../../queries/read-session.ts";
import type { SessionContent } from "../../parse/message-draft.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { sessionMeant } from "../../sessions/resolve-session.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { errorCode } from "../../transcript/files/fault.ts";
import type { CommandContext, CommandOptions, RunCommand } from "../command.ts";
import { followFile, pause, type Restart } from "../follow.ts";
import { flag, integer } from "../option-values.ts";
import { redactorFor } from "../redaction.ts";
import { sessionNamed } from "../session-input.ts";
import { TailPrinter } from "../tail-printer.ts";
import { isSessionError, TranscriptsError } from "../../transcripts-error.ts";

/** Interval of checks for a session that does not exist yet, in milliseconds. */
const WAIT_MS = 400;

const WHY: Record<Restart, string> = {
  replaced: "was replaced; reading the new one",
  cut: "was cut; reading it from the start",
  gone: "is gone; waiting for it",
};

export const run: RunCommand = async (context, args, options) => {
  const follow = flag(options, "follow");
  const ref = await sessionToTail(context, args[0] ?? "latest", options);
  if (ref === undefined) return 1;
  const printer = new TailPrinter(context, ref, {
    last: integer(options, "lines") ?? 10,
    isJson: flag(options, "json"),
    redactor: redactorFor(options),
  });
  if (ref.archived !== null && follow) {
    const next = "Run without -f.";
    throw new TranscriptsError("no_file", `Session ${ref.id} is only in the store: nothing can be added to it.`, next);
  }
  if (ref.path === null || ref.bytes === null || ref.archived !== null) {
    if (follow && ref.source === "opencode-store") {
      throw new TranscriptsError(
        "bad_arguments",
        `Session ${ref.id} is in opencode's store, which cannot be followed.`,
        "Follow its transcript, or run without -f.",
      );
    }
    await readChunks(openReadable(ref, { stdin: context.stdin }), ref, printer);
    await printer.caughtUp();
  } else await tailFile(context, ref, ref.path, printer, follow);
  return printer.printed > 0 ? 0 : 1;
};

/** Resolves the session; with -f waits for one that does not exist yet. Undefined if the signal came first. */
async function sessionToTail(
  context: CommandContext,
  argument: string,
  options: CommandOptions,
): Promise<SessionRef | undefined> {
  const follow = flag(options, "follow");
  for (let isFirst = true; !context.signal.aborted; isFirst = false) {
    try {
      return await sessionNamed(context, argument, options);
    } catch (error) {
      // With -f the session may have just begun.
      if (follow && isSessionError(error) && error.code === "empty") return sessionMeant(argument, context);
      if (!follow || !isSessionError(error) || error.code !== "not_found") throw error;
      if (isFirst) context.note(`${argument === "latest" ? "a session" : argument} does not exist yet; waiting for it`);
      await pause(context.signal, WAIT_MS);
    }
  }
  return undefined;
}

async function tailFile(
  context: CommandContext,
  ref: SessionRef,
  path: string,
  printer: TailPrinter,
  follow: boolean,
): Promise<void> {
  for (;;) {
    const restart = await tailOnce(context, ref, path, printer, follow);
    if (restart === undefined || context.signal.aborted) return;
    context.note(`${path} ${WHY[restart]}`);
    printer.startAgain();
    while (!context.signal.aborted && !(await isThere(path))) await pause(context.signal, WAIT_MS);
  }
}

/** Reads the file to its end. Returns why to read it again; undefined if finished. */
async function tailOnce(
  { signal }: CommandContext,
  ref: SessionRef,
  path: string,
  printer: TailPrinter,
  follow: boolean,
): Promise<Restart | undefined> {
  const end: { restart?: Restart } = {};
  const chunks = followFile(path, {
    signal,
    follow,
    caughtUp: () => printer.caughtUp(),
    ended: (restart) => (end.restart = restart),
  });
  try {
    await readChunks(chunks, ref, printer);
  } catch (error) {
    if (follow && errorCode(error) === "ENOENT") return "gone";
    throw error;
  }
  return end.restart;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Prints messages as they come. Waits for more if the source cannot be detected yet. */
async function readChunks(chunks: SessionContent, ref: SessionRef, printer: TailPrinter): Promise<void> {
  const { lines } = await readSessionLines(ref, { chunks, isGrowing: true });
  for await (const { messages } of lines) for (const message of messages) await printer.add(message);
}
