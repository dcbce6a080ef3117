/** Finds the sessions of agents that keep each one in a file, by the layout that they declare for their folders. */
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
  /** Places within these folders. */
  places: readonly string[];
  /**
   * Paths of sessions below a place; the first that matches counts. `*` is any text in a name. `{id}`: the session's id;
   * `{uuid}`: the same, but only a UUID matches. `{parent}`: the id of the session that started it. `{agent}`: the id of a
   * subagent, whose session's id is `agent-` followed by it. `{label}`: the project (`ProjectLabels`). `**`: folders of any
   * depth. Paths with `**` are tried last.
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
/** Maximum number of nested folders that are searched for `**`. */
const MAX_DEPTH = 6;

/** One of the paths, as patterns. */
interface Template {
  names: readonly RegExp[];
  /** Matches the names of its folders, each with a slash after it. */
  folders: RegExp;
  /** Matches the file's name; the group is the id. It is not named, because named groups take ten times as long. */
  file: RegExp;
  /** The id in the file's name is a subagent's. */
  isAgent: boolean;
  /** The path contains `**`. */
  isOpen: boolean;
}

/** Template whose folders match those of a file. */
interface InFolder extends Pick<Template, "file" | "isAgent"> {
  /** Ids in the names of the folders. */
  ids: Ids;
}

/** Returns the members of an agent that its layout determines. */
export function inFiles({ agent, folders, places, paths }: FileLayout) {
  // A place can also be the folder of one project: a session's family is searched there.
  const ofProject = paths.flatMap((path) => (path.startsWith(LABEL) ? path.slice(LABEL.length) : []));
  const templates = [...paths, ...ofProject].map(templateOf).toSorted((a, b) => Number(a.isOpen) - Number(b.isOpen));
  const fileNames = [...new Map(templates.map(({ file }) => [file.source, file])).values()];
  const depth = Math.max(...templates.map(({ names, isOpen }) => (isOpen ? MAX_DEPTH : names.length - 1)));

  function refOf({ path, bytes, modifiedMs }: NamedFile, ids: Ids): SessionRef {
    const { parent: parentId = null, agent: agentId = null, label: projectLabel = "" } = ids;
    const id = agentId === null ? (ids.id ?? basename(path, extname(path))) : `agent-${agentId}`;
    return sessionRef({ id, place: agent, agent, path, bytes, modifiedMs, parentId, agentId, projectLabel });
  }

  /** Returns the place of a file, which need not be one of the agent's, and the ids in its path. */
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
      // Computed once for all files of a folder.
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
    // A renamed file still has the id in its content. But a subagent's content may have its parent's id, and a fork's another one.
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

/** Returns the templates for files in folders of these names. */
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
