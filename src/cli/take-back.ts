/** `transcripts index --down`: takes back migrations of the database, after saying what is lost. */
import { migrateStore, storePlace, storeVersion } from "../store/open-store.ts";
import { MIGRATIONS } from "../store/migrations/index.ts";
import { CliError, type CommandContext, type ExitCode } from "./command.ts";
import { confirmed } from "./confirm.ts";
import { printObject } from "./output.ts";
import type { IndexResult } from "./schemas/index-sessions.ts";

export interface TakeBackOptions {
  /** Does not ask. */
  isSure: boolean;
  isJson: boolean;
}

export async function takeBack(context: CommandContext, count: number, options: TakeBackOptions): Promise<ExitCode> {
  const { place, exists } = storePlace(context);
  const version = exists ? await storeVersion(context) : 0;
  if (version === 0) {
    context.note(`there is no index to take back at ${place}`);
    return 1;
  }
  if (count > version) {
    throw new CliError(
      `The index is at version ${version}, so ${count} steps cannot be taken back.`,
      `Give --down ${version} or less.`,
    );
  }
  const target = version - count;
  if (!options.isSure && !(await confirmed(context, warning(place, version, target)))) {
    context.note("nothing was changed");
    return 1;
  }
  const migrations = await migrateStore(context, target);
  context.note(
    `the index is at version ${migrations.to} now, it was at ${migrations.from}; \`transcripts index\` brings it back`,
  );
  if (options.isJson) await printObject(context, { ...NOTHING, store: place, migrations } satisfies IndexResult);
  return 0;
}

const NOTHING = {
  version: 1 as const,
  sessions: 0,
  new: 0,
  changed: 0,
  unchanged: 0,
  gone: 0,
  pruned: 0,
  unreadable: [],
  events: 0,
  bytes: 0,
};

/** Of what is lost only snippets exist nowhere else. */
function warning(place: string, version: number, target: number): string {
  const names = MIGRATIONS.filter((migration) => migration.version > target && migration.version <= version);
  const steps = names.map((migration) => migration.name).toReversed();
  const losses = target < 2 ? "all snippets are lost, and what is indexed" : "what these hold is lost";
  const again = target < 2 ? "Only the index can be made anew." : "It is made again by the next `transcripts index`.";
  return `This takes ${place} back from version ${version} to ${target} (${steps.join(", ")}): ${losses}. ${again}`;
}
