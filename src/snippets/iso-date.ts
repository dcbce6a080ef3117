/** Dates as programs and models write them. */

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;
const DAY_MS = 86_400_000;

/**
 * An ISO 8601 day or time; without a zone it is UTC. A day alone means its first moment, or with `edge` `end` its last
 * one. Undefined if it is no such date, or one that no calendar has (2026-02-30).
 */
export function readIsoDate(text: string, edge: "start" | "end"): Date | undefined {
  const day = DAY.exec(text);
  const parts = day ?? TIME.exec(text);
  if (parts === null || !isInCalendar(Number(parts[1]), Number(parts[2]), Number(parts[3]))) return undefined;
  const iso = day === null ? `${text.replace(" ", "T").toUpperCase()}${parts[4] === undefined ? "Z" : ""}` : text;
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return undefined;
  return new Date(day !== null && edge === "end" ? ms + DAY_MS - 1 : ms);
}

function isInCalendar(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
