/** Dates as a person writes them, for the command line. */
export { readDate, startOfDay } from "../parse/read-date.ts";
