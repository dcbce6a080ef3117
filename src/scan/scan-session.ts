/** The figures of one session, got the quickest way there is. */
import { parseTranscript } from "../parse/parse-transcript.ts";
import { catalogPricing, flatPricing, type Pricing } from "../parse/pricing.ts";
import { cannotOpen, openSession } from "../sessions/open-session.ts";
import { outputReader } from "../sessions/output-reader.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { quickScan } from "./quick-scan.ts";
import { type SessionScan, usageRecords } from "./session-scan.ts";

export interface ScanOptions {
  /** See `ParseOptions`. */
  pricing?: "catalog" | "flat" | Pricing;
}

/**
 * What `parseTranscript` says of a session, without its rows. Session files of Claude Code are not parsed for it: see
 * `quickScan`. Standard input cannot be scanned. Rejects with a `SessionError` if the session cannot be read.
 */
export async function scanSession(ref: SessionRef, { pricing = "catalog" }: ScanOptions = {}): Promise<SessionScan> {
  const prices = await pricingOf(pricing);
  return quickly(ref, prices) ?? wholly(ref, prices);
}

async function pricingOf(pricing: "catalog" | "flat" | Pricing): Promise<Pricing> {
  if (typeof pricing === "function") return pricing;
  return pricing === "flat" ? flatPricing : catalogPricing();
}

function quickly(ref: SessionRef, pricing: Pricing): SessionScan | undefined {
  // What has no size, as a pipe, can be read only once.
  if (ref.path === null || ref.bytes === null || ref.source === "transcript") return undefined;
  try {
    return quickScan(ref.path, pricing);
  } catch (error) {
    throw cannotOpen(ref, error);
  }
}

async function wholly(ref: SessionRef, pricing: Pricing): Promise<SessionScan> {
  const readOutput = outputReader(ref);
  const options = readOutput === undefined ? { pricing } : { pricing, readOutput };
  const { source, stats, metadata, lines, errors, messages } = await parseTranscript(ref.id, openSession(ref), options);
  return { source, stats, metadata, lines, error_count: errors.length, usage: usageRecords(messages) };
}
