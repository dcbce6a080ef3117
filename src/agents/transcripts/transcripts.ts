import { basename, dirname, extname, join } from "node:path";
import { given } from "../../given.ts";
import { isWithin } from "../../transcript/files/data-folder.ts";
import { DATA_FOLDER, safeSegment } from "../../transcript/transcript-paths.ts";
import { configuredFolder } from "../../user-folders.ts";
import type { Agent, ScannedSessions } from "../agent.ts";
import { configPlaces, type HostSurroundings, optionsOf, pluginEntries } from "../opencode/host-config.ts";
import { nearestWith } from "../../places/project-folder.ts";
import type { SessionFiles } from "../../places/session-files.ts";
import { type SessionRef, sessionRef, type Place, type Where } from "../../places/session-ref.ts";
import { walk, type WalkedFile } from "../../places/walk.ts";
import { attachmentReader, outputReader, transcriptsFolderOf } from "./read-kept-files.ts";
import { jsonl, markdown } from "./transcript-files.ts";

/** Depth of `{session}.md` and `{parent}/{session}.md`; outputs and attachments are deeper. */
const DEPTH = 1;
/** An id of opencode, by which the files and folders are named. */
const SESSION_ID = /^ses_[A-Za-z0-9]+$/;
const RECORDED = /^ses_[A-Za-z0-9]+\.(?:jsonl|md)$/;

const NAME = "transcript";
/** Agent whose sessions are recorded. Kilo's have this name too, unless its database has them. */
const RECORDED_AGENT = "opencode";

const FORMATS = [jsonl, markdown];

/** Sessions that this program recorded. */
export const transcripts: Agent = {
  name: NAME,
  displayName: "transcripts",
  isRecorder: true,
  hasForms: true,
  forksChangeIds: true,
  formats: FORMATS,
  places,
  scan,
  fileRef: (file, head) =>
    sessionRef({
      ...file,
      id: head.sessionId ?? basename(file.path, extname(file.path)),
      place: NAME,
      agent: RECORDED_AGENT,
      project: projectOf(transcriptsFolderOf(file.path, head.parentId)),
    }),
  open: (ref, files, content) => ({
    open: (options) => content.open({ ...options, readOutput: options.readOutput ?? outputReader(ref, files) }),
  }),
  attachments: attachmentReader,
  placeOf: (path, { parentId }) => {
    const folder = transcriptsFolderOf(path, parentId);
    return { agent: NAME, path: folder, within: projectOf(folder) ?? folder };
  },
  belongings: (path, { id, parentId }) => [join(transcriptsFolderOf(path, parentId), safeSegment(id))],
};

/**
 * Returns the `transcripts` of `.openfleet`, in the nearest folder from `cwd` upwards that has one, and of the folder that
 * the recorder's option `directory` names in opencode's configuration. No symbolic link may lead out of the project unless
 * the user's own configuration has `followLinks`.
 */
async function places(where: Where, files: SessionFiles): Promise<Place[]> {
  const data = nearestWith([DATA_FOLDER], where.cwd, files);
  const root = nearestWith([".git"], where.cwd, files) ?? where.cwd;
  const { folders, followLinks } = await recorderConfig(where, root, files);
  const recorded = new Set([join(data ?? where.cwd, DATA_FOLDER), ...folders]);
  /** Project that contains the folder; for a folder configured outside of it, the folder itself. */
  const within = (folder: string): Pick<Place, "within"> => {
    if (followLinks) return {};
    const project = [root, data ?? where.cwd].find((each) => isWithin(each, folder));
    return { within: project ?? folder };
  };
  return [...recorded].map((path) => ({ agent: NAME, path: join(path, "transcripts"), ...within(path) }));
}

interface RecorderConfig {
  /** Folders named by the option `directory`; none without the option. */
  folders: string[];
  /** The user's own configuration has the option `followLinks`. That of a project does not count, as it may have come with a clone. */
  followLinks: boolean;
}

/** Reads the recorder's folders from the configuration of opencode and Kilo. */
async function recorderConfig(where: HostSurroundings, root: string, files: SessionFiles): Promise<RecorderConfig> {
  const hosts = (["opencode", "kilo"] as const).flatMap((host) => configPlaces(host, where, undefined));
  const entries = await pluginEntries(hosts, where, files);
  const ofUser = entries.filter(({ scope }) => scope === "user");
  const directories = optionsOf(entries).flatMap(({ directory }) =>
    typeof directory === "string" && directory.trim() !== "" ? [directory] : [],
  );
  return {
    folders: [...new Set(directories.map((directory) => configuredFolder(root, directory, where.home)))],
    followLinks: optionsOf(ofUser).some(({ followLinks }) => followLinks === true),
  };
}

/** Finds the sessions recorded in a `transcripts` folder: `{session}.md` and `{parent}/{session}.md`, or `.jsonl`. */
async function scan({ path: root, within }: Place, files: SessionFiles): Promise<ScannedSessions> {
  const { files: found, unreadable } = walk(root, {
    files,
    depth: DEPTH,
    accepts: (name) => RECORDED.test(name),
    ...given({ within }),
  });
  return { sessions: found.flatMap((file) => transcriptRef(root, file) ?? []), unreadable };
}

function transcriptRef(root: string, { path, folders, bytes, modifiedMs }: WalkedFile): SessionRef | undefined {
  const [parentId = null] = folders;
  if (parentId !== null && !SESSION_ID.test(parentId)) return undefined;
  const id = basename(path, extname(path));
  return sessionRef({
    id,
    place: NAME,
    agent: RECORDED_AGENT,
    path,
    parentId,
    bytes,
    modifiedMs,
    project: projectOf(root),
  });
}

/** Returns the project of a transcripts folder; null if it is not in one. */
function projectOf(transcriptsFolder: string): string | null {
  const data = dirname(transcriptsFolder);
  return basename(data) === DATA_FOLDER ? dirname(data) : null;
}
