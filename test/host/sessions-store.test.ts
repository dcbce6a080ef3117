/** Sessions in opencode's own database, read while opencode runs, against `opencode export` and our transcripts. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { sessionFamily, type SessionNode } from "../../src/sessions/session-family.ts";
import type { Place, Where } from "../../src/places/session-ref.ts";
import { startModel } from "../support/host/model.ts";
import { exportSession } from "../support/host/process.ts";
import { loadScenarios, openTheatre, type Theatre } from "../support/host/stage.ts";
import { REPOSITORY } from "../support/repository.ts";
import { test } from "../support/runner.ts";
import { exportedFrom } from "../unit/sessions-machine.ts";

const PLAYED = new Set(["compaction", "image", "nasty-content", "nested-subagent", "revert", "todo"]);

test("a stored session is what opencode exports, and its tree is that of our transcripts", async () => {
  const model = await startModel();
  const theatre = await openTheatre(model);
  try {
    for (const scenario of await loadScenarios(join(REPOSITORY, "test/host/scenarios"))) {
      if (!PLAYED.has(scenario.name)) continue;
      for (const [name, script] of Object.entries(scenario.scripts)) model.script(name, script);
      await scenario.drive(theatre.stage);
    }
    await compareExports(theatre);
    await compareTrees(theatre);
  } finally {
    await theatre.close();
    await theatre.remove();
    await model.close();
  }
});

async function compareExports(theatre: Theatre): Promise<void> {
  const { sessions, unreadable } = await findSessions(storeOf(theatre));
  assert.deepEqual(unreadable, []);
  assert.ok(sessions.length > PLAYED.size);
  for (const ref of sessions) {
    const { messages } = JSON.parse(await exportSession(theatre.stage.sandbox, ref.id));
    assert.deepEqual((await exportedFrom(ref.database ?? "", ref.id)).messages, messages, ref.title ?? "");
  }
}

async function compareTrees(theatre: Theatre): Promise<void> {
  const stored = await treesOf(storeOf(theatre));
  const { projectDir } = theatre.stage.sandbox;
  const path = join(projectDir, ".openfleet", "transcripts");
  assert.deepEqual(await treesOf(whereOf(theatre, { agent: "transcript", path })), stored);
  assert.ok(stored.some((tree) => /^\w+\(\w+\(\w+\)\)$/.test(tree)));
}

async function treesOf(where: Where): Promise<string[]> {
  const { sessions } = await findSessions(where);
  const families = await Promise.all(sessions.map((ref) => sessionFamily(ref, where)));
  return families.map(({ root }) => shape(root)).toSorted();
}

/** `a(b c(d))`: the ids in a tree. */
function shape({ ref, children }: SessionNode): string {
  return children.length === 0 ? ref.id : `${ref.id}(${children.map(shape).join(" ")})`;
}

function storeOf(theatre: Theatre): Where {
  const data = theatre.stage.sandbox.env["XDG_DATA_HOME"] ?? "";
  return whereOf(theatre, { agent: "opencode", path: join(data, "opencode", "opencode.db") });
}

function whereOf({ stage }: Theatre, root: Place): Where {
  return { env: {}, home: stage.sandbox.root, cwd: stage.sandbox.projectDir, roots: [root] };
}
