/** `transcripts tag` */
import { Option } from "@commander-js/extra-typings";
import { neutralLine } from "../../neutral-text.ts";
import { labelSession } from "../../snippets/session-labels.ts";
import { createCommand, jsonObject, runnable, STORED_SESSION, several, type Versioned } from "../command.ts";
import { withStore } from "../../store/open-store.ts";

const definition = createCommand("tag", {
  description:
    "Tags are in the store, not in the session's file, and stay when the file is deleted. --tag of `list`, `find`, `stats`, `errors` and `archive` selects by them. " +
    "`push` copies them to the team's database.",
  examples: {
    "transcripts tag latest release bug/123": "Gives the newest session two tags.",
    "transcripts tag latest --remove release": "Removes a tag.",
    'transcripts tag latest --pin --title "The big migration"': "Pins a session and gives it a title.",
  },
})
  .argument("<SESSION>", STORED_SESSION)
  .argument("[NAME...]", "Tags to add.")
  .option("--remove <name>", "Removes a tag. May be given several times.", several)
  .option("--pin", "Pins the session.")
  .addOption(new Option("--unpin", "Unpins the session.").conflicts("pin"))
  .option("--title <text>", "Title to show instead of the session's own. An empty one brings that back.")
  .addOption(jsonObject("the labels of the session"));

export interface TagOutput extends Versioned {
  session_id: string;
  tags: string[];
  is_pinned: boolean;
  title: string | null;
}

export const command = runnable(definition, async (context, [session, names], options) => {
  const pinned = options.pin ? true : options.unpin ? false : undefined;
  const change = { add: names, remove: options.remove ?? [], pinned, title: options.title };
  const labels = await withStore(context, {}, (store) =>
    labelSession({ store, where: context, signal: context.signal }, session, change),
  );
  const { session_id, tags, is_pinned, label_title: title } = labels;
  if (options.json) await context.printObject({ version: 1, session_id, tags, is_pinned, title } satisfies TagOutput);
  else {
    const facts = [tags.length === 0 ? "no tags" : tags.join(", "), ...(is_pinned ? ["pinned"] : [])];
    const shown = title === null ? facts : [...facts, `title ${JSON.stringify(title)}`];
    await context.out(`${shown.map((each) => neutralLine(each)).join("; ")}\n`);
  }
  return 0;
});
