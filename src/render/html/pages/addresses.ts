/**
 * Addresses of the pages, relative to the root. They contain ids, never paths of this machine, and are valid file names, so
 * that the server and the archive have the same.
 */

import { createHash } from "node:crypto";

/** Entries on one page of a session. */
export const ENTRIES_PER_PAGE = 300;

/** Filters of the list of sessions, as in its address. Empty texts are left out. */
export interface Filters {
  agent?: string;
  /** Folder of the project, or the folder's name. */
  project?: string;
  /** Name of a tool that was used, and of a model that answered. */
  tool?: string;
  model?: string;
  /** Dates such as `2026-01-31`, both included. */
  since?: string;
  until?: string;
  /** Only sessions with failed calls. */
  failed?: boolean;
  tag?: string;
  /** Text in the conversation. */
  text?: string;
}

/**
 * Address of a page of the list. One filter alone, the most frequent case, has pages of its own, which the archive has too;
 * others are in the query, and need the server.
 */
export function sessionsAddress(filters: Filters = {}, page = 1): string {
  const only = pageOfFilter(filters);
  if (only !== undefined) return `${only}${page === 1 ? "" : `.${page}`}.html`;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    if (value === true) query.set(name, "yes");
    else if (typeof value === "string" && value !== "") query.set(name, value);
  }
  if (page > 1) query.set("page", String(page));
  return `index.html?${query}`;
}

function pageOfFilter(filters: Filters): string | undefined {
  const { agent, project, tool, model, since, until, tag } = filters;
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "index";
  if (since !== undefined && since === until && given.length === 2) return `days/${fileName(since)}`;
  if (given.length > 1) return undefined;
  if (agent !== undefined) return `agents/${fileName(agent)}`;
  if (tool !== undefined) return `tools/${fileName(tool)}`;
  if (model !== undefined) return `models/${fileName(model)}`;
  if (tag !== undefined) return `tags/${fileName(tag)}`;
  return project === undefined ? undefined : `projects/${idOfPath(project)}`;
}

/** Reads a path that `sessionsAddress` wrote; a project is an id there. Undefined for any other path. */
export function listIn(path: string): { filters: Filters; projectId?: string; page: number } | undefined {
  const [, folder, name = "", number = "1"] =
    /^(?:(agents|projects|tools|models|tags|days)\/)?([^/.]+)(?:\.(\d{1,6}))?\.html$/.exec(path) ?? [];
  const page = Number(number);
  if (folder === undefined) return name === "index" ? { filters: {}, page } : undefined;
  const id = idIn(name);
  if (id === undefined) return undefined;
  if (folder === "projects") return { filters: {}, projectId: id, page };
  if (folder === "days") return { filters: { since: id, until: id }, page };
  return { filters: { [folder.slice(0, -1)]: id }, page };
}

/** Names a file, a folder or an error in addresses. */
export function idOfPath(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

/** Reads the query that `sessionsAddress` wrote. */
export function filtersIn(query: URLSearchParams): { filters: Filters; page: number } {
  const filters: Filters = {};
  for (const name of ["agent", "project", "tool", "model", "since", "until", "tag", "text"] as const) {
    const value = query.get(name)?.trim();
    if (value !== undefined && value !== "") filters[name] = value;
  }
  if (query.get("failed") === "yes") filters.failed = true;
  const page = Number(query.get("page") ?? 1);
  return { filters, page: Number.isInteger(page) && page > 0 ? page : 1 };
}

/** Address of a session, or of an entry in it: on a page of its own if the session is long. `id`: unique among sessions. */
export function sessionAddress(id: string, ordinal?: number): string {
  const folder = `sessions/${fileName(id)}`;
  if (ordinal === undefined) return `${folder}/index.html`;
  return `${folder}/${sessionPageName(Math.floor(ordinal / ENTRIES_PER_PAGE) + 1)}#m${ordinal}`;
}

/** Name of a page of a session in its folder. The first is 1. */
export function sessionPageName(page: number): string {
  return page === 1 ? "index.html" : `${page}.html`;
}

/** Name of the page with the rows of a page of a session, in its folder. */
export function rowsPageName(page: number): string {
  return `rows.${page}.html`;
}

export function changesAddress(id: string): string {
  return `sessions/${fileName(id)}/changes.html`;
}

/** `id`: see `idOfPath`. */
export function fileAddress(id: string): string {
  return `files/${fileName(id)}.html`;
}

/** `id`: `idOfPath` of the error's signature. */
export function failureAddress(id: string): string {
  return `failures/${fileName(id)}.html`;
}

export const FAILURES = "failures.html";
export const FILES = "files.html";
export const FIGURES = "figures.html";
export const STYLE_SHEET = "style.css";
export const SCRIPT = "script.js";

/** Writes an id as a file name that every system accepts. */
export function fileName(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/gu, (char) =>
    [...new TextEncoder().encode(char)].map((byte) => `~${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

/** Reads what `fileName` wrote; undefined for any other text. */
export function idIn(name: string): string | undefined {
  if (!/^(?:[A-Za-z0-9_-]|~[0-9a-f]{2})+$/.test(name)) return undefined;
  let id: string;
  try {
    id = decodeURIComponent(name.replaceAll("~", "%"));
  } catch {
    return undefined;
  }
  return fileName(id) === name ? id : undefined;
}
