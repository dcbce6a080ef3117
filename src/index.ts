/** opencode-transcripts as a library: the file formats, the append writer and the recorder. */
export { optionsJsonSchema, optionsSchema, parseOptions, type OptionProblem, type Options } from "./config.ts";
export { TranscriptError, type TranscriptErrorCode } from "./errors.ts";
export * from "./format/index.ts";
