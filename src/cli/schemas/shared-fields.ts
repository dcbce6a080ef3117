import { z } from "zod";

/**
 * Version of `--json` outputs: the first key of every object, single or one per line, except for `errors`, whose three keys
 * are an older contract. New keys do not raise it; a removed or changed key does.
 */
export const JSON_VERSION = 1;

export const version = z.literal(JSON_VERSION).describe("Version of this schema.");

export const text = z.string().nullable();
export const count = z.number().nullable();
/** Files or folders, each with the reason why it is not part of the result. */
export const reasons = z.array(z.strictObject({ path: z.string(), reason: z.string() }));
export const costIsEstimate = z
  .boolean()
  .describe(
    "The host recorded a cost of 0 for some answers, as with a subscription; their cost is from the price table.",
  );
