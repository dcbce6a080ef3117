/** `transcripts archive` */
import { readBetween } from "../../queries/figures.ts";
import { resolve } from "node:path";
import { given } from "../../given.ts";
import { counted } from "../../quantities.ts";
import { openStoreToAsk } from "../../store/open-store.ts";
import { VERSION } from "../../version.ts";
import { createQuestion, runnable } from "../command.ts";
import { projectFolder } from "../page-note.ts";
import { openPages } from "../open-pages.ts";

const definition = createQuestion(
  "archive",
  {
    description:
      "The files work opened from disk and on any web server, search included. Secrets are redacted. Running it again writes only what changed, " +
      "and removes pages that no longer belong to it; other files in the folder stay.",
    examples: {
      "transcripts archive -o pages": "Writes all sessions to the folder pages.",
      "transcripts archive -o pages --project .": "Writes the sessions of this project.",
    },
    nothing: "no session matches",
  },
  "sessions with activity",
).requiredOption("-o, --output <folder>", "Folder to write to: a new or empty one, or an earlier archive.");

export const command = runnable(definition, async (context, _args, options) => {
  const [{ writeArchive }, { archivePages }] = await Promise.all([
    import("../../web/archive-writer.ts"),
    import("../../web/archive-pages.ts"),
  ]);
  const { signal } = context;
  const store = await openStoreToAsk(context);
  try {
    const { project, agent, tag: tags, since, until } = options;
    const only = { ...readBetween(options, context.now()), ...given({ project, agent, tags }) };
    const folderAsked = project === undefined ? undefined : projectFolder(context, project);
    const asked = given({ project: folderAsked, agent, tags, since, until });
    const onError = (error: unknown): void => {
      throw error;
    };
    const { refresh, data, timeZone, siteWith } = await openPages(context, {
      store,
      where: context,
      only,
      asked,
      onError,
    });
    await refresh.complete();
    const folder = resolve(context.cwd, options.output);
    const pages = archivePages({
      site: siteWith(),
      data,
      version: JSON.stringify([
        VERSION,
        timeZone,
        asked,
        only.since?.toISOString().slice(0, 10),
        only.until?.toISOString().slice(0, 10),
      ]),
      signal,
    });
    const { written, unchanged, removed } = await writeArchive(folder, pages, { signal });
    context.note(`wrote ${counted(written, "file")} to ${folder}; ${unchanged} unchanged, ${removed} removed`);
    if ((await data.sessions({}, 1)).total > 0) return 0;
    context.note("no session matches: the pages are empty");
    return 1;
  } finally {
    await store.close();
  }
});
