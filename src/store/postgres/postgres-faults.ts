/** What PostgreSQL and the network say, as a `StoreError`. No message has the password. */
import { UnexpectedValue } from "../row.ts";
import { StoreError, type StoreErrorCode } from "../store-error.ts";

const ADDRESS = "TRANSCRIPTS_DATABASE_URL";

interface Told {
  code: StoreErrorCode;
  problem: string;
  next: string;
}

/** By SQLSTATE, or its first characters; the longest that fits counts. */
const STATES: Readonly<Record<string, (place: string, message: string, error: Error) => Told>> = {
  "08": unreachable,
  "28": (place) => ({
    code: "unavailable",
    problem: `The database ${place} refuses this user or password.`,
    next: `Correct ${ADDRESS}.`,
  }),
  "3D": (place) => ({
    code: "unavailable",
    problem: `There is no database ${place}.`,
    next: `Create it with \`createdb\`, or correct ${ADDRESS}.`,
  }),
  "22": refused,
  "23": refused,
  "54": refused,
  "25006": notWritable,
  "42501": notWritable,
  "42P07": (place, message) => ({
    code: "unavailable",
    problem: `The database ${place} has tables of another program (${message}).`,
    next: `Give the store a database of its own in ${ADDRESS}.`,
  }),
  "53": (place, message) => ({
    code: "busy",
    problem: `The database ${place} has no room for another request (${message}).`,
    next: "Run this again later, or have its limits raised.",
  }),
  "53100": (place) => ({
    code: "full",
    problem: `The disk of the database ${place} is full.`,
    next: "Have space freed on the server; nothing that was stored is lost.",
  }),
  "40": overtaken,
  "55P03": overtaken,
  "57": unreachable,
  "57014": overtaken,
  XX: damaged,
};

const NETWORK = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "EPIPE"]);
/** What `pg` says in words only. */
const NETWORK_WORDS = /timeout|connection terminated|not queryable|SSL|certificate|SASL|password/i;

/** The error as one of ours, or as it is if it tells nothing about the database: a mistake in this program. */
export function asStoreError(error: unknown, place: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const told = error instanceof UnexpectedValue ? damaged(place, error.message) : toldBy(error, place);
  if (told === undefined) return error;
  return new StoreError(told.code, told.problem, told.next, { cause: error, ...fieldIn(error, told.code) });
}

/** The column that a refusal is about: `Key (event_id)=(…) already exists.` where it does not say so itself. */
function fieldIn(error: Error, code: StoreErrorCode): { field?: string } {
  const column: unknown = Reflect.get(error, "column");
  const detail: unknown = Reflect.get(error, "detail");
  const field = typeof column === "string" ? column : /^Key \((\w+)\)/.exec(String(detail))?.[1];
  return code === "invalid" && field !== undefined ? { field } : {};
}

/** The SQLSTATE of an error of the server. */
export function stateOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function toldBy(error: Error, place: string): Told | undefined {
  const code: unknown = Reflect.get(error, "code");
  const state = stateOf(error);
  if (state !== undefined && !NETWORK.has(state)) {
    const teller = STATES[state] ?? STATES[state.slice(0, 2)];
    return teller?.(place, error.message, error);
  }
  const isNetwork = (typeof code === "string" && NETWORK.has(code)) || NETWORK_WORDS.test(error.message);
  if (error instanceof AggregateError || isNetwork) return unreachable(place, error.message);
  return undefined;
}

function unreachable(place: string, message: string): Told {
  const why = message === "" ? "" : ` (${message})`;
  return {
    code: "unavailable",
    problem: `The database ${place} cannot be reached${why}.`,
    next: `See that the server runs and that ${ADDRESS} is right, or unset it to use the file of this machine.`,
  };
}

function notWritable(place: string, message: string): Told {
  return {
    code: "read_only",
    problem: `The database ${place} may not be written by this user (${message}).`,
    next: "Have the rights to its schema granted, or name another user in the address.",
  };
}

function damaged(place: string, message: string): Told {
  return {
    code: "damaged",
    problem: `The database ${place} is damaged (${message}).`,
    next: "Have the server looked at, and restored from its backup if need be.",
  };
}

function overtaken(place: string, message: string): Told {
  return {
    code: "busy",
    problem: `Somebody else has been writing to the database ${place} for longer than we wait (${message}).`,
    next: "Run this again.",
  };
}

function refused(place: string, message: string, error: Error): Told {
  const { field } = fieldIn(error, "invalid");
  return {
    code: "invalid",
    problem: `The database ${place} refuses ${field === undefined ? "a value" : `\`${field}\``} (${message}).`,
    next: "Correct it and try again.",
  };
}
