/** The notice that the bundles owe to the packages in them: name, version, licence and licence text of each. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputAsset, OutputChunk } from "rolldown";

interface Manifest {
  name: string;
  version: string;
  license: string;
}

/** Folders of the packages that modules were bundled from, given what the bundler wrote. */
export function bundledPackages(output: readonly (OutputChunk | OutputAsset)[]): string[] {
  const modules = output.flatMap((each) => (each.type === "chunk" ? each.moduleIds : []));
  // The last one: packages have packages of their own.
  const folders = modules.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replace(/^\0/, "")) ?? [],
  );
  return [...new Set(folders)];
}

/** Throws for a package without a licence text: it must not be distributed unnoticed. */
export function thirdPartyNotices(folders: readonly string[]): string {
  const entries = folders.map((folder) => ({ ...manifestIn(folder), text: licenceIn(folder) }));
  const sorted = entries.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
  const parts = sorted.map(
    ({ name, version, license, text }) => `${"-".repeat(80)}\n\n${name} ${version} (${license})\n\n${text}\n`,
  );
  return `The JavaScript files of this package contain code or data of these packages.\n\n${parts.join("\n")}`;
}

function manifestIn(folder: string): Manifest {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const field = (name: keyof Manifest): string => {
    const value: unknown = manifest !== null && typeof manifest === "object" ? Reflect.get(manifest, name) : undefined;
    if (typeof value !== "string") throw new Error(`${folder}/package.json: ${name} is missing`);
    return value;
  };
  return { name: field("name"), version: field("version"), license: field("license") };
}

function licenceIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i.test(name));
  const texts = names.map((name) => readFileSync(join(folder, name), "utf8").trim());
  if (texts.length > 0) return texts.join("\n\n");
  const readme = ["README.md", "readme.md", "Readme.md"].map((name) => join(folder, name)).find(existsSync);
  const section = /^#+ *licen[cs]e\b.*$[^]*?(?=^#|(?![^]))/im.exec(
    readme === undefined ? "" : readFileSync(readme, "utf8"),
  );
  if (section === null)
    throw new Error(`${folder} is bundled and has no licence text: leave it out, or add the text here`);
  return section[0].trim();
}
