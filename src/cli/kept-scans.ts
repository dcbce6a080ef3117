/** Figures of sessions that the store keeps, so that only what changed has to be read. */
import { KEPT_SCANS, keptBytes, keptScan, mayBeKept, scanKey } from "../scan/kept-scan.ts";
import type { SessionSums } from "../scan/session-scan.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { storePlace } from "../store/store-place.ts";
import { StoreError } from "../store/store-error.ts";
import type { CommandContext } from "./command.ts";
import type { Scanned } from "./scan-sessions.ts";

/** Sessions whose figures are written in one go: nobody waits long for the end of a command. */
const MOST = 200;
/** Fewer are read sooner than a store is opened. */
const WORTH_BYTES = 4 * 1024 * 1024;

/** What the store keeps of these sessions as they are now. Without a store nothing; one that cannot be read is told. */
export async function keptScans(
  context: CommandContext,
  refs: readonly SessionRef[],
): Promise<Map<SessionRef, SessionSums>> {
  const kept = new Map<SessionRef, SessionSums>();
  const bytes = refs.reduce((sum, ref) => sum + (ref.bytes ?? 0), 0);
  if (bytes < WORTH_BYTES || !storePlace(context).exists) return kept;
  const { openStore } = await import("../store/open-store.ts");
  await orTell(context, "The figures that the store keeps were not used", async () => {
    const store = await openStore(context, { readOnly: true });
    try {
      const values = await store.cached(KEPT_SCANS);
      const byKey = new Map([...values.values()].map(({ key, value }) => [key, value]));
      for (const ref of refs) {
        const value = byKey.get(scanKey(ref) ?? "");
        const scan = value && (await keptScan(value, ref));
        if (scan) kept.set(ref, scan);
      }
    } finally {
      await store.close();
    }
  });
  return kept;
}

/** Gives the store the figures of sessions that it knows; not a team's, which a command that only reads leaves alone. */
export async function keepScans(context: CommandContext, scanned: readonly Scanned[]): Promise<void> {
  const place = storePlace(context);
  if (!place.exists || place.backend === "postgres") return;
  const worth = scanned.filter(({ ref }) => mayBeKept(ref, context.now().getTime())).slice(0, MOST);
  const bytes = worth.reduce((sum, { ref }) => sum + (ref.bytes ?? 0), 0);
  if (bytes < WORTH_BYTES) return;
  const { openStore } = await import("../store/open-store.ts");
  await orTell(context, "The figures were not kept in the store", async () => {
    const store = await openStore(context, { readOnly: false });
    try {
      const { createRedactor } = await import("../redact/redactor.ts");
      const redactor = createRedactor();
      const { ownSessions } = await import("../indexing/session-keys.ts");
      const byPath = new Map(ownSessions(await store.sessions(), store).map((session) => [session.path, session]));
      for (const { ref, scan } of worth) {
        const session = byPath.get(ref.path ?? "");
        const key = scanKey(ref);
        if (!session || key === undefined) continue;
        await store.writeCached(KEPT_SCANS, session.session_id, { key, value: await keptBytes(scan, redactor) });
      }
    } finally {
      await store.close();
    }
  });
}

async function orTell(context: CommandContext, what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    context.note(`${what}: ${error.message}`);
  }
}
