import { h, type JSX } from "preact";
import { errorText } from "../calls/result-texts.ts";
import type { ParsedContentBlock, ToolStatus, TranscriptMessage } from "../parse/model.ts";
import { withoutSequences } from "../neutral-text.ts";
import { gist, oneLine } from "./excerpt.ts";
import { LongText } from "./long-text.ts";
import { ToolInput } from "./tool-input.ts";
import { answersIn, callTarget, questionsIn } from "./tool-summary.ts";
import type { View } from "./view.ts";

const MAX_NAME_CHARS = 80;
const MAX_REASON_CHARS = 240;

const ENDINGS: Record<ToolStatus, string> = {
  completed: "",
  error: "failed",
  interrupted: "interrupted",
  rejected: "rejected",
  pending: "no result",
};

interface CallProps {
  view: View;
  message: TranscriptMessage;
  block: ParsedContentBlock;
}

/** A call with its result, closed. Of a call that did not end well, the line that stays says how. */
export function CallView({ view, message, block }: CallProps): JSX.Element {
  const paired = view.outline.calls.get(block.id);
  const status = paired?.call.status ?? block.status ?? "pending";
  const anchor = view.anchors.block(message.ordinal, block.block_order);
  return h(
    "details",
    { class: `call ${status}` },
    h(
      "summary",
      null,
      h("span", { class: "tool" }, nameOf(block.tool_name)),
      h("span", { class: "target" }, callTarget(block.tool_input, message.cwd ?? view.session.metadata.cwd)),
      h(Ending, { status, error: paired?.call.error ?? null }),
      questionsIn(block.tool_input).length === 0 || status !== "completed"
        ? null
        : h("span", { class: "ending reasoned" }, gist(answersIn(paired?.call.result_text ?? ""), MAX_REASON_CHARS)),
    ),
    // The name is on what is closed, not on the element that closes: browsers open what a link leads into.
    h(
      "div",
      { class: "inside", id: anchor },
      h(ToolInput, { input: block.tool_input, line: block.line_number }),
      paired?.result
        ? h(PairedResult, { view, block: paired.result, ordinal: paired.call.result?.message_ordinal })
        : null,
      h("p", { class: "reference" }, h("a", { href: `#${anchor}` }, `#${anchor}`), idNote(block.tool_use_id)),
    ),
  );
}

function nameOf(name: string | null): string {
  return oneLine(name ?? "", MAX_NAME_CHARS) || "(no name)";
}

function idNote(id: string | null): string | null {
  return id === null ? null : ` ${oneLine(id, MAX_NAME_CHARS)}`;
}

function Ending({ status, error }: { status: ToolStatus; error: string | null }): JSX.Element | null {
  if (status === "completed") return null;
  const reason = status === "error" && error !== null ? gist(withoutSequences(error), MAX_REASON_CHARS) : "";
  return h(
    "span",
    { class: reason === "" ? "ending" : "ending reasoned" },
    h("strong", null, ENDINGS[status]),
    reason === "" ? null : ` ${reason}`,
  );
}

interface ResultProps {
  view: View;
  block: ParsedContentBlock;
  ordinal?: number | undefined;
}

/** The message that brought the result has no other place in the page, so its name is here. */
function PairedResult({ view, block, ordinal }: ResultProps): JSX.Element {
  const isPlace = ordinal !== undefined && view.outline.emptied.has(ordinal);
  const id = isPlace ? view.anchors.claimMessage({ ordinal }) : undefined;
  return h("div", id === undefined ? { class: "result" } : { class: "result", id }, h(ResultText, { block }));
}

function ResultText({ block }: { block: ParsedContentBlock }): JSX.Element {
  const text = block.status === "error" ? errorText(block.result_text ?? "") : (block.result_text ?? "");
  const { images, persisted_output_path: path, truncated } = block.metadata;
  const isCut = truncated === true;
  return h(
    "div",
    null,
    text === ""
      ? h("p", { class: "note" }, "No output.")
      : [h("p", { class: "label" }, "output"), h(LongText, { text, line: block.line_number, kind: "output", isCut })],
    typeof images === "number" ? h("p", { class: "note" }, "Images of this result are not kept in this page.") : null,
    typeof path === "string" ? h("p", { class: "note" }, `The whole output was kept in ${oneLine(path, 400)}`) : null,
  );
}

/** A result of which the call is not there. */
export function LoneResult({ block }: { block: ParsedContentBlock }): JSX.Element {
  const status = block.status ?? (block.is_error === true ? "error" : "completed");
  const error = block.result_text === null ? null : errorText(block.result_text);
  return h(
    "details",
    { class: `call ${status}` },
    h(
      "summary",
      null,
      h("span", { class: "tool" }, "Result without its call"),
      h("span", { class: "target" }, idNote(block.tool_result_id)),
      h(Ending, { status, error }),
    ),
    h("div", { class: "inside" }, h(ResultText, { block })),
  );
}
