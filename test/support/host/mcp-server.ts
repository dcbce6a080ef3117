/** A small MCP server over standard input and output: a tool that works, one that answers `isError`, one that claims a file. */
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

/** Its metadata looks like the host's, and is so large that no event can be expected to carry all of it. */
server.registerTool("claim", { description: "Names a file.", inputSchema: { file: z.string() } }, ({ file }) => ({
  content: [{ type: "text", text: "harmless answer" }],
  metadata: { truncated: true, outputPath: file, big: Array.from({ length: 250_000 }, (_, at) => at) },
}));

await server.connect(new StdioServerTransport());
