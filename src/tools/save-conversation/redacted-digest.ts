import type { Redaction } from "../../transcript/preparation.ts";
import type { Digest } from "./digest.ts";

/** What stands where a secret stood if redaction gave no text back. */
const NOTHING = "[REDACTED]";

/**
 * A digest without secrets. A transcript is redacted already, unless it was begun when redaction was off;
 * redacting twice changes nothing.
 */
export async function redactedDigest(digest: Digest, redaction: Redaction): Promise<Digest> {
  const { title, lastTexts, hostSummary, prompts, errors, files } = digest;
  const texts = async (values: readonly string[]): Promise<string[]> =>
    (await redaction.values(values)).map((value) => (typeof value === "string" ? value : NOTHING));
  const text = (value: string | undefined): Promise<string> | undefined =>
    value === undefined ? undefined : redaction.text(value);
  const messages = await texts(errors.map(({ message }) => message));
  const paths = await texts(files.map(({ path }) => path));
  return {
    ...digest,
    title: await text(title),
    lastTexts: await texts(lastTexts),
    hostSummary: await text(hostSummary),
    prompts: await texts(prompts),
    errors: errors.map((error, at) => ({ ...error, message: messages[at] ?? NOTHING })),
    files: files.map((file, at) => ({ ...file, path: paths[at] ?? NOTHING })),
  };
}
