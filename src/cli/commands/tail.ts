/** `transcripts tail` */
import { constants, existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { SessionContent } from "../../parse/content.ts";
import { piecesOf, pieceView, type ReadMessage } from "../../parse/conversation.ts";
import { redactView } from "../../parse/redact-rows.ts";
import type { MessageView } from "../../parse/turns.ts";
import { createRedactor } from "../../redact/redactor.ts";
import { openConversation } from "../../sessions/open-conversation.ts";
import { openBytes, openReadable } from "../../sessions/open-session.ts";
import { sessionIdOf, type SessionRef } from "../../places/session-ref.ts";
import { pause } from "../../transcript/timeouts.ts";
import { TranscriptsError } from "../../transcripts-error.ts";
import { wholeNumber, createCommand, jsonLines, runnable, SESSION, type OptionsOf } from "../command.ts";
import { badArguments, type CommandContext } from "../context.ts";
import { messageText } from "../../render/text/conversation-text.ts";
import { messageRow } from "../../queries/message-row.ts";
import { sessionNamed } from "../session-input.ts";

const definition = createCommand("tail", {
  description: "If a file that -f follows is replaced or cut, it says so and begins again.",
  examples: {
    "transcripts tail": "Shows how the newest session ended.",
    "transcripts tail -n 3 --json": "Prints the last three messages as JSON.",
    "transcripts tail -f": "Follows the newest session.",
  },
  nothing: "no session was found, or it has no messages",
})
  .argument("[SESSION]", SESSION, "latest")
  .option("-f, --follow", "Waits for more, until Ctrl-C.")
  .option("-n, --lines <n>", "Starts with the last n messages.", wholeNumber, 10)
  .addOption(jsonLines("each message, as in `show --json`"));
type Options = OptionsOf<typeof definition>;

/** Interval of checks for a session that does not exist yet, in milliseconds. */
const WAIT_MS = 400;
/** Interval of checks for more. File system events would be faster but not reliable: network folders send none. */
const POLL_MS = 150;
const CHUNK_BYTES = 256 * 1024;

export const command = runnable(definition, async (context, [argument], options) => {
  const { follow = false } = options;
  const named = await sessionNamed(context, argument);
  // A transcript can be followed, a database cannot.
  const ref = (follow && [named, ...named.alternatives].find(({ path }) => path !== null)) || named;
  const printer = tailPrinter(context, ref, options);
  if (ref.archived !== null && follow) {
    const next = "Run without -f.";
    throw new TranscriptsError("no_file", `Session ${ref.id} is only in the store: nothing can be added to it.`, next);
  }
  if (!follow || ref.path === null) {
    if (follow && ref.database !== null) {
      throw badArguments(
        `Session ${ref.id} is in a database, which cannot be followed.`,
        "Follow its transcript, or run without -f.",
      );
    }
    await print(ref.archived === null ? openReadable(ref, { stdin: context.stdin }) : undefined, ref, printer);
    await printer.caughtUp();
  } else await followFile(context, ref, ref.path, printer);
  return printer.hasPrinted() ? 0 : 1;
});

/** Reads the file as it grows; when it was replaced or cut, says so and begins again. */
async function followFile(context: CommandContext, ref: SessionRef, path: string, printer: TailPrinter): Promise<void> {
  const { signal } = context;
  for (;;) {
    const chunks = chunksOf(path, { signal, caughtUp: () => printer.caughtUp() });
    await print(openBytes(ref, chunks), ref, printer);
    if (signal.aborted) return;
    context.note(`${path} was replaced or cut; beginning again`);
    printer.begin();
    while (!signal.aborted && !existsSync(path)) await pause(WAIT_MS, signal);
  }
}

interface Following {
  signal: AbortSignal;
  /** Called each time everything available was read. */
  caughtUp: () => Promise<void>;
}

/** Yields the content of the file, and what is added to it, until another file has its name or it is shorter. */
async function* chunksOf(path: string, { signal, caughtUp }: Following): AsyncGenerator<Uint8Array> {
  // Does not wait for a pipe that replaced the file.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) throw Object.assign(new Error(`${path} is not a file any more`), { code: "ENOTREG" });
    for (let offset = 0; !signal.aborted;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
      offset += bytesRead;
      if (bytesRead > 0) {
        yield buffer.subarray(0, bytesRead);
        continue;
      }
      await caughtUp();
      const named = await stat(path).catch(() => undefined);
      if (named === undefined || named.ino !== opened.ino || named.dev !== opened.dev || named.size < offset) return;
      await pause(POLL_MS, signal);
    }
  } finally {
    await handle.close();
  }
}

/** Prints messages as they come. Waits for more if the format cannot be detected yet. */
async function print(content: SessionContent | undefined, ref: SessionRef, printer: TailPrinter): Promise<void> {
  const reader = await openConversation(ref, { content, isGrowing: true, pricing: "flat" });
  for await (const piece of piecesOf(reader)) await printer.add(piece);
}

type TailPrinter = ReturnType<typeof tailPrinter>;

/** Prints the last messages of a session, then each new one. */
function tailPrinter(context: CommandContext, ref: SessionRef, options: Options) {
  const { colors } = context;
  const style = { colors, withTools: true, withThinking: true, summary: false, calls: undefined };
  const isJson = options.json;
  // Last pieces so far, until the end of the file is reached; then undefined.
  let held: ReadMessage[] | undefined = [];
  let previous: MessageView["message"] | undefined;
  let hasPrinted = false;
  const print = async (piece: ReadMessage): Promise<void> => {
    hasPrinted = true;
    const view = await redactView(pieceView(piece), createRedactor());
    if (isJson) await context.printLine(messageRow(view, sessionIdOf(ref), null));
    else await context.out(messageText(view, style, previous));
    if (view.message.message_type === "assistant") previous = view.message;
  };
  return {
    hasPrinted: () => hasPrinted,
    add: async (piece: ReadMessage): Promise<void> => {
      if (!isJson && messageText(pieceView(piece), style) === "") return;
      if (held === undefined) {
        await print(piece);
        await context.flush();
        return;
      }
      held.push(piece);
      if (held.length > options.lines) held.shift();
    },
    /** Prints the last messages, when the end of the file is reached. */
    caughtUp: async (): Promise<void> => {
      const last = held ?? [];
      held = undefined;
      for (const piece of last) await print(piece);
      await context.flush();
    },
    /** Prepares for reading the file from its start again. */
    begin: (): void => {
      held = [];
      previous = undefined;
    },
  };
}
