/**
 * Makes chunks quicker to load, by what a bundler leaves to Node: together some 10 ms of each start. Where a pattern is
 * not met a chunk stays as it is; of a dependency that changed, the build fails.
 *
 * - Each file that is loaded costs a millisecond: chunks that only name what another one exports are passed by, and the
 *   bundler's runtime stands in the chunk that each command loads.
 * - `import` of a module of Node makes all its exports at once, those too that are made when they are first asked for:
 *   of `node:fs` all streams. `process.getBuiltinModule` makes what is asked for.
 * - commander loads what starts processes, and picocolors opens standard output to look at it. Neither is used.
 */
import type { OutputBundle, OutputChunk, Plugin } from "rolldown";

interface Replacement {
  file: RegExp;
  from: string;
  to: string;
}

/** What costs time in dependencies, and what is as good here. */
const COSTS: readonly Replacement[] = [
  {
    file: /commander[\\/]lib[\\/]command\.js$/,
    from: "require('node:child_process')",
    to: "{ spawn: (...all) => require('node:child_process').spawn(...all) }",
  },
  { file: /picocolors[\\/]picocolors\.js$/, from: "(p.stdout || {}).isTTY", to: "false" },
];

/** `entry`: the file that looks at Node's version, and so uses nothing that an old one lacks. `common`: the chunk that each command loads. */
export function leanChunks({ entry, common }: { entry: string; common: string }): Plugin {
  return {
    name: "lean-chunks",
    transform: (code, id) => {
      const costs = COSTS.filter(({ file }) => file.test(id));
      return costs.length === 0 ? null : { code: costs.reduce((text, cost) => replaced(text, cost, id), code) };
    },
    generateBundle: (_options, bundle) => {
      const chunks = chunksOf(bundle);
      const facades = new Map(chunks.flatMap(facadeOf));
      const runtime = chunks.find(({ fileName }) => fileName.includes("rolldown-runtime"));
      for (const chunk of chunks) {
        chunk.code = pastFacades(chunk.code, facades);
        if (chunk.name === common && runtime !== undefined) chunk.code = withRuntime(chunk.code, runtime);
        if (chunk.fileName !== entry) chunk.code = withBuiltins(chunk.code);
      }
    },
  };
}

function replaced(code: string, { from, to }: Replacement, id: string): string {
  if (!code.includes(from)) throw new Error(`${id} has no ${from} any more: see COSTS in lean-chunks.ts`);
  return code.replace(from, to);
}

function chunksOf(bundle: OutputBundle): OutputChunk[] {
  return Object.values(bundle).filter((each) => each.type === "chunk");
}

/** `a as b,c` of an import or export, as pairs: what stands first, and the name that it gets. */
function pairsIn(names: string): [from: string, to: string][] {
  return names.split(",").map((name) => {
    const [from = "", to = from] = name.trim().split(" as ");
    return [from, to];
  });
}

interface Facade {
  /** The file that has all of it, and its names there. */
  file: string;
  names: [there: string, here: string][];
}

/** A chunk that has nothing of its own. */
function facadeOf({ fileName, code }: OutputChunk): [name: string, facade: Facade][] {
  const [, imported = "", file, exported = ""] =
    /^import\{([^}]*)\}from"\.\/([^"]+)";export\{([^}]*)\};\s*$/.exec(code) ?? [];
  if (file === undefined) return [];
  const there = new Map(pairsIn(imported).map(([from, to]) => [to, from]));
  const names = pairsIn(exported).map(([local, name]): [string, string] => [there.get(local) ?? local, name]);
  return [[nameOf(fileName), { file, names }]];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function pastFacades(code: string, facades: ReadonlyMap<string, Facade>): string {
  return code.replaceAll(/import\(`(\.\/(?:chunks\/)?)([^`/]+)`\)/g, (whole, folder: string, name: string) => {
    const facade = facades.get(name);
    if (facade === undefined) return whole;
    const members = facade.names.map(([there, here]) => `${here}:all.${there}`);
    return `import(\`${folder}${facade.file}\`).then(all=>({${members.join(",")}}))`;
  });
}

function withRuntime(code: string, runtime: OutputChunk): string {
  const [, body = "", exported = ""] = /^([^]*)export\{([^}]*)\};\s*$/.exec(runtime.code) ?? [];
  const locals = new Map(pairsIn(exported).map(([local, name]) => [name, local]));
  const pattern = new RegExp(`import\\{([^}]*)\\}from"\\./${nameOf(runtime.fileName).replaceAll(".", "\\.")}";`);
  return code.replace(pattern, (_whole, names: string) => {
    const wanted = pairsIn(names).map(([name, local]) => [locals.get(name) ?? name, local] as const);
    const given = wanted.map(([local]) => local).join(",");
    const taken = wanted.map(([there, here]) => `${there}:${here}`).join(",");
    return `const{${taken}}=(()=>{${withBuiltins(body)}return{${given}}})();`;
  });
}

function withBuiltins(code: string): string {
  const required = code.replaceAll(
    /\b__require\((["'`])(node:[\w/]+)\1\)/g,
    "globalThis.process.getBuiltinModule(`$2`)",
  );
  const imports =
    /(?<=^|[;{])import(?:\s+([\w$]+)\s+|\s*\{([^}]*)\}|\s+([\w$]+),\{([^}]*)\}|\s*\*as\s+([\w$]+)\s+)from"(node:[\w/]+)";/g;
  return required.replaceAll(imports, (_whole, ...groups: (string | undefined)[]) => {
    const [only, names, also, others, all, name = ""] = groups;
    const whole = only ?? also ?? all;
    const members = pairsIn(names ?? others ?? "").map(([from, to]) => (from === to ? from : `${from}:${to}`));
    const source = `process.getBuiltinModule(\`${name}\`);`;
    const named = names ?? others;
    return (
      (whole === undefined ? "" : `const ${whole}=${source}`) +
      (named === undefined ? "" : `const{${members.join(",")}}=${source}`)
    );
  });
}
