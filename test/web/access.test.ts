/** Who may read the pages: what goes wrong in servers that listen on a developer's machine. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { request } from "node:http";
import { startServer, type PageServer } from "../../src/web/server.ts";
import type { Site } from "../../src/web/app.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";

const asked: string[] = [];
const site: Site = {
  async page(path) {
    asked.push(path);
    return path === "index.html" || path === "sessions/a.html"
      ? {
          type: "text/html; charset=utf-8",
          async content(write) {
            for (const piece of ["<p>", "hello", "</p>"]) await write(piece);
          },
        }
      : undefined;
  },
  async submit(path, form) {
    return path === "tag" ? (form.get("next") ?? "/") : undefined;
  },
};

let server: PageServer;
let cookie = "";

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function ask(path: string, { method = "GET", headers = {}, body = "" }: Ask = {}): Promise<Answer> {
  const { hostname, port } = new URL(server.access.origin);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request({ host: hostname, port, path, method, headers, agent: false }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      }),
    );
  });
  sent.on("error", reject).end(body);
  return promise;
}

const known = (headers: Record<string, string> = {}): Ask => ({ headers: { cookie, ...headers } });
const tokenIn = (link: string): string => new URL(link).search;

describe("the server of the pages", () => {
  beforeAll(async () => {
    const onError = (error: unknown): void => {
      throw error;
    };
    server = await startServer({ port: 0, site: () => site, idleMs: 60_000, onError });
    const opened = await ask(`/open${tokenIn(server.access.newLink())}`);
    assert.equal(opened.status, 303);
    assert.equal(opened.headers["location"], "/");
    const [set = ""] = [opened.headers["set-cookie"]].flat();
    assert.match(set, /; HttpOnly; SameSite=Strict$/);
    cookie = set.split(";")[0] ?? "";
  });
  afterAll(() => server.close());

  test("shows a page to the browser that opened the link", async () => {
    const answer = await ask("/", known());
    assert.equal(answer.status, 200);
    assert.equal(answer.body, "<p>hello</p>");
    assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
  });

  test("a link opens the pages once", async () => {
    const link = tokenIn(server.access.newLink());
    assert.equal((await ask(`/open${link}`)).status, 303);
    const again = await ask(`/open${link}`);
    assert.equal(again.status, 403);
    assert.equal(again.headers["set-cookie"], undefined);
    assert.match(again.body, /again for a new one/);
  });

  for (const [name, headers] of Object.entries({
    "no cookie": {},
    "an empty cookie": { cookie: "" },
    "the token as a cookie": { cookie: `transcripts=${"x".repeat(43)}` },
  })) {
    test(`${name} is refused on every path, and no page is made`, async () => {
      const before = asked.length;
      for (const path of ["/", "/sessions/a.html", "/changes?path=index.html", "/style.css", "/none", "/open/"]) {
        assert.equal((await ask(path, { headers })).status, 403, path);
      }
      assert.equal((await ask("/tag", { method: "POST", headers })).status, 403);
      assert.equal(asked.length, before);
    });
  }

  test("a cookie that is almost right is refused", async () => {
    for (const wrong of [cookie.slice(0, -1), `${cookie}x`, cookie.toUpperCase(), cookie.replace("=", "=x")]) {
      assert.equal((await ask("/", { headers: { cookie: wrong } })).status, 403, wrong);
    }
  });

  test("another host name is refused even with the cookie, on every path", async () => {
    const { port } = new URL(server.access.origin);
    const hosts = [
      "127.0.0.1",
      `localhost:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `evil.example:${port}`,
      `[::1]:${port}`,
      `127.0.0.1:${port}.evil.example`,
      `127.0.0.1:${port}1`,
      `0.0.0.0:${port}`,
      `2130706433:${port}`,
      `127.1:${port}`,
    ];
    for (const host of hosts) {
      for (const path of [
        "/",
        "/sessions/a.html",
        `/open${tokenIn(server.access.newLink())}`,
        "/changes",
        "/style.css",
      ]) {
        const { status, headers } = await ask(path, known({ host }));
        assert.ok(status === 421 || status === 400, `${host} ${path}: ${status}`);
        assert.equal(headers["set-cookie"], undefined);
      }
    }
  });

  test("an address that names another host is refused", async () => {
    const { host } = new URL(server.access.origin);
    const answer = await raw(`GET http://evil.example/ HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n`);
    assert.match(answer, /^HTTP\/1\.1 4\d\d /);
    assert.doesNotMatch(answer, /hello/);
  });

  test("requests that another site caused are refused even with the cookie", async () => {
    const cases: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: server.access.origin.replace("127.0.0.1", "localhost") },
      { origin: `${server.access.origin}.evil.example` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none, cross-site" },
    ];
    for (const headers of cases) {
      assert.equal((await ask("/", known(headers))).status, 403, JSON.stringify(headers));
    }
    for (const site of ["same-origin", "none"]) {
      assert.equal((await ask("/", known({ "sec-fetch-site": site }))).status, 200);
    }
  });

  test("methods other than GET, HEAD and POST are refused", async () => {
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"]) {
      assert.ok((await ask("/", { ...known(), method })).status >= 400, method);
    }
    const head = await ask("/", { ...known(), method: "HEAD" });
    assert.deepEqual([head.status, head.body], [200, ""]);
  });

  test("a form needs the token of the page, and is of limited size", async () => {
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
    const post = (body: string): Promise<Answer> => ask("/tag", { method: "POST", headers, body });
    const token = `token=${server.access.formToken}`;
    assert.equal((await post("")).status, 403);
    assert.equal((await post("token=wrong")).status, 403);
    assert.equal((await post(`${token}&more=${"x".repeat(100_000)}`)).status, 403);
    const json = { cookie, "content-type": "application/json" };
    assert.equal((await ask("/tag", { method: "POST", headers: json, body: token })).status, 403);
    assert.equal((await post(token)).status, 303);
    assert.equal((await ask("/none", { method: "POST", headers, body: token })).status, 404);
  });

  test("a redirection never leaves the server", async () => {
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
    for (const to of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "\\\\evil.example/",
      "/sessions/a.html",
    ]) {
      const { search } = new URL(server.access.newLink());
      const opened = await ask(`/open${search}&to=${encodeURIComponent(to)}`);
      const body = new URLSearchParams({ token: server.access.formToken, next: to }).toString();
      const posted = await ask("/tag", { method: "POST", headers, body });
      for (const { headers: sent } of [opened, posted]) {
        const target = new URL(String(sent["location"]), server.access.origin);
        assert.equal(target.origin, server.access.origin, to);
      }
    }
  });

  test("no address leads to anything but a page", async () => {
    const paths = [
      "/../../etc/passwd",
      "/..%2f..%2fetc%2fpasswd",
      "/sessions/..%2f..%2findex.ts",
      "/sessions/%2e%2e/%2e%2e/etc/passwd",
      "/%00",
      "/sessions/a.html%00.css",
      "/%",
      "/%ff",
      `/${"a/".repeat(2_000)}`,
      "/C:%5CWindows",
      "/file:///etc/passwd",
    ];
    for (const path of paths) assert.equal((await ask(path, known())).status, 404, path);
  });

  test("refuses huge and malformed requests, and goes on", async () => {
    const { host } = new URL(server.access.origin);
    for (const message of [
      `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: ${host}\r\n`,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${"a".repeat(100_000)}\r\n`,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n`,
      "GET / HTTP/1.1\r\n",
      "GET / HTTP/1.0\r\n",
      `GET / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n`,
      "\0\0\0\0",
      `POST /tag HTTP/1.1\r\nHost: ${host}\r\nContent-Length: -1\r\n`,
    ]) {
      assert.doesNotMatch(await raw(message), /HTTP\/1\.1 200/, message.slice(0, 60));
    }
    assert.equal((await ask("/", known())).status, 200);
  });

  test("every answer forbids scripts of others, framing, sniffing and storing", async () => {
    const answers = [
      await ask("/", known()),
      await ask("/none", known()),
      await ask("/"),
      await ask("/", { headers: { host: "evil.example" } }),
      await ask("/open?token=none"),
    ];
    for (const { headers } of answers) {
      const policy = String(headers["content-security-policy"]);
      assert.match(policy, /^default-src 'none';/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.equal(headers["cache-control"], "no-store");
      assert.equal(headers["access-control-allow-origin"], undefined);
    }
  });

  test("other machines cannot connect", async () => {
    const { port } = new URL(server.access.origin);
    const addresses = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal }) => !internal)
      .map(({ address, family, scopeid }) => (family === "IPv6" && scopeid ? `${address}%${scopeid}` : address));
    for (const address of [...addresses, "::1"]) {
      await assert.rejects(connected(address, Number(port)), address);
    }
  });

  test("ends when nobody has asked for a while", async () => {
    const brief = await startServer({ port: 0, site: () => site, idleMs: 50, onError: () => undefined });
    await brief.ended;
  });

  test("a port that is taken is named, with what to do", async () => {
    const port = Number(new URL(server.access.origin).port);
    const starting = startServer({ port, site: () => site, idleMs: 1_000, onError: () => undefined });
    await assert.rejects(
      starting,
      (error: Error) => error.message.includes(`Port ${port}`) && /--port/.test(error.message),
    );
  });
});

/** Sends bytes as they are, and returns the whole answer. */
async function raw(message: string): Promise<string> {
  const { hostname, port } = new URL(server.access.origin);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
  socket.on("error", () => resolve(answer));
  socket.on("close", () => resolve(answer));
  socket.end(`${message}Connection: close\r\n\r\n`);
  return promise;
}

async function connected(host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ port, host }, resolve).on("error", reject);
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}
