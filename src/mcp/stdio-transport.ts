/**
 * MCP over a pair of streams: one JSON message a line, as UTF-8. The SDK's own transport knows no end of its input, and
 * does not answer what is no JSON.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, JSONRPCMessageSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

export interface StdioStreams {
  input: AsyncIterable<Uint8Array>;
  /** Resolves when it is handed over. Rejects if nobody reads any more. */
  write: (line: string) => Promise<void>;
}

/** Longer lines are passed over: a call has some hundred bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** A client that closes its end may still wait for answers; one that vanished does not. */
const LAST_ANSWERS_MS = 10_000;
const LINE_FEED = 10;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the input has ended or nobody reads the output, and all answers are out. Never rejects. */
  readonly ended: Promise<void>;
  readonly #streams: StdioStreams;
  readonly #lastAnswersMs: number;
  /** Requests that were not answered yet. */
  readonly #open = new Set<string | number>();
  #end: () => void = () => undefined;
  #answered: () => void = () => undefined;
  #written = Promise.resolve();
  #isClosed = false;

  constructor(streams: StdioStreams, lastAnswersMs = LAST_ANSWERS_MS) {
    this.#streams = streams;
    this.#lastAnswersMs = lastAnswersMs;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  async start(): Promise<void> {
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if ("id" in message && message.id !== undefined && !("method" in message)) this.#settle(message.id);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#written;
    this.onclose?.();
    this.#end();
  }

  async #read(): Promise<void> {
    const lines = new LineReader(MAX_LINE_BYTES);
    try {
      for await (const chunk of this.#streams.input) {
        if (this.#isClosed) return;
        for (const line of lines.push(chunk)) await this.#take(line);
      }
      const last = lines.end();
      if (last !== undefined) await this.#take(last);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    await this.#lastAnswers();
    await this.close();
  }

  /** Undefined: a line that was too long. */
  async #take(line: string | undefined): Promise<void> {
    if (line === undefined) {
      return this.#refuse(null, ErrorCode.ParseError, `Parse error: a message has ${MAX_LINE_BYTES} bytes at most.`);
    }
    if (line.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return this.#refuse(null, ErrorCode.ParseError, "Parse error: a line must be one JSON-RPC message.");
    }
    // Protocol version 2025-03-26 has lists of messages; each is answered by itself.
    for (const message of Array.isArray(value) && value.length > 0 ? value : [value]) await this.#dispatch(message);
  }

  async #dispatch(value: unknown): Promise<void> {
    const parsed = JSONRPCMessageSchema.safeParse(value);
    if (!parsed.success) {
      return this.#refuse(idIn(value), ErrorCode.InvalidRequest, "Invalid request: this is no JSON-RPC 2.0 message.");
    }
    const message = parsed.data;
    if ("method" in message && "id" in message) this.#open.add(message.id);
    // A request that is cancelled gets no answer.
    if ("method" in message && message.method === "notifications/cancelled") this.#settle(requestIn(message.params));
    this.onmessage?.(message);
  }

  async #refuse(id: string | number | null, code: number, message: string): Promise<void> {
    await this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  /** In order, and one at a time. */
  #write(message: unknown): Promise<void> {
    const line = `${JSON.stringify(message)}\n`;
    this.#written = this.#written
      .then(() => (this.#isClosed ? undefined : this.#streams.write(line)))
      .catch(() => {
        // Nobody reads: there is nobody to work for.
        this.#isClosed = true;
        this.onclose?.();
        this.#end();
      });
    return this.#written;
  }

  #settle(id: unknown): void {
    if (typeof id === "string" || typeof id === "number") this.#open.delete(id);
    if (this.#open.size === 0) this.#answered();
  }

  async #lastAnswers(): Promise<void> {
    if (this.#open.size === 0 || this.#isClosed) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.#lastAnswersMs)));
    await Promise.race([late, this.ended, new Promise<void>((resolve) => (this.#answered = resolve))]);
    clearTimeout(timer);
  }
}

function idIn(value: unknown): string | number | null {
  const id: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "id") : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function requestIn(params: unknown): unknown {
  return typeof params === "object" && params !== null ? Reflect.get(params, "requestId") : undefined;
}

/** Bytes into lines. A line that is too long is undefined. */
class LineReader {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Uint8Array): Generator<string | undefined> {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      this.#keep(chunk.subarray(from, end));
      yield this.#line();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** What stands behind the last line feed. */
  end(): string | undefined {
    return this.#bytes === 0 ? "" : this.#line();
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes <= this.#maxBytes) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #line(): string | undefined {
    const isTooLong = this.#bytes > this.#maxBytes;
    const line = isTooLong ? undefined : Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }
}
