/** Serves the pages on this machine, until nobody has asked for one for a while. */
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { reasonOf } from "../places/reasons.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { Access } from "./access.ts";
import { createApp, type Site } from "./app.ts";

/** Only this machine can connect. */
const HOST = "127.0.0.1";
/** Number of request header bytes; pages have short addresses. */
const MAX_HEADER_BYTES = 16 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;

export interface ServerOptions {
  /** 0 chooses a free one. */
  port: number;
  site: (access: Access) => Site;
  /** Ends the server after this time without a request. A page that follows a session counts as one. */
  idleMs: number;
  onError: (error: unknown) => void;
}

export interface PageServer {
  access: Access;
  /** Resolves when the server has ended. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/** Rejects with a `TranscriptsError` (`unavailable`) if the port cannot be used. */
export async function startServer({ port, site, idleMs, onError }: ServerOptions): Promise<PageServer> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_TIMEOUT_MS });
  const access = new Access({ host: HOST, port: await listening(server, port) });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  server.once("close", resolve);
  let open = 0;
  const idle = setTimeout(() => (open > 0 ? idle.refresh() : void close()), idleMs);
  const app = createApp({
    access,
    site: site(access),
    onError,
    onActivity: (change) => {
      open += change;
      idle.refresh();
    },
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  server.on("request", (request, response) => void listener(request, response));
  return { access, ended, close };

  async function close(): Promise<void> {
    clearTimeout(idle);
    server.close();
    server.closeAllConnections();
    await ended;
  }
}

async function listening(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(port, HOST, resolve);
  try {
    await promise;
  } catch (cause) {
    throw new TranscriptsError(
      "unavailable",
      `Port ${port} cannot be used: ${reasonOf(cause)}.`,
      "Choose another with --port, or leave the option out for a free one.",
      { cause },
    );
  }
  server.removeListener("error", reject);
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
