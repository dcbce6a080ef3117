/** Dates as a person writes them, for the command line. */
export { readDate, readEndDate, startOfDay } from "../parse/read-date.ts";
