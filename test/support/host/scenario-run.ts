/** Plays the scenarios of a folder and gives each one's recording, as little one after the other as possible. */
import { limited } from "./limited.ts";
import { startModel, type ModelServer } from "./model.ts";
import { exportSessions } from "./opencode.ts";
import type { Scenario, Stage } from "./scenario.ts";
import { openTheatre, type Theatre } from "./stage.ts";

/** Scenarios that run at once against the shared server: enough to disturb each other, not to starve. */
const AT_ONCE = 6;
/** A scenario that takes longer hangs. On a busy machine some take more than a minute. */
const DEADLINE_MS = 300_000;

export interface Played {
  stage: Stage;
  /** What `opencode export` printed for every session: roots, each followed by those below it. */
  exports: string[];
}

export class ScenarioRun {
  readonly #shared: readonly Scenario[];
  readonly #theatres: Theatre[] = [];
  #model: Promise<ModelServer> | undefined;
  #played: Map<Scenario, Promise<Played>> | undefined;

  constructor(scenarios: readonly Scenario[]) {
    this.#shared = scenarios.filter(({ own }) => own === undefined);
  }

  /** Plays the scenario; with the first that needs no server of its own, all of that kind are played at once. */
  play(scenario: Scenario): Promise<Played> {
    if (scenario.own) return this.#playAlone(scenario);
    this.#played ??= this.#playShared();
    const played = this.#played.get(scenario);
    return played ?? Promise.reject(new Error(`${scenario.name} is not in this run`));
  }

  /** Removes everything. */
  async close(): Promise<void> {
    await Promise.all(this.#theatres.map((theatre) => theatre.remove()));
    await (await this.#model)?.close();
  }

  async #playAlone(scenario: Scenario): Promise<Played> {
    const theatre = await this.#open(scenario.own);
    try {
      const sessions = await drive(scenario, theatre.stage);
      await theatre.close();
      return { stage: theatre.stage, exports: await exportSessions(theatre.stage.sandbox, sessions) };
    } finally {
      await theatre.close();
    }
  }

  #playShared(): Map<Scenario, Promise<Played>> {
    // A snapshot of the project at every step costs more time than all the rest, and sessions wait for each other's.
    const opened = this.#open({ config: { snapshot: false } });
    const turn = limited(AT_ONCE);
    const driven = this.#shared.map((scenario) => turn(async () => drive(scenario, (await opened).stage)));
    // Only after the server has ended is everything on the disk.
    const exported = Promise.allSettled(driven).then(async (ends) => {
      const theatre = await opened;
      await theatre.close();
      const ids = ends.flatMap((end) => (end.status === "fulfilled" ? end.value : []));
      const exports = await exportSessions(theatre.stage.sandbox, ids);
      return { stage: theatre.stage, exports: new Map(exports.map((text, at) => [ids[at], text])) };
    });
    const played = driven.map(async (sessions): Promise<Played> => {
      const ids = await sessions;
      const { stage, exports } = await exported;
      return { stage, exports: ids.map((id) => exports.get(id) ?? "") };
    });
    // Each failure is reported by the scenario's own test.
    for (const promise of [exported, ...played]) promise.catch(() => {});
    return new Map(
      this.#shared.map((scenario, index) => [scenario, played[index] ?? Promise.reject(new Error("lost"))]),
    );
  }

  async #open(own?: Scenario["own"]): Promise<Theatre> {
    this.#model ??= startModel();
    const theatre = await openTheatre(await this.#model, own);
    this.#theatres.push(theatre);
    return theatre;
  }
}

async function drive(scenario: Scenario, stage: Stage): Promise<string[]> {
  for (const [marker, script] of Object.entries(scenario.scripts)) stage.model.script(marker, script);
  const roots = await inTime(scenario.drive(stage), `scenario ${scenario.name} hangs`);
  const families = await Promise.all(roots.map((root) => stage.client.family(root)));
  return families.flat();
}

function inTime<T>(promise: Promise<T>, otherwise: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(otherwise)), DEADLINE_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
