/** Agents that keep each session in a file: they declare the layout of their folders, and finding sessions follows from it. */
import { basename, dirname, extname, join, sep } from "node:path";
import { type SessionRef, sessionRef } from "../places/session-ref.ts";
import { walk } from "../places/walk.ts";
import { agentFolder } from "../user-folders.ts";
import type { Agent, NamedFile } from "./agent.ts";

export interface FileLayout {
  /** Name of the agent. */
  agent: string;
  /** Environment variables that name the agent's folder; the first one set counts. */
  variables: readonly string[];
  /** The folder without them, below the home folder. */
  usual: string;
  /** Folders below it that have sessions. */
  places: readonly string[];
  /**
   * Paths of sessions below a place; the first that matches counts. `*` is any text in a name. `{id}`: the session's id;
   * `{uuid}`: the same, if other text comes before it. `{parent}`: the session that started it. `{agent}`: a subagent, whose
   * session is called `agent-` with this.
   */
  paths: readonly string[];
}

interface Ids {
  id?: string;
  parent?: string;
  agent?: string;
}

/** Patterns for the names in a path. */
type Template = readonly RegExp[];

/** Returns the members of an agent that follow from its layout. */
export function inFiles(layout: FileLayout) {
  const { agent, variables, usual, places } = layout;
  const templates = layout.paths.map((path): Template => path.split("/").map(namePattern));
  const depth = Math.max(...templates.map(({ length }) => length)) - 1;

  function refOf({ path, bytes, modifiedMs }: NamedFile, ids: Ids): SessionRef {
    const { parent: parentId = null, agent: agentId = null } = ids;
    const id = agentId === null ? (ids.id ?? basename(path, extname(path))) : `agent-${agentId}`;
    return sessionRef({ id, place: agent, agent, path, bytes, modifiedMs, parentId, agentId });
  }

  /** Returns the place of a file at any path, by the names before it, and the ids in its path. */
  function located(path: string): { place: string; ids: Ids } {
    const names = path.split(/[\\/]/);
    for (const template of templates) {
      const ids = idsIn(template, names.slice(-template.length));
      if (ids !== undefined) return { place: names.slice(0, -template.length).join(sep) || sep, ids };
    }
    return { place: dirname(path), ids: {} };
  }

  return {
    name: agent,
    places: async (where) => places.map((name) => ({ agent, path: join(agentFolder(where, variables, usual), name) })),
    scan: async ({ path }, files, { seen }) => {
      const { files: found, unreadable } = walk(path, {
        files,
        depth,
        accepts: (name) => templates.some((template) => template.at(-1)?.test(name)),
        enters: (names) => templates.some((template) => idsIn(template.slice(0, names.length), names) !== undefined),
        seen,
      });
      const sessions = found.flatMap((file) => {
        const [ids] = templates.flatMap((template) => idsIn(template, file.segments) ?? []);
        return ids === undefined ? [] : refOf(file, ids);
      });
      return { sessions, unreadable };
    },
    // The content of a file that was renamed has its id; that of a subagent's file may have its parent's.
    fileRef: (file, { sessionId }) => {
      const ref = refOf(file, located(file.path).ids);
      return ref.agentId === null && sessionId !== null ? { ...ref, id: sessionId } : ref;
    },
    placeOf: (path) => ({ agent, path: located(path).place }),
  } satisfies Partial<Agent>;
}

const GROUPS: Readonly<Record<string, string>> = {
  "*": ".*",
  "{id}": "(?<id>.+)",
  "{uuid}": "(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
  "{parent}": "(?<parent>.+)",
  "{agent}": "(?<agent>.+)",
};

function namePattern(name: string): RegExp {
  return new RegExp(`^${name.replace(/\*|\{\w+\}|\./g, (part) => GROUPS[part] ?? `\\${part}`)}$`);
}

/** Returns the ids in names that match a template. */
function idsIn(template: Template, names: readonly string[]): Ids | undefined {
  if (template.length !== names.length) return undefined;
  const ids: Ids = {};
  for (const [at, pattern] of template.entries()) {
    const found = pattern.exec(names[at] ?? "");
    if (found === null) return undefined;
    Object.assign(ids, found.groups);
  }
  return ids;
}
