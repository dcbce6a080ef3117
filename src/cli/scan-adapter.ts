/** Until `src/scan` has `scanSession`: the whole parse. */
import { parseTranscript } from "../parse/parse-transcript.ts";
import { openSession } from "../sessions/open-session.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { type SessionScan, usageRecords } from "../scan/session-scan.ts";
import { quickScan } from "../scan/quick-scan.ts";
import { catalogPricing } from "../parse/pricing.ts";
import type { CommandContext } from "./command.ts";
import { readOptions } from "./session-input.ts";

export async function scanSession(context: CommandContext, ref: SessionRef): Promise<SessionScan> {
  const quick = ref.path !== null && ref.bytes !== null ? quickScan(ref.path, await catalogPricing()) : undefined;
  if (quick) return quick;
  const result = await parseTranscript(ref.id, openSession(ref, { stdin: context.stdin }), readOptions(context, ref));
  return { ...result, error_count: result.errors.length, usage: usageRecords(result.messages) };
}
