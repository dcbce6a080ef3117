/** `transcripts tail` */
import { access } from "node:fs/promises";
import { LineMessages } from "../../scan/find-units.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { outputReader } from "../../sessions/output-reader.ts";
import { sessionMeant } from "../../sessions/resolve-session.ts";
import { SessionError } from "../../sessions/session-error.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { errorCode } from "../../files/fault.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import { detected } from "../detect-input.ts";
import { followFile, pause, type Restart } from "../follow.ts";
import { flag, integer } from "../option-values.ts";
import { redactorFor } from "../redaction.ts";
import { sessionNamed } from "../session-input.ts";
import { TailPrinter } from "../tail-printer.ts";

/** How long between two looks for a session that is not there yet. */
const WAIT_MS = 400;

const WHY: Record<Restart, string> = {
  replaced: "was replaced; reading the new one",
  cut: "was cut; reading it from the start",
  gone: "is gone; waiting for it",
};

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const follow = flag(options, "follow");
  const ref = await sessionToTail(context, args[0] ?? "latest", follow);
  if (ref === undefined) return 1;
  const printer = new TailPrinter(context, ref, {
    last: integer(options, "lines") ?? 10,
    isJson: flag(options, "json"),
    redactor: redactorFor(options),
  });
  if (ref.path === null || ref.bytes === null) {
    if (follow && ref.source === "opencode-store") {
      throw new CliError(
        `Session ${ref.id} is in opencode's store, which cannot be followed.`,
        "Follow its transcript, or leave -f out.",
      );
    }
    await readChunks(openReadable(ref, { stdin: context.stdin }), ref, printer);
    await printer.caughtUp();
  } else await tailFile(context, ref, ref.path, printer, follow);
  return printer.printed > 0 ? 0 : 1;
}

/** Waits for a session that is not there yet, if it is to be followed. Undefined if the signal came first. */
async function sessionToTail(
  context: CommandContext,
  argument: string,
  follow: boolean,
): Promise<SessionRef | undefined> {
  for (let isFirst = true; !context.signal.aborted; isFirst = false) {
    try {
      return await sessionNamed(context, argument);
    } catch (error) {
      // A session that is to be followed may have just begun.
      if (follow && error instanceof SessionError && error.code === "empty") return sessionMeant(argument, context);
      if (!follow || !(error instanceof SessionError) || error.code !== "not_found") throw error;
      if (isFirst) context.note(`${argument === "latest" ? "a session" : argument} is not there yet; waiting for it`);
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

/** Reads the file to its end; undefined if that was all. */
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

/** Prints what the chunks hold as it comes. Of a file that is not known to be anything, waits for what tells it. */
async function readChunks(chunks: AsyncIterable<Uint8Array>, ref: SessionRef, printer: TailPrinter): Promise<void> {
  const { source, rest } = await detected(chunks);
  const readOutput = outputReader(ref);
  const messages = new LineMessages(source.repeats ?? false);
  const settings = { maxLineBytes: 5 * 1024 * 1024, agentProgress: false, windowLines: 0 };
  for await (const units of source.read(rest, { ...settings, ...(readOutput ? { readOutput } : {}) })) {
    for (const unit of units) for (const message of messages.of(unit)) await printer.add(message);
  }
}
