/**
 * A registry on loopback that has this package, as `npm pack` makes it, and what it depends on, from this repository's
 * `node_modules`: npm and opencode install the package by its name without network, before it is published.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { REPOSITORY } from "../repository.ts";
import { makeTempDir } from "../temp-dir.ts";

const Manifest = z.looseObject({ name: z.string(), version: z.string() });
type Manifest = z.infer<typeof Manifest>;
const Lock = z.object({ packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })) });

interface Published {
  manifest: Manifest;
  tarball: () => Buffer;
}

export interface LocalRegistry {
  readonly url: string;
  close(): void;
}

export async function startRegistry(): Promise<LocalRegistry> {
  const published = [ownPackage(), ...dependencies()];
  const tarballOf = ({ name, version }: Manifest): string => `/-/${name.replace("/", "+")}-${version}.tgz`;
  const server = createServer(({ url: asked = "" }, response) => {
    const path = decodeURIComponent(asked);
    const wanted = published.find(({ manifest }) => tarballOf(manifest) === path);
    if (wanted !== undefined) {
      response.end(wanted.tarball());
      return;
    }
    const versions = published.filter(({ manifest }) => `/${manifest.name}` === path).map(({ manifest }) => manifest);
    const newest = versions.at(0);
    if (newest === undefined) {
      response.writeHead(404).end("{}");
      return;
    }
    const described = versions.map((manifest) => [
      manifest.version,
      { ...manifest, dist: { tarball: `${url()}${tarballOf(manifest)}` } },
    ]);
    const body = {
      name: newest.name,
      "dist-tags": { latest: newest.version },
      versions: Object.fromEntries(described),
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const url = (): string => {
    const address = server.address();
    assert(address !== null && typeof address === "object");
    return `http://127.0.0.1:${address.port}`;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: url(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function ownPackage(): Published {
  const folder = makeTempDir();
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { status, stdout, stderr } = spawnSync("npm", pack, { cwd: REPOSITORY, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return { manifest: manifestIn(REPOSITORY), tarball: () => readFileSync(join(folder, stdout.trim())) };
}

/** Packages that the lock file has for users: the shallowest of each name first. */
function dependencies(): Published[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(REPOSITORY, "package-lock.json"), "utf8")));
  return Object.entries(packages)
    .filter(([path, { dev, devOptional, peer }]) => path !== "" && !dev && !devOptional && !peer)
    .map(([path]) => join(REPOSITORY, path))
    .toSorted((a, b) => a.length - b.length)
    .map((folder) => ({ manifest: manifestIn(folder), tarball: () => packed(folder) }));
}

function manifestIn(folder: string): Manifest {
  return Manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}

/** npm ignores the name of the folder in a tarball. */
function packed(folder: string): Buffer {
  const args = ["-czf", "-", "--exclude=./node_modules", "-C", folder, "."];
  const { status, stdout, stderr } = spawnSync("tar", args, { maxBuffer: 64 * 1024 * 1024 });
  assert.equal(status, 0, String(stderr));
  return stdout;
}
