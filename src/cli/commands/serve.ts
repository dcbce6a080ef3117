/** `transcripts serve` */
import { createCommand, runnable, team, wholeNumber } from "../command.ts";
import { join } from "node:path";
import type { Place, Where } from "../../places/session-ref.ts";
import { openStoreInMemory, openStoreToAsk } from "../../store/open-store.ts";
import type { CommandContext } from "../context.ts";
import { pagesScript } from "../pages-script.ts";
import { openFile } from "../terminal/open-file.ts";

const definition = createCommand("serve", {
  summary: "Shows all sessions in the browser, on a local page.",
  description:
    "Prints an address that opens the pages once, in one browser. Only this machine can connect. " +
    "Secrets are redacted. The server ends with Ctrl-C, or after 30 minutes in which no page was asked for.",
  examples: {
    "transcripts serve --open": "Starts the server, and opens the browser.",
    "transcripts serve --port 4040": "Uses a fixed port.",
    "transcripts serve --demo --open": "Shows two example sessions.",
  },
})
  .option("--port <n>", "Port to listen on. Default: a free one.", wholeNumber)
  .option("--open", "Opens the browser.")
  .option("--demo", "Shows the example sessions of this package, and nothing of yours.")
  .addOption(team);

const IDLE_MS = 30 * 60_000;

export const command = runnable(definition, async (context, _args, options) => {
  const [{ startServer }, { createSite }, { SiteData }, { Refresh }, { Clock }] = await Promise.all([
    import("../../web/server.ts"),
    import("../../web/site.ts"),
    import("../../web/site-data.ts"),
    import("../../web/refresh.ts"),
    import("../../render/html/view.ts"),
  ]);
  const { signal, now } = context;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const onError = (error: unknown): void => context.note(error instanceof Error ? error.message : String(error));
  const { env, home, cwd } = context;
  const where: Where = options.demo ? { env, home, cwd, roots: examples(context) } : context;
  const store = await (options.demo ? openStoreInMemory(context) : openStoreToAsk(context));
  try {
    const refresh = new Refresh({ store, where, signal, onError });
    const data = new SiteData({ store, where, refresh, timeZone, now, signal });
    const server = await startServer({
      port: options.port ?? 0,
      idleMs: IDLE_MS,
      site: ({ formToken }) =>
        createSite({ data, place: { clock: new Clock(timeZone), live: { formToken } }, script: pagesScript }),
      onError,
    });
    void refresh.begin(0);
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
    await store.close();
  }
});

/** Returns the place of the example sessions. */
function examples({ installation }: CommandContext): Place[] {
  return [{ agent: "transcript", path: join(installation.folder, "docs/example/transcripts") }];
}
