/** Names the page that shows the answer of a command, if a server of this user runs. */
import { dirname } from "node:path";
import type { SessionRef } from "../places/session-ref.ts";
import { databaseFile } from "../store/store-place.ts";
import { configuredFolder } from "../user-folders.ts";
import type * as addresses from "../render/html/pages/addresses.ts";
import type { CommandContext } from "./context.ts";

type Addresses = typeof addresses;

/** Writes a note with the address of a page; on a terminal only. */
export async function notePage(context: CommandContext, address: (of: Addresses) => string): Promise<void> {
  if (!context.isTerminal) return;
  const { serverOrigin } = await import("../web/known-server.ts");
  const origin = serverOrigin(dirname(databaseFile(context)));
  if (origin !== undefined)
    context.note(`page: ${origin}/${address(await import("../render/html/pages/addresses.ts"))}`);
}

/** Names the page of a session. A file outside the agents' folders has none. */
export async function noteSessionPage(context: CommandContext, { id, place, archived }: SessionRef): Promise<void> {
  if (place === "file") return;
  await notePage(context, ({ sessionAddress }) => sessionAddress(archived?.sessionId ?? id));
}

/** Returns the folder that --project names, or the name of a project unchanged. */
export function projectFolder({ cwd, home }: Pick<CommandContext, "cwd" | "home">, project: string): string {
  return /[\\/]|^[.~]/.test(project) ? configuredFolder(cwd, project, home) : project;
}

export interface ListFilters {
  text?: string | undefined;
  agent?: string | undefined;
  project?: string | undefined;
  tool?: string | undefined;
  model?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  tag?: readonly string[] | undefined;
}

/** Names the list of sessions, or of what was found, with the filters of a command. */
export async function noteListPage(context: CommandContext, { tag, project, ...filters }: ListFilters): Promise<void> {
  // The page has one tag.
  if (tag !== undefined && tag.length > 1) return;
  const folder = project === undefined ? undefined : projectFolder(context, project);
  const asked = Object.entries({ ...filters, project: folder, tag: tag?.[0] });
  const query = new URLSearchParams(asked.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  await notePage(context, ({ sessionsAddress }) => sessionsAddress() + (query.size === 0 ? "" : `?${query}`));
}
