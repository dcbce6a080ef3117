/** `transcripts serve` */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { createCommand, runnable, team, wholeNumber } from "../command.ts";
import { openStoreToAsk } from "../../store/open-store.ts";
import { openPages } from "../open-pages.ts";
import { openFile } from "../terminal/open-file.ts";

const definition = createCommand("serve", {
  description:
    "Prints an address that works once, in one browser. Only this machine can connect. " +
    "Secrets are redacted. The server ends with Ctrl-C, or after 30 minutes without a request.",
  examples: {
    "transcripts serve --open": "Starts the server, and opens the browser.",
    "transcripts serve --port 4040": "Uses a fixed port.",
  },
})
  .option("--port <n>", "Port to listen on. Default: a free one.", portNumber)
  .option("--open", "Opens the browser.")
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
  const store = await openStoreToAsk(context);
  try {
    const { refresh, siteWith } = await openPages(context, { store, where: context, onError });
    const server = await startServer({
      port: options.port ?? 0,
      idleMs: IDLE_MS,
      site: ({ formToken }) => siteWith({ formToken, refresh }),
      onError,
    });
    await refresh.fill(FILL_MS);
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
