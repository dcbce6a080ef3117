import type { TranscriptMessage } from "../parse/model.ts";
import type { Clock } from "./clock.ts";
import type { Outline } from "./outline.ts";
import type { PageSession } from "./page-session.ts";

/** What the parts of a page need to know of the session that they show. */
export interface View {
  session: PageSession;
  outline: Outline;
  clock: Clock;
  anchors: Anchors;
}

/**
 * Names of places in the page. They are made of ordinals, so that a link stays right when the session grows:
 * `m12` is the message, `m12b1` its second block, `s1` the first subagent's session, `s1-m3` a message in it.
 */
export class Anchors {
  readonly #prefix: string;
  readonly #given = new Set<number>();

  constructor(prefix = "") {
    this.#prefix = prefix;
  }

  message({ ordinal }: Pick<TranscriptMessage, "ordinal">): string {
    return `${this.#prefix}m${ordinal}`;
  }

  /** The same, but undefined after the first time: a message may be shown in pieces, and a name stands in a page once. */
  claimMessage(message: Pick<TranscriptMessage, "ordinal">): string | undefined {
    if (this.#given.has(message.ordinal)) return undefined;
    this.#given.add(message.ordinal);
    return this.message(message);
  }

  block(ordinal: number, order: number): string {
    return `${this.#prefix}m${ordinal}b${order}`;
  }

  session(index: number): string {
    return `${this.#prefix}s${index + 1}`;
  }

  /** For the places within a subagent's session. */
  within(index: number): Anchors {
    return new Anchors(`${this.session(index)}-`);
  }
}
