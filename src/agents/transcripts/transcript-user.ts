/** Converts a user's message of our transcripts or of opencode's exports. */
import type { Attachment, UserMessageEntry } from "../../transcript/format/formats.ts";
import type { BlockDraft, MessageDraft } from "../../parse/message-draft.ts";
import { fieldsOf, isFields, textOf, type Fields } from "../../parse/json-fields.ts";
import type { MessageMetadata } from "../../parse/model.ts";
import { timeOf } from "../../parse/times.ts";
import { given } from "../../given.ts";

/**
 * Returns the draft: visible text and files are blocks; texts that the host added (files that were read, reminders) are
 * metadata. If there is only text from the host, that text is the content and the message is `meta`.
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
    ...given({ sourceId: messageID, uuid: partID, timestamp: timeOf(entry.timestamp) }),
    blocks: [...texts.map((text): BlockDraft => ({ type: "text", text })), ...attachments.map(attachmentBlock)],
    metadata: {
      ...given({ agent: entry.agent, model: entry.model }),
      ...(isMeta || added.length === 0 ? {} : { added_by_host: added }),
      ...mentions(parts),
      ...commandMetadata(commands),
    },
  };
}

/** Returns the block for a file attached to a message or a result, without its bytes. */
export function attachmentBlock({ mime, ...rest }: Attachment): BlockDraft {
  const { filename, path, url, bytes, missing } = rest;
  return {
    type: mime.startsWith("image/") ? "image" : "document",
    metadata: { media_type: mime, ...given({ filename, path, url, bytes, missing }) },
  };
}

function addedText(part: Fields): string[] {
  const isAdded = part["type"] === "text" && (part["synthetic"] === true || part["ignored"] === true);
  const text = isAdded ? textOf(part, "text") : undefined;
  return text === undefined ? [] : [text];
}

/** Returns the agents mentioned by name (`@agent`). */
function mentions(parts: readonly Fields[]): MessageMetadata {
  const agents = parts.flatMap((part) => (part["type"] === "agent" ? (textOf(part, "name") ?? []) : []));
  return agents.length === 0 ? {} : { mentions: agents };
}

/** Returns the slash command of a message: one that passes its prompt to a subagent leaves only this. */
function commandMetadata(commands: readonly Fields[]): MessageMetadata {
  const [first] = commands;
  if (!first) return {};
  const name = textOf(first, "command");
  const subtasks = commands.map((part) =>
    given({
      agent: textOf(part, "agent"),
      description: textOf(part, "description"),
      prompt: textOf(part, "prompt"),
      model: textOf(fieldsOf(part, "model"), "modelID"),
    }),
  );
  return { ...(name === undefined ? {} : { origin: "command", command: `/${name}` }), subtasks };
}
