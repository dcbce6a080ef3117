import assert from "node:assert/strict";
import fc from "fast-check";
import { outlineOf, type PageSession } from "../../src/render/html/outline.ts";
import { renderPage } from "../../src/render/html/render-page.tsx";
import { hostileSession, VECTORS } from "../page/hostile.ts";
import { conversationOf, MadeSession, pageOf } from "../page/made-sessions.ts";
import { describe, test } from "../support/runner.ts";

/** Returns the visible text of a page's conversation. */
async function readOf(session: PageSession): Promise<string> {
  const text = conversationOf(await pageOf(session)).replace(/<[^>]+>/g, " ");
  return text.replaceAll("&lt;", "<").replaceAll("&amp;", "&").replace(/\s+/g, " ");
}

function made(): MadeSession {
  return new MadeSession();
}

describe("turns", () => {
  test("begin with a person's prompt, and count calls and failures", async () => {
    const session = await made()
      .user("first")
      .call("a", "Bash", { command: "x" })
      .result("a", "no", true)
      .user("[Request interrupted by user]")
      .user("<local-command-stdout>printed</local-command-stdout>")
      .user("<command-name>/compact</command-name><command-args>now</command-args>")
      .user("put in", { isMeta: true })
      .call("b", "Read", { file_path: "x" })
      .result("b", "yes")
      .session();
    const list = /<ol>(.*)<\/ol>/s.exec((await pageOf(session)).split('id="conversation"')[0] ?? "")?.[1] ?? "";
    const seen = list
      .split("</li>")
      .map((turn) => turn.replaceAll(/<time.*?<\/time>|<[^>]+>/g, " ").replace(/\s+/g, " "));
    assert.deepEqual(
      seen.map((turn) => turn.trim()),
      ["1 first 1 call 1 failed", "2 /compact now 1 call", ""],
    );
  });

  test("are not made of a subagent's messages in the same file", async () => {
    const session = await made()
      .user("mine")
      .user("its", { isSidechain: true })
      .assistant("done", { isSidechain: true })
      .session();
    const outline = outlineOf(session);
    assert.deepEqual([outline.turns.length, outline.isSubagent], [1, false]);
    const read = await readOf(session);
    assert.ok(/Subagent its Prompt .*line 2 its/.test(read), read);
  });
});

describe("calls", () => {
  const endings: [what: string, content: string, isError: boolean, more: object, expected: RegExp][] = [
    ["failed", "Exit code 2\nno such file", true, {}, /failed Exit code 2: no such file/],
    ["rejected", "The user doesn't want to proceed with this tool use. So there.", true, {}, /Bash x rejected/],
    ["interrupted", "half", false, { toolUseResult: { interrupted: true } }, /Bash x interrupted/],
    ["completed", "fine", false, {}, /Bash x command x output fine/],
  ];
  for (const [what, content, isError, more, expected] of endings) {
    test(`one that was ${what} says so`, async () => {
      const read = await readOf(
        await made()
          .call("a", "Bash", { command: "x" })
          .result("a", content, isError, { ...more })
          .session(),
      );
      assert.match(read, expected);
      assert.equal(read.split("Bash").length, 2);
    });
  }

  test("one that was fixed leads to what fixed it", async () => {
    const session = await made()
      .user("go")
      .call("a", "Bash", { command: "npx tsc" })
      .result("a", "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.", true)
      .call("b", "Edit", { file_path: "src/a.ts", old_string: "x", new_string: "y" })
      .result("b", "done")
      .call("c", "Bash", { command: "npx tsc" })
      .result("c", "")
      .session();
    const page = await pageOf(session);
    const [, edited, passed] =
      /Fixed: <a href="#(m\d+b\d+)">Edit src\/a\.ts<\/a>, <a href="#(m\d+b\d+)">Bash npx tsc<\/a> passed/.exec(page) ??
      [];
    assert.ok(edited !== undefined && passed !== undefined, page.slice(-5_000));
    for (const anchor of [edited, passed]) assert.ok(page.includes(`id="${anchor}"`), anchor);
  });

  test("one without a result says so", async () => {
    assert.match(await readOf(await made().call("a", "Bash", { command: "x" }).session()), /Bash x no result/);
  });

  test("a result is inside its call, even if it comes first, and keeps its own anchor", async () => {
    const session = await made().result("a", "early").call("a", "Bash", { command: "x" }).session();
    const page = conversationOf(await pageOf(session));
    assert.equal(page.split("early").length, 2);
    assert.ok(
      page.indexOf('id="m1"') < page.indexOf('id="m0"') && page.indexOf('id="m0"') < page.indexOf("early"),
      page,
    );
  });

  test("a result without its call is shown in its own place", async () => {
    assert.match(
      await readOf(await made().user("a").result("x", "alone").session()),
      /Result without its call x .*alone/,
    );
  });

  test("in part of a session, results without their calls are shown", async () => {
    const whole = await made().call("a", "Bash", { command: "x" }).result("a", "kept").user("b").session();
    const rest = whole.messages.filter(({ ordinal }) => ordinal > 0);
    const page = conversationOf(await pageOf({ ...whole, messages: rest }));
    assert.ok(page.includes("kept") && page.includes('id="m1"'), page);
  });

  test("terminal colours are removed from output", async () => {
    const session = await made().call("a", "Bash", {}).result("a", "\u001b[31mred\u001b[0m \u0007").session();
    assert.ok((await readOf(session)).includes("red ␇"));
  });
});

