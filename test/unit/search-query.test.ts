import assert from "node:assert/strict";
import { olderHits, search, type SearchQuery, type SearchResult } from "../../src/search/search.ts";
import { wordsOf } from "../../src/search/terms.ts";
import type { Store } from "../../src/store/store.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { enter } from "../support/search/filled-store.ts";
import { grepSession } from "../support/search/grep-session.ts";
import { sqlite, withStore } from "../support/store/backends.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { TranscriptsError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

interface Said {
  text: string;
  /** Default: user. */
  by?: "user" | "assistant";
  /** Days after the first of January 2026. */
  day?: number;
}

function session(...said: readonly Said[]): string {
  return said
    .map(({ text, by = "user", day = 0 }) => {
      const content = by === "user" ? text : [{ type: "text", text }];
      const timestamp = new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
      return `${JSON.stringify({ type: by, sessionId: "s", timestamp, message: { content } })}\n`;
    })
    .join("");
}

async function filled(
  sessions: Readonly<Record<string, string>>,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  await withStore(sqlite, async (store) => {
    for (const [id, text] of Object.entries(sessions)) await enter(store, id, text);
    await work(store);
  });
}

const places = ({ hits }: SearchResult): string[] =>
  hits.map(({ session_id, line_number }) => `${session_id}:${line_number}`);
const NOW = new Date("2026-03-01T00:00:00Z");

describe("a query", () => {
  const refused = async (store: Store, query: SearchQuery, code: string, field: string): Promise<void> => {
    await assert.rejects(search(store, query), (error: unknown) => {
      assert.ok(error instanceof TranscriptsError);
      assert.deepEqual([error.code, error.field], [code, field]);
      assert.match(error.message, /\. (?:Give|Take|Pass) .*\.$/);
      return true;
    });
  };

  test("without a term is refused", async () => {
    await filled({ a: session({ text: "one" }, { text: "one more" }) }, (store) =>
      refused(store, { term: "" }, "empty_term", "term"),
    );
  });

  test("stops at its signal", async () => {
    await filled({ a: session({ text: "one" }) }, async (store) => {
      const signal = AbortSignal.abort(new Error("enough"));
      await assert.rejects(search(store, { term: "one", signal }), /enough/);
    });
  });

  test("that matches very much ranks the newest; the others follow, newest first", async () => {
    const many = session(...Array.from({ length: 50 }, (_, at) => ({ text: `needle ${at}`, day: at })));
    await filled({ a: many }, async (store) => {
      const query = { term: "needle", limit: 4, rankedAtMost: 10, now: NOW };
      const first = await search(store, query);
      assert.deepEqual([first.total, first.isTotalExact, first.hits.length], [10, false, 4]);
      assert.ok(first.hits.every(({ line_number }) => line_number > 40));
      const newest = await search(store, { ...query, limit: 10 });
      const older = (await Array.fromAsync(olderHits(store, query, newest))).flat();
      const all = [...newest.hits, ...older];
      assert.deepEqual(
        all.map(({ rank }) => rank),
        Array.from({ length: 50 }, (_, at) => 1 + at),
      );
      assert.deepEqual(
        older.map(({ line_number }) => line_number),
        Array.from({ length: 40 }, (_, at) => 40 - at),
      );
      const whole = await search(store, { term: "needle", limit: Infinity });
      assert.deepEqual([whole.total, whole.isTotalExact], [50, true]);
    });
  });
});

describe("the order of hits", () => {
  const ordered = async (term: string, ...said: readonly Said[]): Promise<string[]> => {
    let found: string[] = [];
    await filled(Object.fromEntries(said.map((each, at) => [`s${at}`, session(each)])), async (store) => {
      found = (await search(store, { term, now: NOW })).hits.map(({ session_id }) => session_id);
    });
    return found;
  };
  const filler = "and something else that is not about this at all ".repeat(60);

  test("whole words before parts of identifiers, before parts of words", async () => {
    const said = ["we format it", "the reformatting", "see formatDate there", "the format: json"].map((text) => ({
      text,
    }));
    assert.deepEqual((await ordered("format", ...said)).slice(2), ["s2", "s1"]);
  });

  test("texts that are about it before texts that mention it", async () => {
    assert.deepEqual(await ordered("cache", { text: `${filler} cache ${filler}` }, { text: "the cache, the cache!" }), [
      "s1",
      "s0",
    ]);
  });

  test("what was found out before what was going to be done", async () => {
    const said: Said[] = [
      { text: "Let me look at the cache now:", by: "assistant" },
      { text: "The cache is keyed by size, which is why it is stale.", by: "assistant" },
    ];
    assert.deepEqual(await ordered("cache", ...said), ["s1", "s0"]);
  });

  test("newer before older, where all else is equal", async () => {
    assert.deepEqual(await ordered("cache", { text: "a cache", day: 1 }, { text: "a cache", day: 50 }), ["s1", "s0"]);
  });

  test("another session before one more passage of the same", async () => {
    const one = session(...Array.from({ length: 6 }, (_, at) => ({ text: `cache ${at}`, day: 20 + at })));
    await filled({ one, two: session({ text: "the cache of two" }) }, async (store) => {
      const found = (await search(store, { term: "cache", now: NOW })).hits.map(({ session_id }) => session_id);
      assert.ok(found.indexOf("two") <= 2, found.join(" "));
    });
  });

  test("a copy of an entry, as in a forked session, comes after others", async () => {
    const fork = session({ text: "the cache is here", day: 3 });
    await filled({ a: fork, b: fork, c: session({ text: "a cache is there" }) }, async (store) => {
      const found = (await search(store, { term: "cache", now: NOW })).hits.map(({ session_id }) => session_id);
      assert.deepEqual(found.indexOf("c"), 1, found.join(" "));
    });
  });
});

