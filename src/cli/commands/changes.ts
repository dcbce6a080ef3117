/** `transcripts changes` */
import type { Conversation } from "../../queries/read-session.ts";
import { changesIn, type ChangedSession, type FileChanges } from "../../queries/file-changes.ts";
import { wantedFile } from "../../queries/wanted-file.ts";
import { changesSum, fileDiffText } from "../../render/text/changes-text.ts";
import { createCommand, jsonLines, runnable, SESSION, team, type Versioned } from "../command.ts";
import { headingText } from "../print-conversation.ts";
import { redactorFor, shownRef } from "../redaction.ts";
import { conversationOf, familyRefs, sessionNamed } from "../session-input.ts";
import { argumentFor } from "../session-names.ts";

const definition = createCommand("changes", {
  description:
    "Edits are in order, as the calls made them, each with its line in the session; failed calls are left out. A diff has line numbers of the file " +
    "only if the session wrote the whole file. For shell commands that change files (redirections, tee, sed -i, mv, cp, rm, git checkout) " +
    "the command is shown instead; what a script, a formatter or a build changed is not known.",
  examples: {
    "transcripts changes latest": "Shows the changes of the newest session.",
    "transcripts changes latest --file src/cart.ts": "Shows the changes of one file.",
    "transcripts changes latest --json | jq -r .path": "Lists the changed files.",
  },
  nothing: "the session changed no file",
})
  .argument("<SESSION>", SESSION)
  .option("--file <path>", "Only this file: a path, or the end of one, such as a name.")
  .addOption(team)
  .addOption(jsonLines("each file"));

export interface ChangesOutput extends Versioned, FileChanges {}

export const command = runnable(definition, async (context, [argument], options) => {
  const wanted = options.file === undefined ? undefined : wantedFile(options.file, context);
  const ref = await sessionNamed(context, argument);
  const redactor = redactorFor();
  const sessions: (ChangedSession & { conversation: Conversation })[] = [];
  for (const each of await familyRefs(context, ref)) {
    const conversation = await conversationOf(context, each, { redactor, costs: false });
    const label = each === ref ? null : (conversation.metadata.title ?? each.agentId ?? conversation.id);
    sessions.push({ conversation, label });
  }
  const files = changesIn(sessions, wanted);
  const [session] = sessions;
  if (options.json) {
    for (const file of files) await context.printLine({ version: 1, ...file } satisfies ChangesOutput);
  } else if (files.length > 0 && session) {
    const { conversation } = session;
    if (context.isTerminal) await context.out(headingText(context, await shownRef(redactor, ref), conversation));
    for (const file of files) await context.out(`${fileDiffText(file, conversation.metadata.cwd, context)}\n\n`);
  }
  if (files.length === 0) context.note(wanted === undefined ? "no file was changed" : `${wanted} was not changed`);
  else context.note(`${changesSum(files)}; \`transcripts show ${argumentFor(ref)} --line N\` shows a call`);
  return files.length > 0 ? 0 : 1;
});
