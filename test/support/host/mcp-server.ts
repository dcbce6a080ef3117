/** A small MCP server over standard input and output: one tool that works, one that answers `isError`. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "demo", version: "1.0.0" });

server.registerTool(
  "add",
  { description: "Adds two numbers.", inputSchema: { a: z.number(), b: z.number() } },
  ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }),
);

server.registerTool("fail", { description: "Always fails.", inputSchema: { reason: z.string() } }, ({ reason }) => ({
  content: [{ type: "text", text: `refused: ${reason}` }],
  isError: true,
}));

await server.connect(new StdioServerTransport());
