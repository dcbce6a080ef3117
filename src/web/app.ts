/** Routes and headers of the pages. */
import { Hono, type Context } from "hono";
import { compress } from "hono/compress";
import { streamSSE } from "hono/streaming";
import { TranscriptsError } from "../transcripts-error.ts";
import type { Write } from "../write-file.ts";
import type { Access, Refusal, RequestFacts } from "./access.ts";

/** Content of one address. */
export interface Page {
  /** HTTP status. Default: 200. */
  status?: 404;
  /** Media type with its character set. */
  type: string;
  /** Writes the content in pieces, each after the one before was accepted. Passes on rejections of `write`. */
  content(write: Write): Promise<void>;
}

/** The pages, whoever shows them: see `Site` of the server and of the archive. */
export interface Site {
  /** Returns the page at a path such as `sessions/ID.html`; undefined if there is none. */
  page(path: string, query: URLSearchParams, signal: AbortSignal): Promise<Page | undefined>;
  /** Does what a form asks. Returns the path to show then; undefined if the form does not exist. Rejects as `page` does. */
  submit?(path: string, form: URLSearchParams): Promise<string | undefined>;
  /** Yields a message whenever the page at a path has changed, until the signal. */
  changes?(path: string, query: URLSearchParams, signal: AbortSignal): AsyncIterable<string>;
}

/** Largest form that is read. */
const MAX_FORM_BYTES = 64 * 1024;

/** Limits what a browser may do with any answer. `frame-ancestors` and the like work only as headers. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Cache-Control": "no-store",
  // Without a referrer, browsers would send no origin with our own forms.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
};

export interface AppOptions {
  access: Access;
  site: Site;
  /** Called with each accepted request, and when one that stays open ends. */
  onActivity: (open: 1 | -1 | 0) => void;
  /** Receives errors of ours; the browser only learns that there was one. */
  onError: (error: unknown) => void;
}

type Env = { Bindings: { incoming: { url?: string } } };

export function createApp({ access, site, onActivity, onError }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const refusal = access.refuseOrigin(factsOf(context)) ?? refuseUnknown(context, access);
    if (refusal === undefined) {
      onActivity(0);
      await next();
    } else context.res = context.text(refusal.text, refusal.status);
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  });
  app.get("/open", (context) => {
    const cookie = access.redeem(context.req.query("token") ?? "");
    if (cookie === undefined) return context.text(LINK_USED, 403);
    context.header("Set-Cookie", cookie);
    return context.redirect("/", 303);
  });
  app.get("/changes", (context) => {
    const { path = "", ...query } = context.req.query();
    return streamSSE(context, async (stream) => {
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      onActivity(1);
      try {
        const changes = site.changes?.(path, new URLSearchParams(query), ended.signal) ?? [];
        for await (const data of changes) await stream.writeSSE({ data });
      } catch (error) {
        if (!ended.signal.aborted) onError(error);
      } finally {
        onActivity(-1);
      }
    });
  });
  app.get("*", compress(), async (context) => {
    const url = new URL(context.req.url);
    const path = pathOf(url);
    const page = path === undefined ? undefined : await site.page(path, url.searchParams, context.req.raw.signal);
    if (page === undefined) return context.text("There is no such page.", 404);
    context.status(page.status ?? 200);
    context.header("Content-Type", page.type);
    return context.body(streamOf(page, onError));
  });
  app.post("*", async (context) => {
    const form = await formOf(context);
    if (!access.isOurForm(form?.get("token") ?? undefined)) {
      return context.text("This page is from another server. Load it again, and repeat.", 403);
    }
    const path = pathOf(new URL(context.req.url));
    const next = form === undefined || path === undefined ? undefined : await site.submit?.(path, form);
    return next === undefined ? context.text("There is no such form.", 404) : context.redirect(localPath(next), 303);
  });
  app.onError((error, context) => {
    if (error instanceof TranscriptsError) return context.text(error.message, 400);
    onError(error);
    return context.text("This page could not be made. The terminal in which the server runs says why.", 500);
  });
  return app;
}

const LINK_USED = "This link was used before, or is of another server. Run `transcripts serve` again for a new one.";

function factsOf(context: Context<Env>): RequestFacts {
  return {
    method: context.req.method,
    target: context.env.incoming.url ?? "",
    header: (name) => context.req.header(name),
  };
}

function refuseUnknown(context: Context<Env>, access: Access): Refusal | undefined {
  if (context.req.path === "/open" || access.isKnown(factsOf(context))) return undefined;
  return {
    status: 403,
    text: "Open the link that `transcripts serve` printed. If that was used, run it again for a new one.",
  };
}

/** Keeps a redirection on this server: `//other.example` would leave it. */
function localPath(path: string): string {
  return `/${path.replace(/^[/\\]+/, "")}`;
}

/** Returns the path of a page, decoded, without the slash at its start; undefined if it is malformed. */
function pathOf({ pathname }: URL): string | undefined {
  try {
    return decodeURIComponent(pathname.slice(1)) || "index.html";
  } catch {
    return undefined;
  }
}

async function formOf(context: Context<Env>): Promise<URLSearchParams | undefined> {
  const type = context.req.header("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return undefined;
  const body = context.req.raw.body;
  if (body === null) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_FORM_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}

/** Errors after the first piece cut the page off, which browsers show as it is. */
function streamOf(page: Page, onError: AppOptions["onError"]): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  let isGone = false;
  // The browser went elsewhere.
  writer.closed.catch(() => (isGone = true));
  page
    .content((piece) => writer.write(encoder.encode(piece)))
    .then(() => writer.close())
    .catch(async (error: unknown) => {
      if (!isGone) onError(error);
      await writer.abort(error).catch(() => undefined);
    });
  return readable;
}
