/** Opens the pages of all sessions, for `serve` and `archive`. */
import { readFile } from "node:fs/promises";
import { given } from "../given.ts";
import type { Where } from "../places/session-ref.ts";
import type { OnlyFilters } from "../render/html/pages/frame.tsx";
import type { Store } from "../store/store.ts";
import type { LiveSite } from "../web/site.ts";
import type { DataOptions } from "../web/site-data.ts";
import type { CommandContext } from "./context.ts";

interface PagesOptions extends Pick<DataOptions, "only"> {
  /** The filters of `only`, as a user would write them in the options of a command. */
  asked?: OnlyFilters;
  store: Store;
  where: Where;
  onError: (error: unknown) => void;
}

/** Loads the code of the pages, which other commands do not need. */
export async function openPages({ signal, now }: CommandContext, options: PagesOptions) {
  const [{ createSite }, { SiteData }, { Refresh }, { Clock }] = await Promise.all([
    import("../web/site.ts"),
    import("../web/site-data.ts"),
    import("../web/refresh.ts"),
    import("../render/html/view.ts"),
  ]);
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const refresh = new Refresh({ ...options, signal });
  const data = new SiteData({ ...options, timeZone, now, signal });
  const siteWith = (live?: LiveSite) =>
    createSite({
      data,
      place: {
        clock: new Clock(timeZone),
        isTeam: options.store.backend === "postgres",
        ...given({ only: options.asked }),
      },
      script: pagesScript,
      ...given({ live }),
    });
  return { refresh, data, timeZone, siteWith };
}

/** Reads the script of the pages, which was built beside the program. */
function pagesScript(): Promise<string> {
  return readFile(new URL("../script.js", import.meta.url), "utf8");
}
