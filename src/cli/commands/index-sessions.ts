/** `transcripts index` */
import { counted } from "../../html/quantities.ts";
import { updateIndex, type IndexReport } from "../../indexing/update-index.ts";
import { openStore, storePlace } from "../../store/open-store.ts";
import type { CommandContext, CommandOptions, ExitCode, Progress } from "../command.ts";
import { flag, integer } from "../option-values.ts";
import { printObject } from "../output.ts";
import type { IndexResult } from "../schemas/index-sessions.ts";

export async function run(
  context: CommandContext,
  _args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const down = integer(options, "down");
  if (down !== undefined) {
    const { takeBack } = await import("../take-back.ts");
    return takeBack(context, down, { isSure: flag(options, "yes"), isJson: flag(options, "json") });
  }
  const prune = flag(options, "prune") && (flag(options, "yes") ? "all" : true);
  const report = await indexed(context, { rebuild: flag(options, "rebuild"), prune });
  for (const { path, reason } of report.unreadable) context.note(`not read: ${path}: ${reason}`);
  context.note(scopeLine(report));
  if (flag(options, "json")) {
    const { place: store } = storePlace(context);
    await printObject(context, { version: 1, store, ...report, migrations: null } satisfies IndexResult);
  }
  return report.sessions > 0 ? 0 : 1;
}

async function indexed(
  context: CommandContext,
  options: { rebuild: boolean; prune: boolean | "all" },
): Promise<IndexReport> {
  const store = await openStore(context);
  let progress: Progress | undefined;
  let shown = 0;
  try {
    return await updateIndex(store, context, {
      ...options,
      signal: context.signal,
      onProgress: ({ done, total }) => {
        progress ??= context.progress(total, "sessions");
        progress.advance(done - shown);
        shown = done;
      },
    });
  } finally {
    progress?.end();
    await store.close();
  }
}

function scopeLine(report: IndexReport): string {
  const { sessions, changed, unchanged, gone, pruned, unreadable, events, bytes } = report;
  const left = gone - pruned;
  const missing = [
    ...(pruned === 0 ? [] : [`${pruned} gone and forgotten`]),
    ...(left === 0 ? [] : [`${left} gone (kept; --prune forgets them)`]),
  ];
  if (sessions === 0) {
    return ["no sessions found; `transcripts doctor` shows where they are looked for", ...missing].join("; ");
  }
  const counts = [
    `${report.new} new`,
    `${changed} changed`,
    `${unchanged} unchanged`,
    ...missing,
    `${unreadable.length} unreadable`,
  ];
  const megabytes = (bytes / 1e6).toFixed(1);
  return `indexed ${counted(sessions, "session")}: ${counts.join(", ")}; ${counted(events, "event")} from ${megabytes} MB`;
}
