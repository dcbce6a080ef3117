import { isAbsolute, relative, sep } from "node:path";
import type { Options } from "../../config.ts";
import { writeNewFile } from "../../transcript/files/new-file.ts";
import { nodeFileSystem } from "../../transcript/files/node-file-system.ts";
import type { SaveConversationOptions } from "../../tools/save-conversation/save.ts";
import { createRedaction, formatsOf, NO_REDACTION } from "../../transcript/create-recorder.ts";
import { transcriptsFolder } from "../../transcript/recording-folder.ts";
import type { Shared } from "./shared.ts";

/** Returns the settings with which a session of this host is saved. */
export function saveSettings(shared: Shared, options: Options, root: string): SaveConversationOptions {
  const { dataFolder, recorder, turns } = shared;
  return {
    recorder,
    redaction: options.redact ? createRedaction() : NO_REDACTION,
    recordsEvents: options.events,
    dataFolder,
    transcriptsFolder: transcriptsFolder(dataFolder),
    formats: formatsOf(options.format),
    fs: nodeFileSystem,
    writeNew: async (path, data) => {
      await recorder.folder.check([relative(dataFolder, path)]);
      await recorder.folder.restore();
      return writeNewFile(nodeFileSystem, path, data);
    },
    now: () => new Date(),
    shown: (path) => shortened(path, root),
    // Files written by this package do not count as touched by the session.
    fileName: (path) => (isInside(path, dataFolder) ? undefined : shortened(path, root)),
    ...(shared.host.summarize === undefined
      ? {}
      : { summarizeLater: (sessionID) => turns.whenEnded(sessionID, () => askForSummary(shared, sessionID)) }),
  };
}

/** Makes a path inside the project relative to its root. */
function shortened(path: string, root: string): string {
  return isAbsolute(path) && isInside(path, root) ? relative(root, path) : path;
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function askForSummary(shared: Shared, sessionID: string): void {
  void shared.host.summarize?.(sessionID).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : "unknown error";
    shared.notices.warn(`opencode did not summarize session ${sessionID}: ${why} Run /compact by hand.`);
  });
}