describe("subagents", () => {
  const child = (id: string): Promise<PageSession> =>
    new MadeSession({ sessionId: `session ${id}`, agentId: id, isSidechain: true })
      .user(`do ${id}`)
      .assistant(`did ${id}`)
      .session();

  test("are below the call that started them; others are at the end", async () => {
    const session = await made()
      .call("a", "Task", { prompt: "one" })
      .result("a", "ok", false, { toolUseResult: { agentId: "one" } })
      .assistant("afterwards")
      .session([await child("two"), await child("one")]);
    const page = conversationOf(await pageOf(session));
    const places = ["Task", "did one", "afterwards", "did two"].map((text) => page.indexOf(text));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(page.includes('id="s1-m0"') && page.includes('id="s2-m1"'), page);
  });

  test("are found by the session that a call names, and nest", async () => {
    const inner = await child("inner");
    const outer = { ...(await child("outer")), children: [inner] };
    const session = await made().call("a", "task", {}).session([outer]);
    for (const block of session.content_blocks) block.metadata["subagent_session_id"] = "session outer";
    const page = conversationOf(await pageOf(session));
    assert.ok(page.indexOf('id="s1"') < page.indexOf("</article>"), "within the entry of the call");
    assert.ok(page.includes('id="s1-s1-m1"'), page);
  });
});

describe("events", () => {
  test("say what happened, how long it took and what went wrong", async () => {
    const session = await made()
      .line({ type: "system", subtype: "turn_duration", durationMs: 61_000 })
      .line({ type: "system", subtype: "api_error", content: "busy", error: { status: 529 } })
      .session();
    assert.match(await readOf(session), /turn duration: 1 min 1 s .*api error busy Error .*status.*529/);
  });
});

