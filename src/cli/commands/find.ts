/** `transcripts find` */
import { storePlace } from "../../store/store-place.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import { findByIndex } from "../find-indexed.ts";
import { findRequest } from "../find-query.ts";
import { flag } from "../option-values.ts";

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const request = findRequest(context, args, options);
  const isScan = flag(options, "scan");
  const hasIndex = storePlace(context).exists;
  if (request.isWords && (isScan || !hasIndex)) {
    const problem = isScan ? "--words needs the index, which --scan leaves alone." : "--words needs an index.";
    throw new CliError(problem, isScan ? "Give one of them." : "Run `transcripts index`, which makes it.");
  }
  if (hasIndex && !isScan) {
    return findByIndex(context, request);
  }
  const { findByScan } = await import("../find-scan.ts");
  return findByScan(context, request, hasIndex);
}
