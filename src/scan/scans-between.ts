/** What of sessions was said in a time. */
import type { ParseOptions } from "../parse/options.ts";
import { catalogPricing } from "../parse/pricing.ts";
import { isReadFault } from "../sessions/read-fault.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { ScannedSession } from "./scan-sessions.ts";
import { sessionSums, type SessionSums } from "./session-scan.ts";

type Between = NonNullable<ParseOptions["between"]>;

/**
 * What was said between two times, of those sessions in which something was. One that went on over either of them is
 * read anew, since its figures do not say when what was said.
 */
export async function scansBetween(
  scanned: readonly ScannedSession[],
  between: Between,
  signal: AbortSignal,
): Promise<ScannedSession[]> {
  const inside: ScannedSession[] = [];
  for (const each of scanned) {
    signal.throwIfAborted();
    const part = each.scan === null ? each : await partBetween(each.ref, each.scan, between);
    if (part !== undefined) inside.push(part);
  }
  return inside;
}

async function partBetween(ref: SessionRef, scan: SessionSums, between: Between): Promise<ScannedSession | undefined> {
  const first = timeOf(scan.metadata.firstTimestamp);
  const last = timeOf(scan.metadata.lastTimestamp);
  const since = between.since?.getTime() ?? Number.NEGATIVE_INFINITY;
  const until = between.until?.getTime() ?? Number.POSITIVE_INFINITY;
  if (first === null || last === null || last < since || first >= until) return undefined;
  if (first >= since && last < until) return { ref, scan, problem: null };
  const { wholeScan } = await import("./whole-scan.ts");
  try {
    const part = await wholeScan(ref, await catalogPricing(), scan.agentProgress ?? false, between);
    if (part.stats.total_messages === 0) return undefined;
    return { ref, scan: sessionSums(part, scan.agentProgress), problem: null };
  } catch (error) {
    if (!isReadFault(error)) throw error;
    return { ref, scan: null, problem: error.message };
  }
}

function timeOf(time: string | null): number | null {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : ms;
}
