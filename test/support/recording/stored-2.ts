import type { ParseResult } from "../../../src/parse/model.ts";

/** Summary of the messages that opencode 2.x stored, made without the plugin's code. */
export interface ToldByStore {
  /** Prompts, texts, reasonings and calls, in order. */
  told: string[];
  /** The ends of the calls: whether they failed, and their inputs. */
  results: string[];
}

/** `messages`: oldest first. */
export function toldByStore(messages: readonly unknown[]): ToldByStore {
  const told: string[] = [];
  const results: string[] = [];
  for (const message of messages) {
    const type = at(message, "type");
    if (type === "user") told.push(`user: ${said(message, "text")}`);
    if (type === "compaction" && at(message, "status") === "completed")
      told.push(`assistant: ${said(message, "summary")}`);
    if (type === "shell") {
      const input = JSON.stringify({ command: at(message, "command") });
      told.push(`use: shell ${input}`);
      results.push(`${at(message, "exit") === 0 ? "completed" : "error"}: ${input}`);
    }
    if (type !== "assistant") continue;
    const isAborted = at(at(message, "error"), "type") === "aborted";
    const parts = items(at(message, "content"));
    for (const part of parts) {
      const kind = at(part, "type");
      const mark = isAborted && part === parts.at(-1) ? " (interrupted)" : "";
      if (kind === "text" && at(part, "text") !== "") told.push(`assistant${mark}: ${said(part, "text")}`);
      if (kind === "reasoning" && at(part, "text") !== "") told.push(`reasoning${mark}: ${said(part, "text")}`);
      if (kind !== "tool") continue;
      const state = at(part, "state");
      const input = JSON.stringify(at(state, "input"));
      told.push(`use: ${said(part, "name")} ${input}`);
      results.push(`${statusOf(state)}: ${input}`);
    }
  }
  return { told, results: results.toSorted() };
}

/** The same of a session that was parsed, without marks of what was interrupted. */
export function toldByParser({ messages, content_blocks: blocks, tool_calls: calls }: ParseResult): ToldByStore {
  const byMessage = Map.groupBy(blocks, ({ message_id }) => message_id);
  const told = messages.flatMap(({ id, message_type: type, user_kind: kind }) =>
    (byMessage.get(id) ?? []).flatMap((block): string[] => {
      if (block.block_type === "tool_use") return [`use: ${block.tool_name} ${JSON.stringify(block.tool_input)}`];
      if (block.block_type === "thinking") return [`reasoning: ${block.thinking_text}`];
      if (block.block_type !== "text" || kind === "meta" || !["user", "assistant"].includes(type)) return [];
      return [`${type}: ${block.content_text}`];
    }),
  );
  const results = calls.map(({ status, tool_input }) => `${status}: ${JSON.stringify(tool_input)}`);
  return { told, results: results.toSorted() };
}

function statusOf(state: unknown): string {
  const exit = at(at(state, "metadata") ?? at(state, "structured"), "exit");
  if (at(state, "status") === "completed") return exit === undefined || exit === 0 ? "completed" : "error";
  const { type, message } = Object(at(state, "error"));
  // A call that the user refused.
  if (type === "unknown" && message === "") return "rejected";
  return type === "aborted" ? "interrupted" : "error";
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function said(value: unknown, key: string): string {
  const found = at(value, key);
  return typeof found === "string" ? found : JSON.stringify(found);
}
