/** `transcripts archive` */
import { resolve } from "node:path";
import { given } from "../../given.ts";
import { counted } from "../../quantities.ts";
import { openStoreToAsk } from "../../store/open-store.ts";
import { VERSION } from "../../version.ts";
import { between, createQuestion, runnable } from "../command.ts";
import { pagesScript } from "../pages-script.ts";

const definition = createQuestion(
  "archive",
  {
    summary: "Writes the pages of all sessions as files, which need no server.",
    description:
      "The files work opened from disk and on any web server, search included. Secrets are redacted. Running it again writes only what changed, " +
      "and removes pages that are no longer wanted; other files in the folder are not touched.",
    examples: {
      "transcripts archive -o pages": "Writes all sessions to the folder pages.",
      "transcripts archive -o pages --project .": "Writes those of this project.",
    },
    nothing: "no session matches",
  },
  "sessions with activity",
).requiredOption("-o, --output <folder>", "Folder to write: a new or empty one, or an archive.");

export const command = runnable(definition, async (context, _args, options) => {
  const [{ writeArchive }, { archivePages }, { createSite }, { SiteData }, { Refresh }, { Clock }] = await Promise.all([
    import("../../web/archive-writer.ts"),
    import("../../web/archive-pages.ts"),
    import("../../web/site.ts"),
    import("../../web/site-data.ts"),
    import("../../web/refresh.ts"),
    import("../../render/html/view.ts"),
  ]);
  const { signal, now } = context;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const store = await openStoreToAsk(context);
  try {
    const refresh = new Refresh({
      store,
      where: context,
      signal,
      onError: (error) => {
        throw error;
      },
    });
    await refresh.complete();
    const only = {
      ...between(context, options),
      ...given({ project: options.project, agent: options.agent, tags: options.tag }),
    };
    const data = new SiteData({ store, where: context, refresh, timeZone, now, signal, only });
    const site = createSite({ data, place: { clock: new Clock(timeZone) }, script: pagesScript });
    const folder = resolve(context.cwd, options.output);
    const version = `${VERSION} ${timeZone}`;
    const { written, unchanged, removed } = await writeArchive(folder, archivePages({ site, data, version, signal }), {
      signal,
    });
    context.note(`wrote ${counted(written, "file")} to ${folder}; ${unchanged} unchanged, ${removed} removed`);
    if ((await data.archived()).length > 0) return 0;
    context.note("no session matches: the pages are empty");
    return 1;
  } finally {
    await store.close();
  }
});
