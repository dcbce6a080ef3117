import type { Draft } from "../draft.ts";
import type { Messages } from "./messages.ts";
import type { ItemQueue } from "./queue.ts";
import type { WrittenParts } from "./written-parts.ts";

/** What the parts of one timeline share. */
export interface Stage {
  readonly nowMs: () => number;
  /** The items whose turn has not come. */
  readonly queue: ItemQueue;
  /** What was handed out. */
  readonly written: WrittenParts;
  readonly messages: Messages;
  /** Hands drafts out, behind all earlier ones. */
  readonly emit: (drafts: readonly Draft[]) => void;
}
