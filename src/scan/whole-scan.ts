/** The figures of a session of any source. */
import { parseTranscript } from "../parse/parse-transcript.ts";
import type { ParseOptions } from "../parse/options.ts";
import type { Pricing } from "../parse/pricing.ts";
import { openReadable } from "../sessions/open-session.ts";
import { outputReader } from "../sessions/output-reader.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { type SessionScan, usageRecords } from "./session-scan.ts";

/** By parsing all of it; for `agentProgress` and `between` see `ParseOptions`. Rejects with a `SessionError` if the session cannot be read. */
export async function wholeScan(
  ref: SessionRef,
  pricing: Pricing,
  agentProgress: boolean,
  between?: ParseOptions["between"],
): Promise<SessionScan> {
  const readOutput = outputReader(ref);
  const options = {
    pricing,
    agentProgress,
    ...(between === undefined ? {} : { between }),
    ...(readOutput === undefined ? {} : { readOutput }),
  };
  const { source, stats, metadata, lines, errors, messages } = await parseTranscript(
    ref.id,
    openReadable(ref),
    options,
  );
  return { source, stats, metadata, lines, error_count: errors.length, usage: usageRecords(messages) };
}
