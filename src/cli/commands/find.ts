/** `transcripts find` */
import { storePlace } from "../../store/store-place.ts";
import type { CommandContext, CommandOptions, ExitCode } from "../command.ts";
import { findByIndex } from "../find-indexed.ts";
import { findRequest } from "../find-query.ts";
import { isRedacted } from "../redaction.ts";
import { flag } from "../option-values.ts";

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const request = findRequest(context, args, options);
  const hasIndex = storePlace(context).exists;
  if (hasIndex && !flag(options, "scan") && isRedacted(options)) return findByIndex(context, request);
  const { findByScan } = await import("../find-scan.ts");
  return findByScan(context, request, hasIndex);
}
