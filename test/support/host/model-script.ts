/**
 * The language of a scripted model: what it sends back, action by action.
 *
 * A prompt names its script with a marker, `scenario:NAME`. The marker travels with the conversation, so one server
 * plays any number of sessions at once, subagents (whose prompt holds a marker of their own) included.
 */

/** Tokens that the model claims to have used. */
export interface ModelUsage {
  /** All input tokens, cached ones included, as OpenAI counts them. */
  prompt: number;
  /** All output tokens, reasoning included. */
  completion: number;
  cached?: number;
  reasoning?: number;
}

/** One thing that the model does within one answer, in the order given. */
export type ModelAction =
  | { kind: "text" | "reasoning"; text: string; pieces: number; delayMs: number }
  | { kind: "call"; tool: string; callID: string | undefined; arguments: string; pieces: number }
  | { kind: "arguments"; piece: string }
  | { kind: "gate"; name: string }
  | { kind: "delay"; ms: number }
  | { kind: "usage"; usage: ModelUsage }
  | { kind: "cut" }
  | { kind: "refuse"; status: number; message: string };

/** Data from which a script may choose its next answer. */
export interface ModelTurn {
  /** Name in the marker. */
  scenario: string;
  /** How many answers the conversation already holds since the message with the marker, from 0. */
  index: number;
  /** How often this very answer was asked for in this session, from 1: more than 1 after a retry. */
  attempt: number;
  /** The asking session. */
  sessionID: string;
  /** Text of the last message, whatever its role. */
  lastText: string;
  /** The texts of all messages, oldest first. */
  texts: readonly string[];
  /** Names of the tools that the model was offered. */
  tools: readonly string[];
}

/** A script: one list of actions an answer, or a function that gives the actions of one answer. */
export type ModelScript = readonly (readonly ModelAction[])[] | ((turn: ModelTurn) => readonly ModelAction[]);

interface StreamOptions {
  /** How many pieces the text is sent in. Default: 3. */
  pieces?: number;
  /** Pause before each piece in milliseconds. Default: 0. */
  delayMs?: number;
}

export function text(value: string, { pieces = 3, delayMs = 0 }: StreamOptions = {}): ModelAction {
  return { kind: "text", text: value, pieces, delayMs };
}

export function reasoning(value: string, { pieces = 3, delayMs = 0 }: StreamOptions = {}): ModelAction {
  return { kind: "reasoning", text: value, pieces, delayMs };
}

interface CallOptions {
  /** The provider's id of the call. Default: a new one. */
  id?: string;
  /** How many pieces the arguments are sent in. Default: 2. */
  pieces?: number;
}

export function call(tool: string, input: unknown, { id, pieces = 2 }: CallOptions = {}): ModelAction {
  return { kind: "call", tool, callID: id, arguments: JSON.stringify(input), pieces };
}

/** A call whose arguments are sent as they stand, valid JSON or not. */
export function rawCall(tool: string, rawArguments: string, { id, pieces = 2 }: CallOptions = {}): ModelAction {
  return { kind: "call", tool, callID: id, arguments: rawArguments, pieces };
}

/** More of the arguments of the last call. */
export function moreArguments(piece: string): ModelAction {
  return { kind: "arguments", piece };
}

/** Waits until the test opens the gate, or the host hangs up. */
export function gate(name: string): ModelAction {
  return { kind: "gate", name };
}

export function delay(ms: number): ModelAction {
  return { kind: "delay", ms };
}

export function usage(value: ModelUsage): ModelAction {
  return { kind: "usage", usage: value };
}

/** Breaks the connection in the middle of the answer. */
export function cut(): ModelAction {
  return { kind: "cut" };
}

/** Answers with an HTTP error. Must be the first action of its answer. */
export function refuse(status: number, message = `scripted ${status}`): ModelAction {
  return { kind: "refuse", status, message };
}
