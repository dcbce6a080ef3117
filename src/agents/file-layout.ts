/** Agents that keep each session in a file: they declare the layout of their folders, and finding sessions follows from it. */
import { basename, dirname, extname, join, sep } from "node:path";
import { type SessionRef, sessionRef, type Where } from "../places/session-ref.ts";
import { entryOf } from "../parse/statistics.ts";
import { walk } from "../places/walk.ts";
import type { Agent, NamedFile } from "./agent.ts";

export interface FileLayout {
  /** Name of the agent. */
  agent: string;
  /** Returns the agent's folders: see `agentFolder`. */
  folders: (where: Where) => string[];
  /** Folders below these that have sessions. */
  places: readonly string[];
  /**
   * Paths of sessions below a place; the first that matches counts. `*` is any text in a name. `{id}`: the session's id;
   * `{uuid}`: the same, if only a UUID can be one. `{parent}`: the session that started it. `{agent}`: a subagent, whose
   * session is called `agent-` with this. `{label}`: the project, see `ProjectLabels`. `**`: any folders, in paths that come
   * last.
   */
  paths: readonly string[];
}

interface Ids {
  id?: string | undefined;
  parent?: string;
  agent?: string;
  label?: string;
}

const LABEL = "{label}/";
const ANY_FOLDERS = "**";
/** Folders that are entered for `**`. */
const MAX_DEPTH = 6;

/** One of the paths. */
interface Template {
  names: readonly RegExp[];
  /** The names of its folders, each with a slash. */
  folders: RegExp;
  /** The file's name. Its group is the id in it; it has no name, since a result with names takes ten times as long to make. */
  file: RegExp;
  /** That is the id of a subagent. */
  isAgent: boolean;
  /** It has `**`. */
  isOpen: boolean;
}

/** Template of which a folder's names match those of its folders. */
interface InFolder extends Pick<Template, "file" | "isAgent"> {
  /** Ids in the folder's names. */
  ids: Ids;
}

/** Returns the members of an agent that follow from its layout. */
export function inFiles({ agent, folders, places, paths }: FileLayout) {
  // A session's family is searched in the folder of its project.
  const ofProject = paths.flatMap((path) => (path.startsWith(LABEL) ? path.slice(LABEL.length) : []));
  const templates = [...paths, ...ofProject].map(templateOf).toSorted((a, b) => Number(a.isOpen) - Number(b.isOpen));
  const fileNames = [...new Map(templates.map(({ file }) => [file.source, file])).values()];
  const depth = Math.max(...templates.map(({ names, isOpen }) => (isOpen ? MAX_DEPTH : names.length - 1)));

  function refOf({ path, bytes, modifiedMs }: NamedFile, ids: Ids): SessionRef {
    const { parent: parentId = null, agent: agentId = null, label: projectLabel = "" } = ids;
    const id = agentId === null ? (ids.id ?? basename(path, extname(path))) : `agent-${agentId}`;
    return sessionRef({ id, place: agent, agent, path, bytes, modifiedMs, parentId, agentId, projectLabel });
  }

  /** Returns the place of a file at any path, by the names before it, and the ids in its path. */
  function located(path: string): { place: string; ids: Ids } {
    const names = path.split(/[\\/]/);
    for (const template of templates) {
      const count = template.names.length;
      const ids = idsOf(names.at(-1), matching([template], names.slice(-count, -1)));
      const own = count - (ids?.label === undefined ? 0 : 1);
      if (ids !== undefined) return { place: names.slice(0, -own).join(sep) || sep, ids };
    }
    return { place: dirname(path), ids: {} };
  }

  return {
    name: agent,
    places: async (where) =>
      folders(where).flatMap((folder) => places.map((name) => ({ agent, path: join(folder, name) }))),
    scan: async ({ path }, files, { seen }) => {
      const found = walk(path, {
        files,
        depth,
        accepts: (name) => fileNames.some((pattern) => pattern.test(name)),
        enters: (inside) =>
          templates.some(({ names, isOpen }) => isOpen || inside.every((name, at) => names[at]?.test(name))),
        seen,
      });
      // Folders have many files.
      const known = new Map<readonly string[], InFolder[]>();
      const sessions = found.files.flatMap((file) => {
        const ids = idsOf(
          file.name,
          entryOf(known, file.folders, () => matching(templates, file.folders)),
        );
        return ids === undefined ? [] : refOf(file, ids);
      });
      return { sessions, unreadable: found.unreadable };
    },
    // The content of a file that was renamed has its id. That of a subagent may have its parent's, that of a fork another one's.
    fileRef: (file, { sessionId }) => {
      const { ids } = located(file.path);
      return refOf(file, ids.id === undefined ? { ...ids, id: sessionId ?? undefined } : ids);
    },
    placeOf: (path) => ({ agent, path: located(path).place }),
  } satisfies Partial<Agent>;
}

const GROUPS: Readonly<Record<string, string>> = {
  "**/": "(?:[^/]+/)*",
  "*": "[^/]*",
  "{id}": "(?<id>[^/]+)",
  "{uuid}": "(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
  "{parent}": "(?<parent>[^/]+)",
  "{label}": "(?<label>[^/]+)",
  "{agent}": "(?<agent>[^/]+)",
};

function templateOf(path: string): Template {
  const sourceOf = (text: string): string =>
    text.replace(/\*\*\/|\*|\{\w+\}|\./g, (part) => GROUPS[part] ?? `\\${part}`);
  const end = path.lastIndexOf("/") + 1;
  return {
    names: path.split("/").map((name) => new RegExp(`^${sourceOf(name)}$`)),
    folders: new RegExp(`^${sourceOf(path.slice(0, end))}$`),
    file: new RegExp(`^${sourceOf(path.slice(end)).replace(/\?<\w+>/, "")}$`),
    isAgent: path.slice(end).includes("{agent}"),
    isOpen: path.includes(ANY_FOLDERS),
  };
}

/** Returns the templates for files in a folder, of which these are the names. */
function matching(templates: readonly Template[], names: readonly string[]): InFolder[] {
  const folders = names.map((name) => `${name}/`).join("");
  return templates.flatMap(({ folders: pattern, file, isAgent }) => {
    const found = pattern.exec(folders);
    return found === null ? [] : { ids: { ...found.groups }, file, isAgent };
  });
}

/** Returns the ids of a file, by the first template that matches its name. */
function idsOf(name: string | undefined, inFolder: readonly InFolder[]): Ids | undefined {
  for (const { ids, file, isAgent } of inFolder) {
    const found = file.exec(name ?? "");
    if (found === null) continue;
    const [, own] = found;
    if (own === undefined) return ids;
    return isAgent ? { ...ids, agent: own } : { ...ids, id: own };
  }
  return undefined;
}
