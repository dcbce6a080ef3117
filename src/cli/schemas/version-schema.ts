import { z } from "zod";

/**
 * Version of `--json` outputs: the first key of every object, single or one per line, except for `errors`, whose three keys
 * are an older contract. New keys do not raise it; a removed or changed key does.
 */
export const JSON_VERSION = 1;

export const version = z.literal(JSON_VERSION).describe("Version of this schema.");