describe("irregular sessions", () => {
  test("damaged places are listed with their line", async () => {
    const page = await pageOf(await made().user("a").damaged('{"type":').session());
    assert.ok(page.includes("1 damaged place"));
    assert.match(page, /<li>Line 2: /);
  });

  test("blocks that are unknown and entries without blocks say so", async () => {
    const read = await readOf(
      await made()
        .assistant([{ type: "hologram", size: 3 }])
        .user(null)
        .session(),
    );
    for (const part of ["unknown type: hologram", "Nothing was recorded"]) {
      assert.ok(read.includes(part), `${part}: ${read}`);
    }
  });

  test("thinking that was withheld is counted once for the page, however often it comes", async () => {
    const session = made().user("Go");
    for (let at = 0; at < 76; at++) session.assistant([{ type: "thinking", thinking: "", signature: `s${at}` }]);
    session.assistant([
      { type: "redacted_thinking", data: "d" },
      { type: "text", text: "Done." },
    ]);
    const page = await pageOf(await session.session());
    assert.match(page, /77 blocks, 77 of them withheld by the provider/);
    assert.equal(page.match(/withheld by the provider|encrypted by the provider/g)?.length, 1);
    assert.equal(page.match(/<article/g)?.length, 2);
  });

  test("output of a program's command has neither its tags nor terminal codes", async () => {
    const tagged = "<local-command-stdout>Set model to \u001b[1mopus\u001b[22m</local-command-stdout>";
    const page = await pageOf(
      await made()
        .user(tagged)
        .user("\u001b[1mbold\u001b[22m prompt")
        .assistant([{ type: "text", text: tagged }])
        .session(),
    );
    assert.doesNotMatch(page, /local-command-stdout|␛|\[1m/);
    assert.match(page, /Command output/);
    assert.match(page, /Set model to opus/);
    assert.match(page, /bold prompt/);
  });

  test("a call that asks the person shows question and answer while it is closed, and the choices when it is open", async () => {
    const question = {
      question: "Which database?",
      header: "DB",
      options: [{ label: "SQLite" }, { label: "Postgres" }],
    };
    const answered = 'User has answered your questions: "Which database?"="SQLite". You can now continue.';
    const page = await pageOf(
      await made()
        .call("a", "AskUserQuestion", { questions: [question] })
        .result("a", answered)
        .session(),
    );
    const summary = /<summary><span class="tool">AskUserQuestion[^]*?<\/summary>/.exec(page)?.[0] ?? "";
    assert.match(summary, /Which database\?/);
    assert.match(summary, />SQLite</);
    assert.match(page, /\(SQLite \/ Postgres\)/);
  });

  test("an empty session is a page, too", async () => {
    const page = await pageOf(await made().session());
    assert.ok(page.startsWith("<!doctype html>") && page.endsWith("</body></html>"), page);
  });

  test("pictures: small ones are in the page; large, foreign, missing and unreadable ones are named", async () => {
    const session = await made()
      .user([{ type: "image", source: { media_type: "image/png" } }])
      .session();
    const read = async (readImage: PageSession["readImage"]): Promise<string> =>
      conversationOf(await pageOf(readImage === undefined ? session : { ...session, readImage }));
    const image = (mediaType: string, size: number) => () =>
      Promise.resolve({ mediaType, bytes: new Uint8Array(size) });
    assert.ok((await read(image("image/png", 3))).includes('src="data:image/png;base64,AAAA"'));
    assert.ok((await read(image("image/png", 1_000_001))).includes("too large"));
    assert.ok((await read(image("image/svg+xml", 3))).includes("of a kind that this page does not show"));
    assert.ok((await read(undefined)).includes("not included in this page"));
    assert.ok((await read(() => Promise.reject(new Error("no")))).includes("could not be read"));
  });
});

describe("writing", () => {
  const large = async (): Promise<PageSession> => {
    const session = made();
    for (let index = 0; index < 400; index += 1) session.user(`prompt ${index} ${"word ".repeat(100)}`);
    return session.session();
  };

  test("comes in pieces, one after the other", async () => {
    let under = 0;
    const sizes: number[] = [];
    await renderPage(await large(), async (html) => {
      assert.equal((under += 1), 1);
      await Promise.resolve();
      sizes.push(html.length);
      under -= 1;
    });
    assert.ok(sizes.length > 3 && Math.max(...sizes) < 200_000, sizes.join(" "));
  });

  test("a write that fails ends it", async () => {
    let writes = 0;
    const write = (): Promise<void> => {
      writes += 1;
      return Promise.reject(new Error("disk full"));
    };
    await assert.rejects(renderPage(await large(), write), /disk full/);
    assert.equal(writes, 1);
  });
});

describe("whatever a session holds", () => {
  test("each name occurs once, and the page has no script", async () => {
    const text = fc.oneof(fc.constantFrom(...VECTORS), fc.string({ unit: "binary" }));
    await fc.assert(
      fc.asyncProperty(text, async (vector) => {
        const page = await pageOf(await hostileSession(vector));
        const ids = Array.from(page.matchAll(/ id="([^"]*)"/g), ([, id]) => id);
        assert.equal(new Set(ids).size, ids.length);
        assert.doesNotMatch(page, /<(?:script|iframe|object|embed|form|base|svg|math|template)\b/i);
        assert.doesNotMatch(page, /<[^>"]*(?:"[^"]*"[^>"]*)*\son\w+=/i);
        assert.equal(page.match(/<style/g)?.length, 1);
      }),
      { numRuns: 60 },
    );
  });
});
