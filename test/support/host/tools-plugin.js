/** A second plugin beside the one under test, with a tool that gives back an image and one that throws. */
import { PIXEL } from "./pixel.ts";

export default {
  id: "tools-for-tests",
  server: async () => ({
    tool: {
      picture: {
        description: "Gives back an image.",
        args: {},
        execute: async () => ({
          title: "A picture",
          output: "one picture",
          metadata: { from: "a plugin" },
          attachments: [{ type: "file", mime: "image/png", filename: "dot.png", url: PIXEL.url }],
        }),
      },
      thrower: {
        description: "Always fails.",
        args: {},
        execute: async () => {
          throw new Error("thrown by a plugin's tool");
        },
      },
    },
  }),
};
