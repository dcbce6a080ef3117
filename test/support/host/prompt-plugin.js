/** A plugin for the end of the list: it changes the text of each prompt and adds a part, as memory plugins do. */
import { setTimeout as sleep } from "node:timers/promises";

export default {
  id: "changes-prompts",
  server: async () => ({
    "chat.message": async (_, { message, parts }) => {
      await sleep(300);
      for (const part of parts) if (part.type === "text") part.text += " (changed)";
      const of = { messageID: message.id, sessionID: message.sessionID };
      parts.push({ ...of, id: `${parts[0].id}0`, type: "text", text: "remembered", synthetic: true });
    },
  }),
};