describe("words", () => {
  const sessions = {
    a: session({ text: "The retry queue keeps its order." }, { text: "A queue, and much later an order; retry." }),
    b: session({ text: "Only the queue has an order." }, { text: "zebra" }),
  };
  const words = (store: Store, term: string): Promise<SearchResult> => search(store, { term, now: NOW });

  test("all or all but one must be in an entry, in any order; all of them, close together, come first", async () => {
    await filled(sessions, async (store) => {
      const result = await words(store, "order retry queue");
      assert.deepEqual(places(result), ["a:1", "a:2", "b:1"]);
      assert.deepEqual(
        result.hits.map(({ missing }) => missing),
        [[], [], ["retry"]],
      );
      assert.deepEqual(
        result.hits[0]?.matches.map(([from, to]) => result.hits[0]?.passage.slice(from, to)),
        ["retry", "queue", "order"],
      );
    });
  });

  test("of which an entry lacks two, or one of two, do not find it", async () => {
    await filled(sessions, async (store) => {
      assert.deepEqual(places(await words(store, "why does the zebra queue order unicorns?")), []);
      assert.deepEqual(places(await words(store, "queue unicorns")), []);
      assert.deepEqual(places(await words(store, "queue")), ["a:1", "b:1", "a:2"]);
      assert.deepEqual(places(await words(store, "xylophone quark")), []);
    });
  });

  test("in pages are those of the first page's rule", async () => {
    await filled(sessions, async (store) => {
      const query = { term: "queue order zebra", limit: 1, now: NOW } as const;
      await search(store, query);
      await enter(store, "c", session({ text: "zebra queue order", day: 90 }));
      const second = await search(store, { ...query, offset: 1 });
      assert.equal(second.hits[0]?.rank, 2);
    });
  });

  test("that only ask a question are left out", () => {
    assert.deepEqual(wordsOf("Why did the retry of src/store/model.ts fail?"), ["retry", "src/store/model.ts", "fail"]);
    assert.deepEqual(wordsOf("what is this"), []);
    assert.deepEqual(wordsOf("Über 漢字 don’t foo_bar"), ["Über", "漢字", "don’t", "foo_bar"]);
    assert.deepEqual(wordsOf("=> !!"), []);
    assert.deepEqual(wordsOf("  "), []);
  });

  test("of any number are looked for", async () => {
    await filled(sessions, async (store) => {
      const many = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
      assert.deepEqual(places(await words(store, `${many} queue`)), []);
      const all = session({ text: many }, { text: many.split(" ").slice(0, 38).join(" ") });
      await enter(store, "d", all);
      assert.deepEqual(places(await words(store, many)), ["d:1", "d:2"]);
      assert.deepEqual(places(await words(store, `${many} absent`)), ["d:1"]);
    });
  });
});

