import assert from "node:assert/strict";
import fc from "fast-check";
import {
  fileName,
  type Filters,
  filtersIn,
  idIn,
  idOfPath,
  listIn,
  sessionAddress,
  sessionsAddress,
} from "../../src/render/html/pages/addresses.ts";
import { describe, runs, test } from "../support/runner.ts";

describe("addresses of pages", () => {
  test("any id is a file name of plain characters, and is read back", () => {
    const id = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(id, (text) => {
        assert.match(fileName(text), /^[\w~-]+$/);
        assert.equal(idIn(fileName(text)), text);
      }),
      { numRuns: runs(300) },
    );
  });

  test("an address that no page has is no id", () => {
    for (const name of ["", "..", "a/b", "a.b", "~", "~2", "~zz", "~ff", "~61", "a%2f", "a\0"]) {
      assert.equal(idIn(name), undefined, JSON.stringify(name));
    }
  });

  test("filters of the list are read back from its address", () => {
    const cases: Filters[] = [
      {},
      { agent: "claude-code" },
      { tag: "to do" },
      { since: "2026-01-31", until: "2026-01-31" },
      { since: "2026-01-01", until: "2026-01-31" },
      { agent: "codex", project: "/home/me/a b", failed: true, text: "a & b" },
    ];
    for (const filters of cases) {
      for (const page of [1, 2, 31]) {
        const url = new URL(sessionsAddress(filters, page), "http://localhost/");
        const read = url.search === "" ? listIn(url.pathname.slice(1)) : filtersIn(url.searchParams);
        assert.deepEqual({ ...read }, { filters, page }, url.href);
      }
    }
  });

  test("a project is an id, never its path", () => {
    const address = sessionsAddress({ project: "/home/me/shop" }, 2);
    assert.equal(address, `projects/${idOfPath("/home/me/shop")}.2.html`);
    assert.equal(listIn(address)?.projectId, idOfPath("/home/me/shop"));
  });

  test("an entry of a long session is on a page of its own", () => {
    assert.equal(sessionAddress("ses_1", 299), "sessions/ses_1/index.html#m299");
    assert.equal(sessionAddress("ses_1", 300), "sessions/ses_1/2.html#m300");
    assert.equal(sessionAddress("../etc"), "sessions/~2e~2e~2fetc/index.html");
  });
});
