/**
 * The pages over 1 GB in some 10,000 sessions, and a session of 100 MB, as the built program serves and archives them:
 * time to the first page, the first and the 95th percentile of the times of each page, its processor time and compressed
 * size, memory of the server, and an archive again with nothing new. Needs `dist/`. BENCH_BYTES sets another size.
 */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";
import { REPOSITORY } from "../test/support/repository.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { reportAtMost } from "./figures.ts";
import { generateLines, generateSessions, writeLines } from "./generate-sessions.ts";

const BYTES = Number(process.env["BENCH_BYTES"] ?? 1_000_000_000);
const SESSION_BYTES = 65_000;
const LONG_BYTES = BYTES / 10;
const LONG = "11111111-2222-4333-8444-555555555555";
const MAIN = join(REPOSITORY, "dist/cli/main.js");
const ROUNDS = 20;

await inTemporaryFolder(async (folder) => {
  const { files } = generateSessions(folder, { seed: 1, bytes: BYTES, sessionBytes: SESSION_BYTES });
  writeLines(join(folder, `projects/-home-dev-project-0/${LONG}.jsonl`), lines(generateLines(1, LONG_BYTES)));
  const env = {
    ...process.env,
    CLAUDE_CONFIG_DIR: folder,
    HOME: join(folder, "home"),
    XDG_DATA_HOME: join(folder, "data"),
    TRANSCRIPTS_DATABASE: "",
  };
  const on = `${files.length + 1} made-up sessions, ${(BYTES / 1e6).toFixed(0)} MB`;
  spawnSync("node", [MAIN, "index"], { env, stdio: "ignore" });
  const start = performance.now();
  const server = spawn("node", [MAIN, "serve"], { env, stdio: ["ignore", "pipe", "ignore"] });
  let link = "";
  for await (const line of createInterface(server.stdout)) {
    link = line;
    break;
  }
  const { cookie } = await ask(link);
  await ask(new URL("/", link).href, cookie);
  reportAtMost("pages: command to first page", on, performance.now() - start, 500, " ms");
  const first = await ask(new URL(`/sessions/${LONG}/index.html`, link).href, cookie);
  const [, count = "1"] = /Page 1 of (\d+)/.exec(first.body.toString()) ?? [];
  const pages: readonly [what: string, path: string, ms: number][] = [
    ["list", "/", 50],
    ["list, page 50", "/index.50.html", 50],
    ["search", "/index.html?text=error", 100],
    ["session of 100 MB, first page", `/sessions/${LONG}/index.html`, 500],
    ["session of 100 MB, a later page", `/sessions/${LONG}/${Math.ceil(Number(count) / 2)}.html`, 500],
    ["figures", "/figures.html", 200],
    ["failures", "/failures.html", 200],
  ];
  for (const [what, path, most] of pages) {
    const times: number[] = [];
    let bytes = 0;
    const before = processorMs(server.pid);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { ms, body } = await ask(new URL(path, link).href, cookie);
      times.push(ms);
      bytes = gzipSync(body).length;
    }
    const p95 = times.toSorted((a, b) => a - b)[Math.ceil(ROUNDS * 0.95) - 1] ?? 0;
    reportAtMost(`pages: ${what}, the first time`, on, times[0] ?? 0, most, " ms");
    reportAtMost(`pages: ${what}`, on, p95, most, " ms");
    const each = (processorMs(server.pid) - before) / ROUNDS;
    reportAtMost(`pages: ${what}, mean processor time`, on, each, most, " ms");
    if (what === "list") reportAtMost("pages: list, compressed", on, bytes / 1_000, 60, " kB");
  }
  const [, kilobytes = "0"] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8")) ?? [];
  reportAtMost("pages: memory of the server", on, Number(kilobytes) / 1_024, 200, " MiB");
  server.kill();
  const archive = [MAIN, "archive", "-o", join(folder, "pages")];
  spawnSync("node", archive, { env, stdio: "ignore" });
  const again = performance.now();
  spawnSync("node", archive, { env, stdio: "ignore" });
  reportAtMost("pages: archive with nothing new", on, (performance.now() - again) / 1_000, 5, " s");
  const script = gzipSync(readFileSync(join(REPOSITORY, "dist/cli/script.js"))).length;
  reportAtMost("pages: script, compressed", "dist", script / 1_000, 20, " kB");
});

/** Gives the lines the session of the file. */
function* lines(made: Iterable<string>): Generator<string> {
  for (const line of made) yield line.replace(/"sessionId":"[^"]*"/, `"sessionId":"${LONG}"`);
}

/** Processor time that a process has used, in steps of 10 ms. Unlike the time of an answer, it is the same on a busy machine. */
function processorMs(pid: number | undefined): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return 10 * (user + system);
}

interface Answer {
  ms: number;
  body: Buffer;
  cookie: string;
}

async function ask(url: string, cookie = ""): Promise<Answer> {
  const start = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  request(url, { headers: { cookie } }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => {
      if ((response.statusCode ?? 500) >= 400) throw new Error(`${url}: ${response.statusCode}`);
      resolve({
        ms: performance.now() - start,
        body: Buffer.concat(chunks),
        cookie: response.headers["set-cookie"]?.[0]?.split(";")[0] ?? "",
      });
    });
  })
    .on("error", reject)
    .end();
  return promise;
}
