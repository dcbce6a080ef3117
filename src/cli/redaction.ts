/**
 * What commands print of sessions is redacted, wherever it comes from, unless `--no-redact` is given. Whole values are
 * redacted, before they are cut to size. Paths of session files stay: they are what the next command is given.
 */
import type { ParseResult } from "../parse/model.ts";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandOptions } from "./command.ts";

/** Undefined with `--no-redact`. */
export function redactorFor(options: CommandOptions): Redactor | undefined {
  if (!isRedacted(options)) return undefined;
  let loaded: Promise<Redactor> | undefined;
  // Loaded with the first text: many a command has none.
  const load = async (): Promise<Redactor> => (await import("../redact/redactor.ts")).createRedactor();
  return { redact: async (inputs) => (inputs.length === 0 ? [] : (await (loaded ??= load())).redact(inputs)) };
}

export function isRedacted(options: CommandOptions): boolean {
  return options["redact"] !== false;
}

/** Rows of any shape; what names files stays, see above. */
export async function redactedRows<Row extends object>(
  redactor: Redactor | undefined,
  rows: readonly Row[],
): Promise<Row[]> {
  if (redactor === undefined) return [...rows];
  const parts = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !KEPT.has(name))));
  const results = await redactJson(redactor, parts);
  return rows.map((row, at) => Object.assign({ ...row }, results[at]?.value));
}

/** A passage was redacted before it was cut, and the places of its matches count in it. */
const KEPT = new Set(["path", "database", "open", "passage"]);

export async function redactedRow<Row extends object>(redactor: Redactor | undefined, row: Row): Promise<Row> {
  const [redacted = row] = await redactedRows(redactor, [row]);
  return redacted;
}

/** The session with a title and a project that can be shown. */
export async function shownRef(redactor: Redactor | undefined, ref: SessionRef): Promise<SessionRef> {
  const { title, project, projectLabel } = ref;
  return { ...ref, ...(await redactedRow(redactor, { title, project, projectLabel })) };
}

export async function redactedResult(redactor: Redactor | undefined, result: ParseResult): Promise<ParseResult> {
  if (redactor === undefined) return result;
  const { redactResult } = await import("../parse/redact-rows.ts");
  return redactResult(result, redactor);
}
