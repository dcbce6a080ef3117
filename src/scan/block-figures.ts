/** What the blocks of a session add up to, and whether any of them may be a repeat. */
import { Digest } from "../parse/digest.ts";
import type { BlockDraft, MessageDraft } from "../parse/draft.ts";
import type { BlockType, ToolStatus, TranscriptStats } from "../parse/model.ts";
import { SeenSet } from "../parse/fingerprint.ts";
import { CallFigures } from "./call-figures.ts";

const KINDS: readonly (BlockType | "line")[] = [
  ...(["line", "tool_use", "tool_result", "text", "thinking", "redacted_thinking"] as const),
  ...(["image", "document", "unknown"] as const),
];

export class BlockFigures {
  readonly #calls = new CallFigures();
  readonly #thinking = { thinking_blocks: 0, withheld_thinking_blocks: 0 };
  /** What repeats would be known by (see `Source.repeats`): names of lines, and by type of block those of blocks. */
  readonly #said = new SeenSet();
  readonly #digest = new Digest();
  /** A name came again. Whether that is a repeat, which does not count, only the whole parse can tell. */
  hasRepeats = false;

  /** Of a message that was read whole. */
  add({ type, toolUseId, toolName, status = "completed", metadata }: BlockDraft, message: MessageDraft): void {
    const { uuid, sourceId } = message;
    if (type === "tool_use") this.addCall(toolUseId, toolName, uuid, sourceId);
    else if (type !== "tool_result") this.addPiece(type, metadata?.withheld === true, sourceId);
    else {
      if (toolUseId === undefined) this.#note(type, sourceId);
      this.addResult(toolUseId, status, message.metadata?.source_tool_assistant_uuid);
    }
  }

  /** `line` is the uuid of the line that the call stands on, `sourceId` its message's. */
  addCall(
    id: string | undefined,
    tool: string | undefined,
    line: string | undefined,
    sourceId: string | undefined,
  ): void {
    this.#note("tool_use", id ?? sourceId);
    this.#calls.begin(id, tool ?? "", line);
  }

  /** `line` is the uuid of the line that the result names for its call. */
  addResult(id: string | undefined, status: ToolStatus, line: string | undefined): void {
    this.#note("tool_result", id);
    this.#calls.end(id, status, line);
  }

  /** Any other block. */
  addPiece(type: BlockType, isWithheld: boolean, sourceId: string | undefined): void {
    this.#note(type, sourceId);
    if (type !== "thinking" && type !== "redacted_thinking") return;
    this.#thinking.thinking_blocks += 1;
    if (isWithheld) this.#thinking.withheld_thinking_blocks += 1;
  }

  addLine(uuid: string | undefined): void {
    this.#note("line", uuid);
  }

  #note(type: BlockType | "line", name: string | undefined): void {
    if (name === undefined) return;
    const { first, second } = this.#digest.begin(KINDS.indexOf(type)).text(name);
    if (!this.#said.addHashes(first, second)) this.hasRepeats = true;
  }

  /** Undefined if only the whole parse can tell. */
  stats(): Partial<TranscriptStats> | undefined {
    const calls = this.#calls.ended();
    return this.hasRepeats || !calls ? undefined : { ...calls, ...this.#thinking };
  }
}
