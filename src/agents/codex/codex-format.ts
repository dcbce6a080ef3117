import { codexTools } from "./codex-tools.ts";
import { type Fields, recordIn, textIn } from "../../parse/json-fields.ts";
import { msOf } from "../../parse/times.ts";
import type { Format, SessionHead } from "../agent.ts";
import { hasRecord } from "../json-head.ts";
import { headOfUnits, only } from "../session-head.ts";
import { parentIn, readCodexLines } from "./codex-lines.ts";
import { codexRecord, isCodexLine } from "./codex-records.ts";

/** Session files of Codex: `rollout-*.jsonl`. */
export const codexFormat: Format = {
  name: "codex",
  lines: "json",
  tools: codexTools,
  // Some versions rewrite a file when they compact its session.
  hasStableIds: true,
  detect: (head) => hasRecord(head, isCodexLine),
  read: readCodexLines,
  head: async (start) => firstLine(new TextDecoder().decode(start)) ?? headOfUnits(readCodexLines(only(start), {})),
};

/** The instructions for the model, in the first line, are long, and come after all that matters here. */
const INSTRUCTIONS = /,"(?:base_instructions|instructions)":/;

/** Returns the head in the first line, which may be cut off; undefined if that does not have it. */
function firstLine(start: string): SessionHead | undefined {
  const [line = ""] = start.split("\n", 1);
  const [before = ""] = line.split(INSTRUCTIONS, 1);
  const record = recordIn(line) ?? recordIn(`${before}}}`);
  const meta: Fields | undefined = record && codexRecord(record)?.payload;
  const [id, cwd] = [textIn(meta?.["id"]), textIn(meta?.["cwd"])];
  if (meta === undefined || id === undefined || cwd === undefined) return undefined;
  const startedMs = msOf(textIn(meta["timestamp"]) ?? textIn(record?.["timestamp"]));
  return { sessionId: id, parentId: parentIn(meta), cwd, title: null, startedMs, isWhole: true };
}
