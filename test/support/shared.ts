/** Test data beside the repository: an extra, whose tests are skipped where it is missing or `TEST_SHARED=none` hides it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./repository.ts";

const SHARED = join(REPOSITORY, "../shared");

/** Reason to skip a test whose data is there. */
export const NO_SHARED = "no ../shared";

/** Path of a file or folder of `../shared`; undefined if it is not there. */
export function shared(path: string): string | undefined {
  const full = join(SHARED, path);
  return process.env["TEST_SHARED"] !== "none" && existsSync(full) ? full : undefined;
}
