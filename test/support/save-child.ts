/** One of several processes that save at once: `save-child.ts DATA_FOLDER COUNT`. Prints the path of each saved file. */
import { PlayedSession } from "./played-session.ts";
import { startSaving } from "./saving.ts";

const [dataFolder = "", count = ""] = process.argv.slice(2);
const { records } = new PlayedSession("ses_shared", { isNew: false }).user("Hello").answer("Hi.").idle();
const saving = startSaving({ dataFolder, history: new Map([["ses_shared", records]]) });
const saved = await Promise.all(Array.from({ length: Number(count) }, () => saving.saved("ses_shared")));
for (const { path } of saved) process.stdout.write(`${path}\n`);
