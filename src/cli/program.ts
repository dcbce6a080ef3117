/** Runs a command: parses the arguments, loads the command, reports errors, returns an exit code. */
import { type CommandContext, CommandOptions } from "./command.ts";
import { createContext } from "./context.ts";
import { ClosedOutput, Interrupted, type Io } from "./io.ts";
import { readArguments } from "./read-arguments.ts";
import { reasonOf } from "../sessions/reasons.ts";
import { type Candidate, TranscriptsError } from "../transcripts-error.ts";

/** Maximum time for a command to clean up after an interruption, in milliseconds. */
const GRACE_MS = 300;

/** Runs `transcripts` with `argv` (without node and the script). Never rejects. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const { context, close } = createContext(io);
  let exitCode: number;
  try {
    exitCode = await untilInterrupted(run(argv, io, context), io.signal);
  } catch (error) {
    exitCode = tellFailure(error, context);
  }
  try {
    // Output from before the failure is useful.
    await context.flush();
  } catch (error) {
    if (!(error instanceof ClosedOutput)) exitCode = tellFailure(error, context);
  }
  await close();
  return exitCode;
}

async function run(argv: readonly string[], io: Io, context: CommandContext): Promise<number> {
  const read = readArguments(argv, { columns: context.columns, now: io.now() });
  if (read.kind === "text") {
    await context.out(read.text);
    return 0;
  }
  if (read.kind === "wrong") {
    context.note(read.message);
    return 2;
  }
  const command = await read.definition.load();
  return command.run(context, read.arguments, new CommandOptions(read.options));
}

/** Ends a command on an interruption, even if it waits for input that never comes. */
async function untilInterrupted(running: Promise<number>, signal: AbortSignal): Promise<number> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    const end = (): void => {
      timer = setTimeout(() => reject(signal.reason), GRACE_MS);
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  try {
    const exitCode = await Promise.race([running, interrupted]);
    return signal.reason instanceof Interrupted ? signal.reason.exitCode : exitCode;
  } finally {
    clearTimeout(timer);
    interrupted.catch(() => undefined);
  }
}

function tellFailure(error: unknown, context: CommandContext): number {
  if (error instanceof ClosedOutput) return 0;
  if (context.signal.reason instanceof Interrupted) return context.signal.reason.exitCode;
  context.note(`transcripts: ${described(error, context)}`);
  return 2;
}

function described(error: unknown, { env }: CommandContext): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TranscriptsError)
    return [error.message, ...error.candidates.slice(0, 10).map(candidate)].join("\n");
  if (env["DEBUG"] && error.stack) return error.stack;
  // The file system or another program refused something; anything else is a bug.
  if ("code" in error && "syscall" in error) {
    const place = "path" in error && typeof error.path === "string" ? error.path : undefined;
    if (place === undefined) return error.message;
    return `${place} cannot be used: ${reasonOf(error)}. Check the path and its permissions.`;
  }
  return `${error.message} This should not happen. DEBUG=1 shows where.`;
}

function candidate({ id, path, database, modifiedMs }: Candidate): string {
  return `  ${id}  ${new Date(modifiedMs).toISOString()}  ${path ?? database ?? ""}`;
}
