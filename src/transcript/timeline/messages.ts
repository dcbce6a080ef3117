/** Messages whose facts are kept; older ones are not changed by the host any more. */
const MAX_MESSAGES = 2_000;

/** What is known of a message, as far as its entries need it. */
export interface MessageFacts {
  role?: "user" | "assistant";
  agent?: string;
  model?: string;
  createdMs?: number;
  completed?: boolean;
  aborted?: boolean;
}

/** The facts of one session's messages. */
export class Messages {
  readonly #facts = new Map<string, MessageFacts>();

  /** Whether a record named the message. */
  has(messageID: string): boolean {
    return this.#facts.has(messageID);
  }

  /** What is known of the message; may be changed, and then holds for all who ask. */
  of(messageID: string): MessageFacts {
    const known = this.#facts.get(messageID);
    if (known) return known;
    const facts: MessageFacts = {};
    this.#facts.set(messageID, facts);
    const oldest = this.#facts.size > MAX_MESSAGES ? this.#facts.keys().next().value : undefined;
    if (oldest !== undefined) this.#facts.delete(oldest);
    return facts;
  }

  /** Whether the host may still change parts of the message: it has not said that it is over. */
  isUnderWay(messageID: string): boolean {
    const facts = this.#facts.get(messageID);
    return facts?.role === "assistant" && facts.completed !== true && facts.aborted !== true;
  }
}
