/** Contents that want to be more than text, put wherever a session has text. */
import type { PageSession } from "../../src/render/html/outline.ts";
import { MadeSession } from "./made-sessions.ts";

const RUN = "window.ran=true;alert(1)";
const SERVER = "http://127.0.0.1:9";

export const VECTORS: readonly string[] = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `</textarea></pre></code></summary></details></main><script>${RUN}</script>`,
  `<!--<script>${RUN}</script>`,
  `--><script>${RUN}</script>]]>`,
  `"><img src=x onerror="${RUN}">`,
  `'><svg onload='${RUN}'>`,
  `x" onmouseover="${RUN}" autofocus onfocus="${RUN}`,
  `<img src="${SERVER}/pixel.png">`,
  `<iframe srcdoc="<script>parent.ran=true</script>"></iframe>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<details open ontoggle="${RUN}">`,
  `<video><source onerror="${RUN}"></video>`,
  `<object data="javascript:${RUN}"></object><embed src="${SERVER}/x.swf">`,
  `<style>body{display:none;background:url(${SERVER}/style)}</style>`,
  `<link rel="stylesheet" href="${SERVER}/style.css">`,
  `<meta http-equiv="refresh" content="0;url=${SERVER}/away">`,
  `<base href="${SERVER}/">`,
  `<form action="${SERVER}/form"><button autofocus>x</button></form>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<template><script>${RUN}</script></template>`,
  `[x](javascript:${RUN})`,
  `[x](JaVa\tScRiPt:${RUN})`,
  `[x](&#x6a;avascript:${RUN})`,
  `[x](data:text/html,<script>${RUN}</script>)`,
  `[x](vbscript:${RUN}) [x](file:///etc/passwd) [x](//127.0.0.1:9/x) [x](#m0) [x](blob:x)`,
  `[x]: javascript:${RUN}\n\n[x] ![x]`,
  `<javascript:${RUN}>`,
  `![x](${SERVER}/image.png "t") ![x](data:image/svg+xml,<svg/onload=${RUN}>)`,
  `[![x](${SERVER}/badge.svg)](javascript:${RUN})`,
  `[x](${SERVER}/"onclick="${RUN} "title\\" onclick=\\"${RUN}")`,
  `${SERVER}/"onclick="${RUN} www.x.org/"><script>${RUN}</script>`,
  '```html" onclick="x\n</code></pre><script>window.ran=true</script>\n```',
  `|<script>${RUN}</script>|\n|:-:|\n|<img src=x onerror=${RUN}>|`,
  `&#x3c;script&#x3e;${RUN}&#x3c;/script&#x3e; &lt;script>`,
  `# <script>${RUN}</script>\n\n- [x] <svg/onload=${RUN}>\n\n[^1]\n\n[^1]: <script>${RUN}</script>`,
  "\u202egnp.exe\u202c \u2066x\u2069 \u0000 \u0008 \u001b[31mred \u{e0041}\u{e0042} \ud800",
  "__proto__",
  "constructor",
];

/** A session with a vector in every field that a file can set, and in what its caller sets. */
export async function hostileSession(vector: string): Promise<PageSession> {
  const child = await lines(vector, { agentId: vector, isSidechain: true }).session();
  const session = await lines(vector).session([
    child,
    { ...child, metadata: { ...child.metadata, title: vector }, children: [] },
  ]);
  const { stats } = session;
  return {
    ...session,
    metadata: {
      ...session.metadata,
      title: vector,
      sessionId: vector,
      cwd: vector,
      gitBranch: vector,
      firstTimestamp: vector,
    },
    stats: {
      ...stats,
      models: { ...stats.models, [vector]: { ...ZERO, messages: 1, cost_is_estimate: false } },
      tools: { ...stats.tools, [vector]: { calls: 1, errors: 1 } },
      unpriced_models: [vector],
      redactions: { [vector]: 1 },
      initial_prompt: vector,
    },
    errors: [{ code: "invalid_json", line_number: 1, byte_offset: 0, reason: vector, recovered: false }],
    readImage: () => Promise.resolve({ mediaType: vector, bytes: new TextEncoder().encode(vector) }),
  };
}

const ZERO = { messages: 0, tokens_in: 0, tokens_out: 0, cache_read: 0, cache_write: 0, cost_usd: null };

function lines(vector: string, common: Record<string, unknown> = {}): MadeSession {
  const image = { type: "image", source: { type: "base64", media_type: vector, data: vector } };
  const made = new MadeSession({ cwd: vector, gitBranch: vector, ...common });
  made.line({ type: "custom-title", customTitle: vector }).line({ type: "summary", summary: vector, leafUuid: vector });
  made.user(vector).user([{ type: "text", text: `${vector} ` }, image]);
  made.user(`<command-name>${vector}</command-name><command-args>${vector}</command-args>`);
  made.user(`<local-command-stdout>${vector}</local-command-stdout>`).user(vector, { isMeta: true });
  made.user(vector, { isCompactSummary: true }).user(vector, { timestamp: vector });
  made.assistant([
    { type: "thinking", thinking: vector },
    { type: "text", text: vector },
    { type: vector, value: vector },
    { type: "document", source: { media_type: vector } },
    image,
  ]);
  made.assistant(vector, { isApiErrorMessage: true }, vector);
  made.call(vector, vector, { [vector]: vector, command: vector, list: [vector], deep: { [vector]: vector } });
  made.result(vector, [{ type: "text", text: vector }, image], true, { toolUseResult: { agentId: vector } });
  made.call(`edit ${vector}`, "Edit", { file_path: vector, old_string: vector, new_string: `${vector}\n${vector}` });
  made.result(`edit ${vector}`, `<tool_use_error>${vector}</tool_use_error>`, true);
  made.call("todo", "Todo", { todos: [{ content: vector, status: vector }] });
  made.result("todo", `<persisted-output>${vector}`, false, { toolUseResult: { persistedOutputPath: vector } });
  made.result("none", vector, true).user(vector, { isSidechain: true, agentId: vector });
  return made.line({ type: "system", subtype: vector, content: vector, error: { [vector]: vector } });
}
