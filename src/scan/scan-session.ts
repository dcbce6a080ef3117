/** The figures of one session, got the quickest way there is. */
import { catalogPricing, flatPricing, type Pricing } from "../parse/pricing.ts";
import { needsAgentProgress } from "../sessions/agent-progress.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { quickScan } from "./quick-scan.ts";
import type { SessionScan } from "./session-scan.ts";

export interface ScanOptions {
  /** See `ParseOptions`. */
  pricing?: "catalog" | "flat" | Pricing;
}

/**
 * What `parseTranscript` says of a session, without its rows. Session files of Claude Code are not parsed for it (see
 * `quickScan`), but for those that alone tell of their subagents: they are read with `agentProgress`. Standard input cannot be scanned. Rejects with a `SessionError` if the session cannot be read.
 */
export async function scanSession(ref: SessionRef, options: ScanOptions = {}): Promise<SessionScan> {
  return (await scanAlone(ref, options)).scan;
}

export interface LoneScan {
  scan: SessionScan;
  /** What `needsAgentProgress` said, whose answer depends on other files; null if it was not asked. */
  agentProgress: boolean | null;
}

/** As `scanSession`. */
export async function scanAlone(ref: SessionRef, { pricing = "catalog" }: ScanOptions = {}): Promise<LoneScan> {
  const prices = await pricingOf(pricing);
  let hasAgentProgress = false;
  const scan = await quickly(ref, prices, () => (hasAgentProgress = true));
  if (scan && !hasAgentProgress) return { scan, agentProgress: null };
  const agentProgress = await needsAgentProgress(ref);
  if (scan && !agentProgress) return { scan, agentProgress };
  // Loading it takes as long as scanning many a session.
  const { wholeScan } = await import("./whole-scan.ts");
  return { scan: await wholeScan(ref, prices, agentProgress), agentProgress };
}

async function pricingOf(pricing: "catalog" | "flat" | Pricing): Promise<Pricing> {
  if (typeof pricing === "function") return pricing;
  return pricing === "flat" ? flatPricing : catalogPricing();
}

async function quickly(
  ref: SessionRef,
  pricing: Pricing,
  onAgentProgress: () => void,
): Promise<SessionScan | undefined> {
  // What has no size, as a pipe, can be read only once.
  if (ref.path === null || ref.bytes === null || ref.source === "transcript") return undefined;
  try {
    return quickScan(ref.path, pricing, onAgentProgress);
  } catch (error) {
    const { cannotOpen } = await import("../sessions/open-session.ts");
    throw cannotOpen(ref, error);
  }
}
