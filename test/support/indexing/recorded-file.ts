import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Recording } from "../recording/recording.ts";
import { sampleConversation, stepsOf } from "../recording/sample.ts";

interface Recorded {
  sessionID: string;
  format: "jsonl" | "markdown";
  turns: number;
  random: (below: number) => number;
}

/**
 * What the recorder writes of a session. Some of its texts come in pieces, since what is open is written out now and
 * then. `folder` is removed.
 */
export async function recordedFile(folder: string, { sessionID, format, turns, random }: Recorded): Promise<Buffer> {
  const recording = new Recording(folder, { format });
  for (const step of stepsOf(sampleConversation(sessionID, turns))) {
    recording.does(step);
    if (random(8) === 0) await recording.recorder.flush(20_000, "all", "now");
  }
  await recording.end();
  const bytes = readFileSync(join(folder, "transcripts", await recording.recorder.path(sessionID, format)));
  rmSync(folder, { recursive: true });
  return bytes;
}
