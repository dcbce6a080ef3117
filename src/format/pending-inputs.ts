/** Inputs of calls whose results have not been read yet: a result whose comment says `sameInput` takes its input here. */

/** Calls that never end (an abort) would stay for ever; beyond this many the oldest is forgotten. */
const MAX_PENDING = 1000;

interface Call {
  callID: string;
  partID: string | undefined;
}

export class PendingInputs {
  readonly #inputs = new Map<string, Call & { input: unknown }>();

  add(call: Call, input: unknown): void {
    const key = keyOf(call);
    this.#inputs.delete(key);
    this.#inputs.set(key, { ...call, input });
    if (this.#inputs.size <= MAX_PENDING) return;
    for (const oldest of this.#inputs.keys()) {
      this.#inputs.delete(oldest);
      break;
    }
  }

  /** The input of the result's call, which is then forgotten: the same part, else the latest with that call ID. */
  take(result: Call): { input: unknown } | undefined {
    const key = keyOf(result);
    const exact = this.#inputs.get(key);
    if (exact !== undefined) {
      this.#inputs.delete(key);
      return exact;
    }
    const latest = [...this.#inputs].findLast(([, call]) => call.callID === result.callID);
    if (latest !== undefined) this.#inputs.delete(latest[0]);
    return latest?.[1];
  }
}

function keyOf(call: Call): string {
  return JSON.stringify([call.callID, call.partID]);
}
