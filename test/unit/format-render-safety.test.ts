import assert from "node:assert/strict";
import { isSafeMarkdown } from "../../src/transcript/format/section-builder.ts";
import { describe, test } from "../support/runner.ts";

const SAFE = {
  "plain prose": "Hello.\n\n- a\n- b\n\n> quoted\n\n***\n\n# Title\n",
  "a closed fence": "Run this:\n\n```sh\nls > out && cat <<EOF\n<div>\n```\n\nDone.",
  "a longer fence around a shorter one": "````markdown\n```\n<b>\n````",
  "a tilde fence with backticks in it": "~~~\n```\n~~~",
  "a fence in a list, indented with its item": "1. Do\n   ```sh\n   ls\n\n   pwd\n   ```\n2. Done",
  "HTML in a code span": "The `<details>` element and ``a ` <b>``.",
  comparisons: "a < b, x<5, a <- b, 1<<3",
  "an autolink": "<https://example.com/a> and <me@example.com>",
  "an open list, quote or emphasis": "- *a\n\n> **b",
};

const UNSAFE = {
  "an open fence": "```sh\nls",
  "an open tilde fence": "~~~\n```",
  "a fence closed by a shorter one": "````\n```",
  "a fence closed by a line with text": "```\n``` x",
  "a fence closed outside of its list": "- a\n  ```\nb\n```",
  "an indented fence whose list ends inside it": "- a\n  ```\nb\n  ```",
  "a tag": "Fold it with <details>.",
  "a closing tag": "a </div>",
  "a generic that reads as a tag": "Array<string>",
  "a tag that ends on the next line": "<div\nclass=x>",
  "a comment": "<!-- note",
  "a declaration, an instruction": "<!DOCTYPE html>\n<?php",
  "a tag behind an unpaired backtick": "a ` b\n`<div>` c `",
  "a tag in a span that an escaped backtick begins": "\\`<div>`",
  "a tag in a span that begins inside an autolink": "<https://a/`b> <div> `",
  "a tag in a table cell that ends inside a span": "| a |\n|---|\n| `b | <div>` |",
  "a tag in a fence within a list": "- ```\n  <div>\n  ```",
  "a line break that begins an HTML block": "<br>\n<a",
};

describe("markdown that may be written raw", () => {
  for (const [name, text] of Object.entries(SAFE)) {
    test(`may contain ${name}`, () => assert.equal(isSafeMarkdown(text), true));
  }
  for (const [name, text] of Object.entries(UNSAFE)) {
    test(`may not contain ${name}`, () => assert.equal(isSafeMarkdown(text), false));
  }
});
