/** Prints the last messages of a session, then each new one. */
import { hashOf, SeenSet } from "../parse/repeats.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";
import { messageText, type ConversationStyle } from "./conversation-text.ts";
import { messageRow } from "./message-row.ts";
import { printLine } from "./output.ts";
import { redactedRow, redactedRows } from "./redaction.ts";
import type { MessageView } from "../parse/turns.ts";
import { sessionIdOf } from "../queries/read-session.ts";

export interface TailOptions {
  /** Number of messages to begin with. */
  last: number;
  isJson: boolean;
  /** Undefined: secrets are printed. */
  redactor: Redactor | undefined;
}

export class TailPrinter {
  printed = 0;
  readonly #context: CommandContext;
  readonly #ref: SessionRef;
  readonly #options: TailOptions;
  readonly #style: ConversationStyle;
  /** Messages seen before the file was read again. */
  readonly #seen = new SeenSet();
  /** Last messages so far, until the end of the file is reached; then undefined. */
  #held: MessageView[] | undefined = [];
  #previous: MessageView["message"] | undefined;
  #isAgain = false;

  constructor(context: CommandContext, ref: SessionRef, options: TailOptions) {
    this.#context = context;
    this.#ref = ref;
    this.#options = options;
    const { colors, columns } = context;
    this.#style = { colors, columns, withTools: true, withThinking: true, summary: false, calls: undefined };
  }

  async add(view: MessageView): Promise<void> {
    const isNew = this.#seen.add(hashOf(keyOf(view)));
    if ((this.#isAgain && !isNew) || !this.#isShown(view)) return;
    if (this.#held === undefined) {
      await this.#print(view);
      await this.#context.flush();
      return;
    }
    this.#held.push(view);
    if (this.#held.length > this.#options.last) this.#held.shift();
  }

  /** Prints the last messages, when the end of the file is reached. */
  async caughtUp(): Promise<void> {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const view of held) await this.#print(view);
    await this.#context.flush();
  }

  /** Prepares for reading the file from its start again, skipping the messages already seen. */
  startAgain(): void {
    this.#isAgain = true;
  }

  #isShown(view: MessageView): boolean {
    return this.#options.isJson || messageText(view, this.#style) !== "";
  }

  async #shown({ message, blocks }: MessageView): Promise<MessageView> {
    const { redactor } = this.#options;
    return { message: await redactedRow(redactor, message), blocks: await redactedRows(redactor, blocks) };
  }

  async #print(raw: MessageView): Promise<void> {
    this.printed += 1;
    const view = await this.#shown(raw);
    if (this.#options.isJson) await printLine(this.#context, messageRow(view, sessionIdOf(this.#ref), null));
    else await this.#context.out(messageText(view, this.#style, this.#previous));
    if (view.message.message_type === "assistant") this.#previous = view.message;
  }
}

/** Returns a key that is the same for the same message at any position. */
function keyOf({ message, blocks }: MessageView): string {
  const { timestamp, uuid, source_id, message_type } = message;
  const texts = blocks.map(({ block_type, content_text, thinking_text, tool_use_id, tool_result_id, result_text }) =>
    [block_type, content_text, thinking_text, tool_use_id, tool_result_id, result_text].join("\0"),
  );
  return [message_type, timestamp, uuid, source_id, ...texts].join("\0");
}
