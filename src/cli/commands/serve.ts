/** `transcripts serve` */
import { readFile } from "node:fs/promises";
import { askStore, type StoreAccess } from "../../queries/current-index.ts";
import { openStoreToAsk } from "../../store/open-store.ts";
import { createCommand, runnable, wholeNumber } from "../command.ts";
import { lazyRedactor } from "../redaction.ts";
import { openFile } from "../terminal/open-file.ts";

const definition = createCommand("serve", {
  summary: "Shows all sessions in the browser, on a local page.",
  description:
    "Prints an address that opens the pages once, in one browser; Enter prints another. Only this machine can connect. " +
    "Secrets are redacted. The server ends with Ctrl-C, or after 30 minutes in which no page was asked for.",
  examples: {
    "transcripts serve --open": "Starts the server, and opens the browser.",
    "transcripts serve --port 4040": "Uses a fixed port.",
  },
})
  .option("--port <n>", "Port to listen on. Default: a free one.", wholeNumber)
  .option("--open", "Opens the browser.");

const IDLE_MS = 30 * 60_000;

export const command = runnable(definition, async (context, _args, options) => {
  const [{ startServer }, { createSite }, { SiteData }, { Clock }] = await Promise.all([
    import("../../web/server.ts"),
    import("../../web/site.ts"),
    import("../../web/site-data.ts"),
    import("../../render/html/view.ts"),
  ]);
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const access: StoreAccess = {
    open: () => openStoreToAsk(context),
    close: (store) => store.close(),
    note: (text) => context.note(text),
  };
  const data = new SiteData({
    where: context,
    signal: context.signal,
    now: context.now,
    redactor: lazyRedactor,
    timeZone,
    ask: (needs, work) =>
      askStore(access, context, { ...needs, signal: context.signal }, work, async (_, answer) => answer),
  });
  const server = await startServer({
    port: options.port ?? 0,
    idleMs: IDLE_MS,
    site: ({ formToken }) => createSite({ data, place: { clock: new Clock(timeZone), live: { formToken } }, script }),
    onError: (error) =>
      context.note(`A page could not be made: ${error instanceof Error ? error.message : String(error)}`),
  });
  const link = server.access.newLink();
  await context.out(`${link}\n`);
  await context.flush();
  context.note("Ctrl-C ends the server.");
  if (options.open) await openFile(context, link);
  const stop = (): void => void server.close();
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  await server.ended;
  return 0;
});

/** Reads the script that was built beside the program. */
function script(): Promise<string> {
  return readFile(new URL("../script.js", import.meta.url), "utf8");
}
