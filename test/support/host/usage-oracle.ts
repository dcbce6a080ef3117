/** Compares the tokens and costs in a transcript with those of the export's model calls. */
import type { TokenCounts, TranscriptEntry } from "../../../src/transcript/format/entry-types.ts";
import { field } from "./fields.ts";
import type { ExportedSession } from "./export.ts";

interface Usage {
  input: number;
  output: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}

/**
 * The first difference, or undefined: every finished model call is counted once, with its tokens and its cost.
 * Calls of messages that the export no longer has (reverted ones) are passed over.
 */
export function compareUsage(session: ExportedSession, entries: readonly TranscriptEntry[]): string | undefined {
  const expected = session.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "step-finish"));
  const messageIDs = new Set(session.messages.map(({ info }) => info.id));
  const found = entries
    .filter(({ messageID }) => messageID === undefined || messageIDs.has(messageID))
    .flatMap(usageOf);
  if (expected.length !== found.length) return `${expected.length} model calls, but ${found.length} usages`;
  for (const [index, part] of expected.entries()) {
    const wanted = JSON.stringify(exportedUsage(part));
    const given = JSON.stringify(found[index]);
    if (wanted !== given) return `usage ${index + 1} (${part.id}): expected ${wanted}, found ${given}`;
  }
  return undefined;
}

function usageOf(entry: TranscriptEntry): Usage[] {
  if (entry.type !== "session_event" || entry.name !== "usage") return [];
  return [usage(field(entry.data, "tokens"), field(entry.data, "cost"))];
}

function exportedUsage(part: Readonly<Record<string, unknown>>): Usage {
  const tokens = part["tokens"];
  const cache = field(tokens, "cache");
  return usage(
    {
      input: field(tokens, "input"),
      output: field(tokens, "output"),
      reasoning: field(tokens, "reasoning"),
      cacheRead: field(cache, "read"),
      cacheWrite: field(cache, "write"),
    },
    part["cost"],
  );
}

function usage(tokens: unknown, cost: unknown): Usage {
  const count = (name: keyof TokenCounts): number => Number(field(tokens, name) ?? 0);
  return {
    input: count("input"),
    output: count("output"),
    reasoning: count("reasoning"),
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
    cost: Number(cost ?? 0),
  };
}
