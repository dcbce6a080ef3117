/** Converts PostgreSQL and network errors to `TranscriptsError`. No message contains the password. */
import { UnexpectedValue } from "../columns.ts";
import { type ErrorCode, isStoreError, TranscriptsError } from "../../transcripts-error.ts";

const ADDRESS = "TRANSCRIPTS_DATABASE_URL";

interface Told {
  code: ErrorCode;
  problem: string;
  next: string;
}

/** Keyed by SQLSTATE or its class (the first two characters); the full code takes precedence. */
const STATES: Readonly<Record<string, (place: string, message: string, error: Error) => Told>> = {
  "08": unreachable,
  "28": (place) => ({
    code: "unavailable",
    problem: `The database ${place} rejected the user or password.`,
    next: `Correct ${ADDRESS}.`,
  }),
  "3D": (place) => ({
    code: "unavailable",
    problem: `The database ${place} does not exist.`,
    next: `Create it with \`createdb\`, or correct ${ADDRESS}.`,
  }),
  "22": refused,
  "23": refused,
  "54": refused,
  "25006": notWritable,
  "42501": notWritable,
  "42P07": (place, message) => ({
    code: "unavailable",
    problem: `The database ${place} contains tables of another program (${message}).`,
    next: `Name a separate database in ${ADDRESS}.`,
  }),
  "53": (place, message) => ({
    code: "busy",
    problem: `The database ${place} accepts no more connections or requests (${message}).`,
    next: "Try again later, or have its administrator raise the limits.",
  }),
  "53100": (place) => ({
    code: "full",
    problem: `The disk of the database ${place} is full.`,
    next: "Have space freed on the server. Nothing stored earlier is lost.",
  }),
  "40": overtaken,
  "55P03": overtaken,
  "57": unreachable,
  "57014": overtaken,
  XX: damaged,
};

const NETWORK = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "EPIPE"]);
/** Errors for which `pg` sets a message but no code. */
const NETWORK_WORDS = /timeout|connection terminated|not queryable|SSL|certificate|SASL|password/i;

/** Returns the error as a `TranscriptsError`; unchanged if it is not about the database, such as a bug. */
export function asStoreError(error: unknown, place: string): unknown {
  if (isStoreError(error) || !(error instanceof Error)) return error;
  const told = error instanceof UnexpectedValue ? damaged(place, error.message) : toldBy(error, place);
  if (told === undefined) return error;
  return new TranscriptsError(told.code, told.problem, told.next, { cause: error, ...fieldIn(error, told.code) });
}

/**
 * Returns the column that was refused, taken from `Key (event_id)=(…) already exists.` if the error has no column
 * field.
 */
function fieldIn(error: Error, code: ErrorCode): { field?: string } {
  const column: unknown = Reflect.get(error, "column");
  const detail: unknown = Reflect.get(error, "detail");
  const field = typeof column === "string" ? column : /^Key \((\w+)\)/.exec(String(detail))?.[1];
  return code === "invalid" && field !== undefined ? { field } : {};
}

/** Returns the SQLSTATE of a server error, also of one that `asStoreError` converted. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isStoreError(error)) return sqlState(error.cause);
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function toldBy(error: Error, place: string): Told | undefined {
  const code: unknown = Reflect.get(error, "code");
  const state = sqlState(error);
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
    next: `Check that the server is running and that ${ADDRESS} is correct.`,
  };
}

function notWritable(place: string, message: string): Told {
  return {
    code: "read_only",
    problem: `This user may not write to the database ${place} (${message}).`,
    next: "Have access to its schema granted, or name another user in the address.",
  };
}

function damaged(place: string, message: string): Told {
  return {
    code: "damaged",
    problem: `The database ${place} is damaged (${message}).`,
    next: "Have its administrator check it and restore a backup if needed.",
  };
}

function overtaken(place: string, message: string): Told {
  return {
    code: "busy",
    problem: `The database ${place} is busy: another program is still writing (${message}).`,
    next: "Run this again.",
  };
}

function refused(place: string, message: string, error: Error): Told {
  const { field } = fieldIn(error, "invalid");
  return {
    code: "invalid",
    problem: `The database ${place} rejected ${field === undefined ? "a value" : `\`${field}\``} (${message}).`,
    next: "Correct it and try again.",
  };
}
