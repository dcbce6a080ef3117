/** `transcripts serve` */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { createCommand, runnable, team, wholeNumber } from "../command.ts";
import { dirname, join } from "node:path";
import { reasonOf } from "../../places/reasons.ts";
import { databaseFile } from "../../store/store-place.ts";
import type { Place, Where } from "../../places/session-ref.ts";
import { openStoreInMemory, openStoreToAsk } from "../../store/open-store.ts";
import type { CommandContext } from "../context.ts";
import { openPages } from "../open-pages.ts";
import { openFile } from "../terminal/open-file.ts";

const definition = createCommand("serve", {
  description:
    "Prints an address that works once, in one browser. Only this machine can connect. " +
    "Secrets are redacted. The server ends with Ctrl-C, or after 30 minutes without a request.",
  examples: {
    "transcripts serve --open": "Starts the server, and opens the browser.",
    "transcripts serve --port 4040": "Uses a fixed port.",
    "transcripts serve --demo --open": "Shows two example sessions.",
  },
})
  .option("--port <n>", "Port to listen on. Default: a free one.", portNumber)
  .option("--open", "Opens the browser.")
  .option("--demo", "Shows the example sessions of this package, and nothing of yours.")
  .addOption(team);

function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`Give a number up to ${MAX_PORT}.`);
}

const MAX_PORT = 65_535;
const IDLE_MS = 30 * 60_000;
/** Time that the link waits for the sessions of an empty store. */
const FILL_MS = 400;

export const command = runnable(definition, async (context, _args, options) => {
  const { startServer } = await import("../../web/server.ts");
  const { signal } = context;
  const onError = (error: unknown): void => context.note(error instanceof Error ? error.message : String(error));
  const { env, home, cwd } = context;
  const where: Where = options.demo ? { env, home, cwd, roots: examples(context) } : context;
  const store = await (options.demo ? openStoreInMemory(context) : openStoreToAsk(context));
  let takeBack = (): void => undefined;
  try {
    const { refresh, siteWith } = await openPages(context, { store, where, onError });
    const server = await startServer({
      port: options.port ?? 0,
      idleMs: IDLE_MS,
      site: ({ formToken }) => siteWith({ formToken, refresh }),
      onError,
    });
    await refresh.fill(FILL_MS);
    // Pages of other sessions are no answer to a question about this user's.
    if (!options.demo && !options.team) takeBack = await announced(context, server.access.origin);
    const link = server.access.newLink();
    await context.out(`${link}\n`);
    await context.flush();
    context.note("Ctrl-C ends the server.");
    if (options.open) await openFile(context, link);
    const stop = (): void => void server.close();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    await server.ended;
    return 0;
  } finally {
    takeBack();
    await store.close();
  }
});

/** Tells other commands of this user where the server is. Returns what takes it back. */
async function announced(context: CommandContext, origin: string): Promise<() => void> {
  const { announceServer } = await import("../../web/known-server.ts");
  try {
    return await announceServer(dirname(databaseFile(context)), origin);
  } catch (error) {
    context.note(`other commands will not name pages: ${reasonOf(error)}`);
    return () => undefined;
  }
}

/** Returns the place of the example sessions. */
function examples({ installation }: CommandContext): Place[] {
  return [{ agent: "transcript", path: join(installation.folder, "docs/example/transcripts") }];
}
