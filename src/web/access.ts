/**
 * Decides who may read the pages: the browser that opened the printed link, on this machine.
 *
 * Every local program, and every web page open in the user's browser, can send requests to the server. So the link has a
 * token that works once and is exchanged for a cookie; the address must be exactly ours, so that a host name that was
 * pointed at this machine is refused; and a request that another site caused is refused even with the cookie.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const TOKEN_BYTES = 32;

/** Request headers, by lower-case name. */
export interface RequestFacts {
  method: string;
  /** As it came, with the query: a path, unless a proxy was meant. */
  target: string;
  header(name: string): string | undefined;
}

/** Refusal of a request: an HTTP status, and a sentence for the person who reads it. */
export interface Refusal {
  status: 400 | 403 | 405 | 421;
  text: string;
}

export class Access {
  /** `host:port`, as a browser sends it in `Host`. */
  readonly #host: string;
  readonly #cookieName: string;
  readonly #cookie = newToken();
  readonly #unusedLinks = new Set<string>();
  /** Proves that a form was on a page of this server. */
  readonly formToken = newToken();

  constructor(address: { host: string; port: number }) {
    this.#host = `${address.host}:${address.port}`;
    // Cookies belong to a host, whatever its port: each server has its own.
    this.#cookieName = `transcripts_${address.port}`;
  }

  get origin(): string {
    return `http://${this.#host}`;
  }

  /** Returns an address that opens the pages once. */
  newLink(): string {
    const token = newToken();
    this.#unusedLinks.add(digest(token));
    return `${this.origin}/open?token=${token}`;
  }

  /** Uses up a link's token. Returns the cookie to set, or undefined if the token is not valid, or no longer. */
  redeem(token: string): string | undefined {
    if (!this.#unusedLinks.delete(digest(token))) return undefined;
    return `${this.#cookieName}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Checks where a request comes from, whoever sent it. Returns undefined if it is acceptable. */
  refuseOrigin(request: RequestFacts): Refusal | undefined {
    if (!request.target.startsWith("/")) return { status: 400, text: "The address of the request is not a path." };
    if (request.header("host") !== this.#host) {
      return { status: 421, text: `This server answers only at ${this.origin}.` };
    }
    if (!["GET", "HEAD", "POST"].includes(request.method)) {
      return { status: 405, text: `${request.method} is not a method of this server.` };
    }
    const origin = request.header("origin");
    const site = request.header("sec-fetch-site");
    const isOurs = origin === undefined || origin === this.origin;
    if (!isOurs || (site !== undefined && site !== "same-origin" && site !== "none")) {
      return { status: 403, text: "Another site sent this request. Open the address in a new tab instead." };
    }
    return undefined;
  }

  /** Returns whether a request has the cookie. */
  isKnown(request: RequestFacts): boolean {
    const cookies = (request.header("cookie") ?? "").split(/;\s*/);
    const prefix = `${this.#cookieName}=`;
    return cookies.some((cookie) => cookie.startsWith(prefix) && isSame(cookie.slice(prefix.length), this.#cookie));
  }

  /** Returns whether a form was sent by one of our pages. */
  isOurForm(token: string | undefined): boolean {
    return token !== undefined && isSame(token, this.formToken);
  }
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(given)), Buffer.from(digest(expected)));
}

/** Has the same length for every text, so that a comparison takes the same time. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
