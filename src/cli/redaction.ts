/**
 * Redacts everything that commands print of sessions, from any agent, unless `--no-redact` is given. Values are redacted
 * before they are cut. Paths of session files are not redacted, because the next command needs them.
 */
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import { refTitle, type SessionRef } from "../places/session-ref.ts";

/** Undefined with `--no-redact`. */
export function redactorFor({ redact = true }: { redact?: boolean } = {}): Redactor | undefined {
  return redact ? lazyRedactor : undefined;
}

/** Is loaded with the first text, since many commands have none. */
const lazyRedactor: Redactor = {
  redact: async (inputs) => {
    if (inputs.length === 0) return [];
    const { createRedactor } = await import("../redact/redactor.ts");
    return createRedactor().redact(inputs);
  },
};

/** Redacts rows of any shape, except paths of session files. */
export async function redactedRows<Row extends object>(
  redactor: Redactor | undefined,
  rows: readonly Row[],
): Promise<Row[]> {
  if (redactor === undefined) return [...rows];
  const parts = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !KEPT.has(name))));
  const results = await redactJson(redactor, parts);
  return rows.map((row, at) => Object.assign({ ...row }, results[at]?.value));
}

/** Passages are not redacted again: they were redacted before they were cut, and the positions of matches refer to them. */
const KEPT = new Set(["path", "database", "open", "resume", "passage"]);

export async function redactedRow<Row extends object>(redactor: Redactor | undefined, row: Row): Promise<Row> {
  const [redacted = row] = await redactedRows(redactor, [row]);
  return redacted;
}

/** Redacts title and project of a session. */
export async function shownRef(redactor: Redactor | undefined, ref: SessionRef): Promise<SessionRef> {
  const { project, projectLabel } = ref;
  const title = refTitle(ref);
  return { ...ref, ...(await redactedRow(redactor, { title, project, projectLabel })) };
}
