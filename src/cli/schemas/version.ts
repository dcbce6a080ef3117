import { z } from "zod";

/**
 * Version of what `--json` prints. Every object has it as its first key, be it the only one or one of many lines; only
 * `errors` has not, whose three keys are an older contract. New keys do not raise it; a key that goes or changes does.
 */
export const JSON_VERSION = 1;

export const version = z.literal(JSON_VERSION).describe("Version of this shape.");
