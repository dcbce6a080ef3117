import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "../../src/config.ts";
import { sessionRecord } from "../../src/host/opencode/events.ts";
import { storedRecords } from "../../src/host/opencode/queries.ts";
import { jsonl } from "../../src/parse/sources/jsonl.ts";
import { markdown } from "../../src/parse/sources/markdown.ts";
import { opencodeExport } from "../../src/parse/sources/opencode-export.ts";
import { conversation, readSource, type SourceReading } from "../support/parse/source.ts";
import { Recording, transcriptsIn } from "../support/recording/recording.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const CORPUS = join(REPOSITORY, "../shared/corpus/opencode-export");

interface Export {
  info: { id: string };
  messages: unknown[];
}

/** What the recorder makes of a session that the host has stored, read back from both formats, and the export itself. */
async function readings(
  session: Export,
  options: Partial<Options> = {},
): Promise<Record<"markdown" | "jsonl" | "export", SourceReading>> {
  const folder = join(makeTempDir(), ".openfleet");
  const queries = {
    session: async (id: string) => sessionRecord(id === session.info.id ? { ...session.info } : { id }, false),
    history: async () => session.messages.flatMap(storedRecords),
  };
  const recording = new Recording(folder, { format: "both", queries, ...options });
  await recording.recorder.recall(session.info.id);
  await recording.end();
  const root = join(folder, "transcripts");
  const read = async (extension: string): Promise<Buffer> => {
    const [path = ""] = transcriptsIn(folder).filter((name) => name.endsWith(`${session.info.id}${extension}`));
    return readFileSync(join(root, path));
  };
  const readOutput = async (path: string): Promise<string> => readFileSync(join(root, path), "utf8");
  return {
    markdown: await readSource(markdown, await read(".md"), { readOutput }),
    jsonl: await readSource(jsonl, await read(".jsonl")),
    export: await readSource(opencodeExport, JSON.stringify(session, null, 2)),
  };
}

const files = existsSync(CORPUS)
  ? readdirSync(CORPUS, { recursive: true, encoding: "utf8" }).filter((name) => /\.jsonl?$/.test(name))
  : [];

if (files.length === 0) {
  test(`skipped: the exports are not here (${CORPUS})`, () => undefined);
} else {
  describe("a session of the corpus", () => {
    for (const name of files.toSorted()) {
      test(`${name}: its export and both of its transcripts are the same conversation`, async () => {
        const session: Export = JSON.parse(readFileSync(join(CORPUS, name), "utf8"));
        const { markdown: md, jsonl: lines, export: exported } = await readings(session);
        assert.deepEqual(md.errors, []);
        assert.deepEqual(lines.errors, []);
        assert.deepEqual(exported.errors, []);
        assert.deepEqual(conversation(lines), conversation(md));
        assert.deepEqual(conversation(exported), conversation(md));
      });
    }
  });
}
