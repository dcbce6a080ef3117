/** The commands that a skill's pages show. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./repository.ts";

export interface SkillPage {
  name: string;
  text: string;
}

export const SKILL_FOLDER = join(REPOSITORY, "skills/transcripts");

export function skillPages(): SkillPage[] {
  const names = readdirSync(SKILL_FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  return names.toSorted().map((name) => ({ name, text: readFileSync(join(SKILL_FOLDER, name), "utf8") }));
}

/** Each line of a bash fence, and each piece of inline code that begins with the name of a program. */
export function commandsIn(page: string): string[] {
  const fences = [...page.matchAll(/^```bash\n([^]*?)\n```$/gm)].flatMap(([, body = ""]) => body.split("\n"));
  const prose = page.replaceAll(/^```[^]*?^```$/gm, "");
  const inline = [...prose.matchAll(/`((?:transcripts|jq|grep) [^`]+)`/g)].map(([, code = ""]) =>
    code.replaceAll("\\|", "|"),
  );
  // An ellipsis marks a pattern that is not meant to be run.
  return [...new Set([...fences, ...inline])].filter((command) => command !== "" && !command.includes("…"));
}
