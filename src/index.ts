/** opencode-transcripts as a library: recording's formats and writer, the parser, sessions on this machine, pages. */
export { optionsJsonSchema, optionsSchema, parseOptions, type OptionProblem, type Options } from "./config.ts";
export { AppendFile, type AppendFileOptions, type AppendStats, type FlushResult } from "./files/append-file.ts";
export type { AppendFormat, AppendRecord, Gap, TornTail } from "./files/append-format.ts";
export type { FaultEvent } from "./files/fault-episode.ts";
export { describeFault, type Fault } from "./files/fault.ts";
export type { FileHandle, FileSystem } from "./files/file-system.ts";
export { nodeFileSystem } from "./files/node-file-system.ts";
export { WritePool, type WritePoolOptions } from "./files/write-pool.ts";
export * from "./format/index.ts";
export * from "./html/index.ts";
export * from "./parse/index.ts";
export { createRedactor, type RedactionInput, type RedactionResult, type Redactor } from "./redact/redactor.ts";
export { findInSession, type FindFilters, type FindQuery, type Hit, type HitRole } from "./scan/find.ts";
export { scanErrors, type ErrorScanOptions, type ToolError } from "./scan/errors.ts";
export * from "./sessions/index.ts";
export * from "./snippets/index.ts";
export { VERSION } from "./version.ts";
