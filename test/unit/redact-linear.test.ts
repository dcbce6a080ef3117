/** Redaction takes linear time with a small constant, whatever the text: the host must never hang. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { check } from "recheck";
import { parseAst } from "rolldown/parseAst";
import { z } from "zod";
import { describe, test } from "../support/runner.ts";

const LIMIT_MS = 15 * 60_000;
const support = (file: string): string => fileURLToPath(new URL(`../support/${file}`, import.meta.url));
const run = promisify(execFile);

const expressionSchema = z.object({ pattern: z.string(), flags: z.string() });
type Expression = z.infer<typeof expressionSchema>;

function literalsIn(node: unknown): Expression[] {
  if (typeof node !== "object" || node === null) return [];
  if ("regex" in node) return [expressionSchema.parse(node.regex)];
  return Object.values(node).flatMap(literalsIn);
}

/** All expressions of `src/redact`. */
async function ownExpressions(): Promise<Expression[]> {
  const folder = new URL("../../src/redact/", import.meta.url);
  const literals = readdirSync(folder).flatMap((file) =>
    literalsIn(parseAst(readFileSync(new URL(file, folder), "utf8"), { lang: "ts" }, file)),
  );
  const { stdout } = await run(process.execPath, [support("redact-expressions-child.ts")]);
  const all = [...literals, ...z.array(expressionSchema).parse(JSON.parse(stdout))];
  return [...new Map(all.map((each) => [`/${each.pattern}/${each.flags}`, each])).values()];
}

/** Whether something may be repeated without end: `*`, `+` or `{3,}`, outside of classes. */
const isUnbounded = (pattern: string): boolean =>
  /[*+]|\{\d+,\}/.test(pattern.replaceAll(/\\./gs, "_").replaceAll(/\[[^\]]*\]/g, "_"));

/** Where recheck cannot prove anything it tries strings at random, and by chance takes a large constant for growth. */
async function isLinear(pattern: string, flags: string): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const { status } = await check(pattern, flags, { timeout: 60_000 });
    if (status === "safe") return true;
  }
  return false;
}

describe("each expression of the redactor", () => {
  test("is bounded if it is tried at each trigger", async () => {
    const sticky = (await ownExpressions()).filter(({ flags }) => flags.includes("y"));
    assert.ok(sticky.length > 30, `only ${sticky.length} expressions were found`);
    assert.deepEqual(sticky.map(({ pattern }) => pattern).filter(isUnbounded), []);
  });

  // What an expression costs is told from its source: once is enough, and takes a minute.
  if (process.versions["bun"] === undefined) {
    test(
      "takes linear time",
      async () => {
        const expressions = await ownExpressions();
        assert.ok(expressions.length > 100, `only ${expressions.length} expressions were found`);
        const slow: string[] = [];
        for (const { pattern, flags } of expressions) {
          if (!(await isLinear(pattern, flags.replace("d", "")))) slow.push(`/${pattern}/${flags}`);
        }
        assert.deepEqual(slow, []);
      },
      LIMIT_MS,
    );
  }
});

const growthSchema = z.array(z.object({ unit: z.string(), growth: z.number(), cost: z.number() }));
const reportSchema = z.object({
  count: z.number(),
  microsPerChar: z.number(),
  steepest: growthSchema,
  dearest: growthSchema,
});

/** A text eight times as long may take that much longer than linear; eight times would be quadratic. */
const MAX_GROWTH = 4;
/** A character of the worst text may cost that many times what it costs in most hostile texts. */
const MAX_COST = 40;

describe("hostile texts made of what the rules look for", () => {
  const runtimes: Record<string, { command: string; env?: Record<string, string> }> = {
    "this runtime": { command: process.execPath },
  };
  if (process.versions["bun"] !== undefined) {
    const command = fileURLToPath(new URL("../../node_modules/.bin/opencode", import.meta.url));
    runtimes["the Bun in opencode"] = { command, env: { BUN_BE_BUN: "1" } };
  }
  for (const [name, { command, env }] of Object.entries(runtimes)) {
    test(
      `take linear time in ${name}`,
      async () => {
        const { stdout } = await run(command, [support("redact-growth-child.ts")], { env: { ...process.env, ...env } });
        const { count, steepest, dearest } = reportSchema.parse(JSON.parse(stdout));
        assert.ok(count > 1000, `only ${count} texts were measured`);
        assert.deepEqual(
          steepest.filter(({ growth }) => growth > MAX_GROWTH),
          [],
        );
        assert.deepEqual(
          dearest.filter(({ cost }) => cost > MAX_COST),
          [],
        );
      },
      LIMIT_MS,
    );
  }
});
