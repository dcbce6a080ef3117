import assert from "node:assert/strict";
import { renderToString } from "preact-render-to-string";
import fc from "fast-check";
import { markdown } from "../../src/render/html/block-view.tsx";
import { VECTORS } from "../page/hostile.ts";
import { describe, test } from "../support/runner.ts";

function rendered(text: string): string {
  return renderToString(markdown(text));
}

/** Returns the HTML inside the box around every text. */
function inside(text: string): string {
  return rendered(text)
    .replace(/^<div class="(?:prose|plain)" dir="auto">/, "")
    .replace(/<\/div>$/, "");
}

const PLAIN_TAG =
  /^<\/?(?:p|ul|ol|li|blockquote|pre|code|hr|br|strong|em|del|table|thead|tbody|tr|td|th|span|div|a|h[3-6])>$/;
const TAG_WITH_ATTRIBUTES =
  /^<(?:a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="noopener noreferrer nofollow"|span class="(?:note|dead-link)"(?: title="[^"<>]*")?|div class="(?:scroll|prose|plain)"(?: dir="auto")?|t[dh] class="(?:right|center)"|ol start="\d{1,9}")>$/i;

/** Every tag is one of ours, and closes what was opened last. */
function assertWellFormed(html: string): void {
  const open: string[] = [];
  for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
    assert.ok(PLAIN_TAG.test(tag) || TAG_WITH_ATTRIBUTES.test(tag), `${tag} in ${html}`);
    const name = /\w+/.exec(tag)?.[0] ?? "";
    if (tag.startsWith("</")) assert.equal(open.pop(), name, html);
    else if (name !== "br" && name !== "hr") open.push(name);
  }
  assert.deepEqual(open, [], html);
}

describe("markdown", () => {
  const cases: [what: string, text: string, html: string][] = [
    ["emphasis and code", "*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>"],
    ["headings stand below those of the page", "# a\n###### b", "<h3>a</h3>\n<h6>b</h6>"],
    ["html is text", "<b onclick=x>a</b>", "<p>&lt;b onclick=x&gt;a&lt;/b&gt;</p>"],
    ["the language of code says nothing to a browser", '```js" x\na<b\n```', "<pre><code>a&lt;b\n</code></pre>"],
    ["tasks", "- [x] a\n- [ ] b", "<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>"],
    ["a list that begins later", "3. a", '<ol start="3">\n<li>a</li>\n</ol>'],
    [
      "links to the web",
      '[a](https://b.org/?c="d)',
      '<p><a href="https://b.org/?c=%22d" rel="noopener noreferrer nofollow">a</a></p>',
    ],
    ["links to elsewhere show their target", "[a](../b.ts)", '<p><span class="dead-link" title="../b.ts">a</span></p>'],
    ["links into the page", "[a](#m3)", '<p><span class="dead-link" title="#m3">a</span></p>'],
    ["scripts as links", "[a](javascript:b) [c](JAVASCRIPT:d)", "<p><span>a</span> <span>c</span></p>"],
    ["pictures", "![a](https://b.org/c.png)", '<p><span class="note">[Image: a (https://b.org/c.png)]</span></p>'],
    ["footnotes are left alone", "a[^1]\n\n[^1]: b", '<p>a<span class="dead-link" title="b">^1</span></p>\n'],
  ];
  for (const [what, text, html] of cases) test(what, () => assert.equal(inside(text), html));

  test("tables scroll in their own box", () => {
    const html = inside("|a|b|\n|-|-:|\n|1|2|");
    assert.ok(html.startsWith('<div class="scroll"><table>'), html);
    assert.ok(html.includes('<td class="right">2</td>'), html);
    assertWellFormed(html);
  });

  test("any text produces only our own tags, well nested", () => {
    const piece = fc.oneof(
      fc.constantFrom(...VECTORS),
      fc.constantFrom(
        ..."<>\"'&[]()!*_~`#|-:\n\t ".split(""),
        "](",
        "![",
        "\n\n",
        "> ",
        "1. ",
        "```",
        "javascript:",
        "\\",
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (made) => assertWellFormed(rendered(made))),
      { numRuns: 500 },
    );
  });

  test("a text that would take micromark minutes is shown unformatted", () => {
    const slow = "*a_".repeat(30_000);
    assert.equal(inside(slow), slow);
    const long = "word ".repeat(30_000);
    assert.equal(inside(long), long);
  });
});
