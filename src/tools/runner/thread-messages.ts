/** What the two sides of the tools' thread say to each other. */
import type { ToolAnswer } from "../tool.ts";
import type { ToolCallRequest } from "./tool-calls.ts";

export type ToThread =
  | { kind: "call"; id: number; request: ToolCallRequest }
  | { kind: "cancel"; id: number }
  /** Asks whether the thread still takes messages: answered with `alive`. */
  | { kind: "ping" }
  /** Close what is open and end; calls under way are cancelled. */
  | { kind: "close" };

export type FromThread =
  | { kind: "ready" }
  | { kind: "alive" }
  | { kind: "answer"; id: number; answer: ToolAnswer }
  /** It was cancelled. */
  | { kind: "cancelled"; id: number };
