/** The process that the driver kills: `child.ts SUBJECT FOLDER LOG GENERATION SEED [clean]`. */
import { pathToFileURL } from "node:url";
import { LifeLog } from "./life-log.ts";
import type { CrashSubject } from "./subject.ts";

const [subjectPath = "", folder = "", logPath = "", generation = "", seed = "", clean = ""] = process.argv.slice(2);
const module: { default: CrashSubject } = await import(pathToFileURL(subjectPath).href);
const log = new LifeLog(logPath);
await module.default.start({
  folder,
  generation: Number(generation),
  seed: Number(seed),
  clean: clean === "clean",
  begins: () => process.stdout.write("ready\n"),
  accepted: (id, file) => log.accepted(id, file),
});
