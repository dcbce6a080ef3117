/** `transcripts tail` */
import { access } from "node:fs/promises";
import type { SessionContent } from "../../parse/message-draft.ts";
import { hashOf, SeenSet } from "../../parse/repeats.ts";
import type { MessageView } from "../../parse/turns.ts";
import { readSessionLines } from "../../queries/read-session.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { sessionMeant } from "../../sessions/resolve-session.ts";
import { sessionIdOf, type SessionRef } from "../../sessions/session-ref.ts";
import { errorCode } from "../../transcript/files/fault.ts";
import { pause } from "../../transcript/timeouts.ts";
import { isSessionError, TranscriptsError } from "../../transcripts-error.ts";
import { wholeNumber, createCommand, jsonLines, noRedact, runnable, SESSION, type OptionsOf } from "../command.ts";
import { badArguments, type CommandContext } from "../context.ts";
import { messageText } from "../../texts/conversation-text.ts";
import { followFile, type Restart } from "../follow.ts";
import { messageRow } from "../message-row.ts";
import { redactedRow, redactedRows, redactorFor } from "../redaction.ts";
import { sessionNamed } from "../session-input.ts";

const definition = createCommand("tail", {
  summary: "Prints the end of a session; with -f also what is added to it.",
  description:
    "-f continues when the file is replaced or truncated, and waits for a file that does not exist yet. Without SESSION it shows the newest session.",
  examples: {
    "transcripts tail": "Shows how the newest session ended.",
    "transcripts tail -n 3 --json": "Prints its last three messages as JSON.",
    "transcripts tail -f": "Follows it.",
  },
  nothing: "no session was found, or it has no messages",
})
  .argument("[SESSION]", SESSION, "latest")
  .option("-f, --follow", "Waits for more until interrupted.")
  .option("-n, --lines <n>", "Starts with the last n messages.", wholeNumber, 10)
  .addOption(noRedact)
  .addOption(jsonLines("each message, as in `show --json`"));
type Options = OptionsOf<typeof definition>;

/** Interval of checks for a session that does not exist yet, in milliseconds. */
const WAIT_MS = 400;

const WHY: Record<Restart, string> = {
  replaced: "was replaced; reading the new one",
  cut: "was truncated; reading it from the start",
  gone: "is gone; waiting for it",
};

export const command = runnable(definition, async (context, [argument], options) => {
  const { follow = false } = options;
  const named = await sessionToTail(context, argument, options);
  if (named === undefined) return 1;
  // A transcript can be followed, opencode's store cannot.
  const ref = (follow && [named, ...named.alternatives].find(({ path }) => path !== null)) || named;
  const printer = tailPrinter(context, ref, options);
  if (ref.archived !== null && follow) {
    const next = "Run without -f.";
    throw new TranscriptsError("no_file", `Session ${ref.id} is only in the store: nothing can be added to it.`, next);
  }
  if (ref.path === null || ref.bytes === null || ref.archived !== null) {
    if (follow && ref.source === "opencode-store") {
      throw badArguments(
        `Session ${ref.id} is in opencode's store, which cannot be followed.`,
        "Follow its transcript, or run without -f.",
      );
    }
    await readChunks(openReadable(ref, { stdin: context.stdin }), ref, printer);
    await printer.caughtUp();
  } else await tailFile(context, ref, ref.path, printer, follow);
  return printer.hasPrinted() ? 0 : 1;
});

/** Resolves the session; with -f waits for one that does not exist yet. Undefined if the signal came first. */
async function sessionToTail(
  context: CommandContext,
  argument: string,
  options: Options,
): Promise<SessionRef | undefined> {
  const { follow = false } = options;
  for (let isFirst = true; !context.signal.aborted; isFirst = false) {
    try {
      return await sessionNamed(context, argument, options);
    } catch (error) {
      // With -f the session may have just begun.
      if (follow && isSessionError(error) && error.code === "empty") return sessionMeant(argument, context);
      if (!follow || !isSessionError(error) || error.code !== "not_found") throw error;
      if (isFirst) context.note(`${argument === "latest" ? "a session" : argument} does not exist yet; waiting for it`);
      await pause(WAIT_MS, context.signal);
    }
  }
  return undefined;
}

/** Reads the file to its end, and again from its start when it was replaced. */
async function tailFile(
  context: CommandContext,
  ref: SessionRef,
  path: string,
  printer: TailPrinter,
  follow: boolean,
): Promise<void> {
  const { signal } = context;
  for (;;) {
    const end: { restart?: Restart } = {};
    const ended = (restart: Restart): void => void (end.restart = restart);
    const chunks = followFile(path, { signal, follow, caughtUp: () => printer.caughtUp(), ended });
    try {
      await readChunks(chunks, ref, printer);
    } catch (error) {
      if (!follow || errorCode(error) !== "ENOENT") throw error;
      end.restart = "gone";
    }
    if (end.restart === undefined || signal.aborted) return;
    context.note(`${path} ${WHY[end.restart]}`);
    printer.startAgain();
    while (!signal.aborted && !(await isThere(path))) await pause(WAIT_MS, signal);
  }
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

type TailPrinter = ReturnType<typeof tailPrinter>;

/** Prints the last messages of a session, then each new one. */
function tailPrinter(context: CommandContext, ref: SessionRef, options: Options) {
  const { colors } = context;
  const style = { colors, withTools: true, withThinking: true, summary: false, calls: undefined };
  const isJson = options.json;
  const redactor = redactorFor(options);
  // Messages seen before the file was read again.
  const seen = new SeenSet();
  let isAgain = false;
  // Last messages so far, until the end of the file is reached; then undefined.
  let held: MessageView[] | undefined = [];
  let previous: MessageView["message"] | undefined;
  let hasPrinted = false;
  const print = async ({ message, blocks }: MessageView): Promise<void> => {
    hasPrinted = true;
    const view = { message: await redactedRow(redactor, message), blocks: await redactedRows(redactor, blocks) };
    if (isJson) await context.printLine(messageRow(view, sessionIdOf(ref), null));
    else await context.out(messageText(view, style, previous));
    if (view.message.message_type === "assistant") previous = view.message;
  };
  return {
    hasPrinted: () => hasPrinted,
    add: async (view: MessageView): Promise<void> => {
      const isNew = seen.add(identityOf(view));
      if ((isAgain && !isNew) || !(isJson || messageText(view, style) !== "")) return;
      if (held === undefined) {
        await print(view);
        await context.flush();
        return;
      }
      held.push(view);
      if (held.length > options.lines) held.shift();
    },
    /** Prints the last messages, when the end of the file is reached. */
    caughtUp: async (): Promise<void> => {
      const last = held ?? [];
      held = undefined;
      for (const view of last) await print(view);
      await context.flush();
    },
    /** Prepares for reading the file from its start again, skipping the messages already seen. */
    startAgain: (): void => {
      isAgain = true;
    },
  };
}

/** Returns a number that is the same for the same message at any position. */
function identityOf({ message, blocks }: MessageView): number {
  const { timestamp, uuid, source_id, message_type } = message;
  const texts = blocks.map(({ block_type, content_text, thinking_text, tool_use_id, tool_result_id, result_text }) =>
    [block_type, content_text, thinking_text, tool_use_id, tool_result_id, result_text].join("\0"),
  );
  return hashOf([message_type, timestamp, uuid, source_id].join("\0"), texts.join("\0"));
}
