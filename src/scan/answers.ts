/** The answers of a session, each put together from its pieces, without blocks. */
import type { MessageDraft, SourceUnit } from "../parse/draft.ts";

export class Answers {
  readonly #inOrder: MessageDraft[] = [];
  readonly #byId = new Map<string, MessageDraft>();

  /** An answer, or a further piece of one. Takes the draft over. */
  add(piece: MessageDraft): void {
    const { sourceId } = piece;
    const whole = sourceId === undefined ? undefined : this.#byId.get(sourceId);
    if (whole) {
      extend(whole, piece);
      return;
    }
    this.#inOrder.push(piece);
    if (sourceId !== undefined) this.#byId.set(sourceId, piece);
  }

  /** As one unit that covers no line. */
  unit(): SourceUnit {
    return { line: 0, offset: 0, lines: 0, outcome: { as: "used" }, messages: this.#inOrder, problems: [] };
  }
}

/** As `MessageBuilder` does it with rows. */
function extend(whole: MessageDraft, piece: MessageDraft): void {
  const metadata = (whole.metadata ??= {});
  let isLowerBound = metadata.tokens_out_is_lower_bound;
  if (piece.model !== undefined) whole.model ??= piece.model;
  if (piece.timestamp !== undefined) whole.timestamp ??= piece.timestamp;
  if (piece.usage && (!whole.usage || piece.usage.tokensOut >= whole.usage.tokensOut)) {
    whole.usage = piece.usage;
    isLowerBound = piece.metadata?.tokens_out_is_lower_bound;
  }
  if (piece.costUsd !== undefined) whole.costUsd = Math.max(piece.costUsd, whole.costUsd ?? 0);
  Object.assign(metadata, piece.metadata);
  if (isLowerBound !== true || metadata.stop_reason !== undefined) delete metadata.tokens_out_is_lower_bound;
}
