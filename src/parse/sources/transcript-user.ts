/** A user's message, as our transcripts and opencode's exports tell of it. */
import type { Attachment, UserMessageEntry } from "../../format/index.ts";
import type { BlockDraft, MessageDraft } from "../draft.ts";
import { fieldsOf, isFields, textOf, type Fields } from "../json-fields.ts";
import type { MessageMetadata } from "../model.ts";
import { timeOf } from "../times.ts";
import { known } from "./transcript-fields.ts";

/**
 * The text that people see and the files are blocks. Texts that the host added to it (files that were read, reminders)
 * are metadata, unless there is nothing else: then the host alone speaks, and the message is `meta`.
 */
export function userDraft(entry: UserMessageEntry): MessageDraft {
  const { messageID, partID, content, attachments = [] } = entry;
  const parts = entry.parts.filter(isFields);
  const added = parts.flatMap(addedText);
  const commands = parts.filter((part) => part["type"] === "subtask");
  const isMeta = content === "" && attachments.length === 0 && commands.length === 0 && added.length > 0;
  const texts = isMeta ? added : [content].filter((text) => text !== "");
  return {
    type: "user",
    role: "user",
    userKind: isMeta ? "meta" : "human",
    ...known({ sourceId: messageID, uuid: partID, timestamp: timeOf(entry.timestamp) }),
    blocks: [...texts.map((text): BlockDraft => ({ type: "text", text })), ...attachments.map(attachmentBlock)],
    metadata: {
      ...known({ agent: entry.agent, model: entry.model }),
      ...(isMeta || added.length === 0 ? {} : { added_by_host: added }),
      ...mentions(parts),
      ...commandMetadata(commands),
    },
  };
}

/** A file that came with a message or a result. Its bytes stand elsewhere. */
export function attachmentBlock({ mime, ...rest }: Attachment): BlockDraft {
  const { filename, path, url, bytes, missing } = rest;
  return {
    type: mime.startsWith("image/") ? "image" : "document",
    metadata: { media_type: mime, ...known({ filename, path, url, bytes, missing }) },
  };
}

function addedText(part: Fields): string[] {
  const isAdded = part["type"] === "text" && (part["synthetic"] === true || part["ignored"] === true);
  const text = isAdded ? textOf(part, "text") : undefined;
  return text === undefined ? [] : [text];
}

/** Agents that were called by name (`@agent`). */
function mentions(parts: readonly Fields[]): MessageMetadata {
  const agents = parts.flatMap((part) => (part["type"] === "agent" ? (textOf(part, "name") ?? []) : []));
  return agents.length === 0 ? {} : { mentions: agents };
}

/** A slash command that hands its prompt to a subagent leaves nothing but this. */
function commandMetadata(commands: readonly Fields[]): MessageMetadata {
  const [first] = commands;
  if (!first) return {};
  const name = textOf(first, "command");
  const subtasks = commands.map((part) =>
    known({
      agent: textOf(part, "agent"),
      description: textOf(part, "description"),
      prompt: textOf(part, "prompt"),
      model: textOf(fieldsOf(part, "model") ?? {}, "modelID"),
    }),
  );
  return { ...(name === undefined ? {} : { origin: "command", command: `/${name}` }), subtasks };
}