describe("a query of several words", () => {
  const texts: Said[] = [
    { text: "The prompt of the shell has a delay.", by: "assistant" },
    { text: "A shell prompt delay of a second." },
    { text: "The shell's delay is telemetry.", by: "assistant" },
    { text: `${"a shell session with other things ".repeat(60)} prompt ${"and much more output ".repeat(60)} delay` },
  ];
  const found = async (query: Omit<SearchQuery, "now">): Promise<SearchResult> => {
    let result: SearchResult | undefined;
    await filled(Object.fromEntries(texts.map((each, at) => [`s${at}`, session(each)])), async (store) => {
      result = await search(store, { now: NOW, ...query });
    });
    assert(result);
    return result;
  };
  const ids = ({ hits }: SearchResult): string[] => hits.map(({ session_id: id, match }) => `${id} ${match}`);

  test("finds the phrase first, then the words in another order, dense passages before long ones that have all", async () => {
    const result = await found({ term: "shell prompt delay" });
    assert.deepEqual(ids(result), ["s1 phrase", "s0 words", "s2 words", "s3 words"]);
    assert.deepEqual([result.phrases, result.total, result.hasWords], [1, 4, true]);
    assert.deepEqual(
      result.hits.map(({ missing }) => missing),
      [[], [], ["prompt"], []],
    );
    assert.deepEqual(ids(await found({ term: "shell prompt delay", exact: true })), ["s1 phrase"]);
    assert.deepEqual(ids(await found({ term: '"shell prompt" delay' })), ["s1 words"]);
    assert.deepEqual(ids(await found({ term: '"Shell prompt"' })), ["s1 phrase"]);
  });

  test("finds other forms of English words, and whole words first", async () => {
    assert.deepEqual(
      ids(await found({ term: "delayed prompts" }))
        .slice(0, 2)
        .toSorted(),
      ["s0 words", "s1 words"],
    );
    assert.deepEqual(ids(await found({ term: "delays" })), [], "one word is found as it stands");
  });

  test("shows the part with the most of its words", async () => {
    const { hits } = await found({ term: "second delay shell zebra" });
    assert.match(hits[0]?.passage ?? "", /^A shell prompt delay of a second\.$/);
    const long = (await found({ term: "output delay" })).hits.find(({ session_id: id }) => id === "s3");
    assert.match(long?.passage ?? "", /output delay$/);
  });

  test("limits the hits of one session, and says how many were left out", async () => {
    const many = session(...Array.from({ length: 6 }, (_, at) => ({ text: `the cache key ${at}`, day: at })));
    await filled({ a: many, b: session({ text: "key of a cache" }) }, async (store) => {
      const { hits, total, held } = await search(store, { term: "cache key", perSession: 3, now: NOW });
      assert.deepEqual([hits.map(({ session_id: id }) => id).join(""), total, held], ["aaab", 4, 3]);
      const second = await search(store, { term: "cache key", perSession: 3, limit: 2, offset: 2, now: NOW });
      assert.deepEqual(
        second.hits.map(({ session_id: id, rank }) => [id, rank]),
        [
          ["a", 3],
          ["b", 4],
        ],
      );
    });
  });

  test("with punctuation and no white space is found as it stands", async () => {
    await filled(
      { a: session({ text: 'the "type": of C++ is foo.bar()' }, { text: "type C foo bar" }) },
      async (store) => {
        for (const term of ['"type":', "C++", "foo.bar()"]) {
          assert.deepEqual(places(await search(store, { term, now: NOW })), ["a:1"], term);
        }
      },
    );
  });

  test("of nothing but common words is found as it stands", async () => {
    await filled({ a: session({ text: "what is this" }, { text: "this, what is it" }) }, async (store) => {
      assert.deepEqual(places(await search(store, { term: "what is this", now: NOW })), ["a:1"]);
    });
  });

  test("ignores words of one and two letters, unless there are no others", async () => {
    await filled({ a: session({ text: "it fails in go 1" }, { text: "go to qz" }) }, async (store) => {
      assert.deepEqual(places(await search(store, { term: "go fails", now: NOW })), ["a:1"]);
      assert.deepEqual(places(await search(store, { term: "qz go", now: NOW })), ["a:2"]);
    });
  });
});

describe("among many entries", () => {
  const many = Array.from({ length: 2_600 }, (_, at) => ({
    text: at === 77 ? "the qz one, 漢字 too" : `number ${at} is of no interest`,
  }));

  test("terms of one and two characters are found, rare and common ones", async () => {
    const text = session(...many);
    await filled({ a: text }, async (store) => {
      for (const term of ["qz", "QZ", "漢", "字 ", "z ", "is", "i", "77", "jk", "9"]) {
        const found = (await search(store, { term, exact: true, limit: Infinity })).hits.map(
          ({ line_number }) => line_number,
        );
        const expected: number[] = [];
        for (const { line_number } of await grepSession(text, { term })) expected.push(line_number);
        assert.deepEqual(
          found.toSorted((a, b) => a - b),
          expected,
          term,
        );
      }
    });
  });

  test("finds terms that are in few of the sessions", async () => {
    await filled({ a: session(...many), b: session({ text: "number 12 is of interest" }) }, async (store) => {
      const only = (ids: string[]): Promise<SearchResult> =>
        search(store, { term: "interest", sessions: { ids }, limit: 3 });
      assert.deepEqual(places(await only(["b"])), ["b:1"]);
      assert.equal((await only(["a", "b"])).hits.length, 3);
      assert.deepEqual(places(await only([])), []);
      assert.deepEqual(places(await only(["none"])), []);
    });
  });
});

describe("odd texts", () => {
  test("characters that databases refuse are found as their replacement", async () => {
    const text = session({ text: "a\0b" }, { text: "a\ud800b" }, { text: "a\uffffb" }, { text: "acb" });
    await filled({ a: text }, async (store) => {
      for (const term of ["a\0b", "a\ud800b", "a\uffffb", "a\ufffdb"]) {
        assert.deepEqual(places(await search(store, { term })).toSorted(), ["a:1", "a:2", "a:3"], JSON.stringify(term));
      }
    });
  });

  test("two texts of one call that are alike do not become one passage", async () => {
    const call = { type: "tool_use", id: "t", name: "Todo", input: { items: ["in_progress", "in_progress"] } };
    const text = `${JSON.stringify({ type: "assistant", sessionId: "s", message: { content: [call] } })}\n`;
    await filled({ a: text }, async (store) => {
      const [hit] = (await search(store, { term: "_" })).hits;
      assert.deepEqual([hit?.passage, hit?.matches, hit?.match_count], ["in_progress", [[2, 3]], 2]);
    });
  });
});
