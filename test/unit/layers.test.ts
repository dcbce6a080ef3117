/** Which room of the code may import which: imports run downward in this table, and nothing imports what is above it. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, normalize, sep } from "node:path";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

/** Lower rooms that each room may import, besides the files of `src` itself. */
const ROOMS: Readonly<Record<string, string>> = {
  redact: "",
  matching: "",
  sqlite: "",
  calls: "",
  "transcript/format": "",
  "transcript/files": "transcript/format",
  templates: "transcript/files",
  transcript: "redact calls transcript/format transcript/files templates",
  parse: "redact calls transcript/format transcript",
  fixes: "calls parse",
  places: "sqlite transcript/files transcript parse",
  agents: "calls transcript/format transcript/files transcript parse places",
  sessions: "calls transcript/format transcript/files parse places agents",
  store: "matching sqlite calls transcript/format parse fixes agents",
  indexing: "redact calls transcript/files parse places agents sessions store",
  search: "matching calls store",
  queries: "redact calls transcript/format transcript/files parse fixes places agents sessions store indexing search",
  "render/html": "calls parse fixes places agents store queries",
  "render/text": "calls parse fixes places agents queries",
  snippets: "redact transcript/format parse fixes places sessions store indexing queries render/text",
  tools:
    "redact calls transcript/format transcript/files transcript parse places agents sessions store queries render/text snippets",
  web: "calls parse places agents sessions store indexing queries render/html render/text snippets",
  host: "calls transcript/files transcript parse places agents tools",
  cli: "redact calls transcript/format transcript/files templates transcript parse places agents sessions store indexing queries render/html render/text snippets tools web",
};

/** Packages that only some rooms may import. */
const PACKAGES: readonly (readonly [name: RegExp, rooms: string])[] = [
  [/^@opencode-ai\//, "host plugin.ts"],
  [/^pg$/, "store"],
  [/^(?:bun|node):sqlite$/, "sqlite"],
  [/^(?:hono|@hono)\b/, "web"],
  [/^preact/, "render/html web"],
];

const SOURCE = join(REPOSITORY, "src");
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

interface Import {
  from: string;
  to: string;
}

function importsIn(): Import[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).map((path) => path.split(sep).join("/"));
  return files
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((from) => {
      const text = readFileSync(join(SOURCE, from), "utf8");
      return Array.from(text.matchAll(IMPORT), ([, to = ""]) => ({
        from,
        to: to.startsWith(".")
          ? normalize(join(from, "..", to))
              .split(sep)
              .join("/")
          : to,
      }));
    });
}

/** Returns the room of a file; undefined for the files of `src` itself, which all may import. */
function roomOf(path: string): string | undefined {
  const [first = "", second = "", third] = path.split("/");
  if (third !== undefined && ROOMS[`${first}/${second}`] !== undefined) return `${first}/${second}`;
  return second === "" ? undefined : first;
}

describe("layers", () => {
  const all = importsIn();

  test("each folder imports only from folders below it", () => {
    assert.ok(all.length > 1_000, "there are imports");
    const wrong = all.filter(({ from, to }) => {
      const [own, other] = [roomOf(from), /\.tsx?$/.test(to) ? roomOf(to) : undefined];
      if (own === undefined || other === undefined || own === other) return false;
      return !(ROOMS[own] ?? "").split(" ").includes(other);
    });
    assert.deepEqual(wrong, []);
  });

  test("files do not import each other in circles, not even through types or by import()", () => {
    const from = Map.groupBy(all, (each) => each.from);
    const circles: string[] = [];
    const isDone = new Map<string, boolean>();
    const visit = (file: string, way: readonly string[]): void => {
      if (isDone.get(file) === false) circles.push([...way.slice(way.indexOf(file)), file].join(" -> "));
      if (isDone.has(file)) return;
      isDone.set(file, false);
      for (const { to } of from.get(file) ?? []) visit(to, [...way, file]);
      isDone.set(file, true);
    };
    for (const file of from.keys()) visit(file, []);
    assert.deepEqual(circles, []);
  });

  test("the table runs downward", () => {
    const order = Object.keys(ROOMS);
    for (const [room, below] of Object.entries(ROOMS)) {
      for (const each of below.split(" ").filter((name) => name !== "")) {
        assert.ok(order.indexOf(each) !== -1 && order.indexOf(each) < order.indexOf(room), `${room} -> ${each}`);
      }
    }
  });

  test("packages of a host, a database, the server and the pages are imported only in their folders", () => {
    const wrong = all.filter(({ from, to }) => {
      const [, rooms] = PACKAGES.find(([name]) => name.test(to)) ?? [];
      return rooms !== undefined && !rooms.split(" ").includes(roomOf(from) ?? from);
    });
    assert.deepEqual(wrong, []);
  });
});
