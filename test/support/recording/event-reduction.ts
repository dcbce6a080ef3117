/**
 * What a stream of events comes to, worked out as simply as can be: the last state of every part wins. It shares no
 * code with the recorder, which has to say the same of it.
 */
interface Part {
  messageID: string;
  type: string;
  text: string;
  hidden: boolean;
  tool: string;
  /** `completed`, `error`, or anything else. */
  status: string;
  input: unknown;
  output: unknown;
}

interface Session {
  roles: Map<string, string>;
  parts: Map<string, Part>;
}

export interface Reduced {
  /** Users' messages, texts, reasonings and calls in the order of their parts' ids. */
  told: string[];
  /** The ends of the calls. */
  results: string[];
}

/** By session id. */
export function reduceEvents(events: readonly unknown[]): Map<string, Reduced> {
  const sessions = new Map<string, Session>();
  for (const event of events) {
    const properties = at(event, "properties");
    const part = at(properties, "part");
    const info = at(properties, "info");
    if (at(event, "type") === "message.updated")
      sessionOf(sessions, at(info, "sessionID")).roles.set(text(at(info, "id")), text(at(info, "role")));
    if (at(event, "type") !== "message.part.updated") continue;
    const { parts } = sessionOf(sessions, at(part, "sessionID"));
    const id = text(at(part, "id"));
    parts.set(id, laterState(parts.get(id), part));
  }
  return new Map([...sessions].map(([id, session]) => [id, reduced(session)]));
}

function sessionOf(sessions: Map<string, Session>, id: unknown): Session {
  const known = sessions.get(text(id));
  if (known) return known;
  const session = { roles: new Map(), parts: new Map() };
  sessions.set(text(id), session);
  return session;
}

function laterState(before: Part | undefined, part: unknown): Part {
  const state = at(part, "state");
  const status = text(at(state, "status"));
  return {
    messageID: text(at(part, "messageID")),
    type: text(at(part, "type")),
    text: text(at(part, "text")),
    hidden: at(part, "synthetic") === true || at(part, "ignored") === true,
    tool: text(at(part, "tool")),
    status,
    input: status === "pending" ? before?.input : (at(state, "input") ?? before?.input),
    output: at(state, "output") ?? at(state, "error"),
  };
}

function reduced({ roles, parts }: Session): Reduced {
  // A prompt that waited during an answer has parts between those of the answer.
  const place = ([id, { messageID }]: [string, Part]): string => `${messageID} ${id}`;
  const inOrder = [...parts].toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).map(([, part]) => part);
  const told: string[] = [];
  const results: string[] = [];
  const prompts = new Set<string>();
  for (const part of inOrder) {
    if (roles.get(part.messageID) === "user") {
      if (prompts.has(part.messageID)) continue;
      prompts.add(part.messageID);
      const texts = inOrder.filter(
        (other) => other.messageID === part.messageID && other.type === "text" && !other.hidden,
      );
      told.push(`user: ${texts.map((one) => one.text).join("\n")}`);
    } else if (part.type === "text" && part.text !== "") told.push(`assistant: ${part.text}`);
    else if (part.type === "reasoning" && part.text !== "") told.push(`reasoning: ${part.text}`);
    else if (part.type === "tool") {
      const input = JSON.stringify(part.input ?? {});
      told.push(`use: ${part.tool} ${input}`);
      const isEnded = part.status === "completed" || part.status === "error";
      results.push(isEnded ? `${part.status}: ${input} ${text(part.output)}` : `interrupted: ${input}`);
    }
  }
  return { told, results };
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
