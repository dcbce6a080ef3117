/** Redaction takes linear time with a small constant, whatever the text: the host must never hang. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { check } from "recheck";
import { parseAst } from "rolldown/parseAst";
import { z } from "zod";
import { describe, isLong, test } from "../support/runner.ts";

const LIMIT_MS = 15 * 60_000;
const support = (file: string): string => fileURLToPath(new URL(`../support/${file}`, import.meta.url));
const run = promisify(execFile);
// The same checks as in Java, which it would take where there is one, in two thirds of the time.
process.env["RECHECK_BACKEND"] ??= "native";

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

/** A text eight times as long may take that much longer than linear; eight times would be quadratic. */
const MAX_GROWTH = 4;
const PARTS = 8;
/** Characters of the longest text that recheck's suspicion is measured on. */
const MAX_CHARS = 64 * 1024;
/** Processor time below which a measurement says nothing. */
const LEAST_MICROS = 20_000;

type Attack = Extract<Awaited<ReturnType<typeof check>>, { status: "vulnerable" }>["attack"];

/** Processor time of the attack's text, divided by that of the same amount in eight texts: 1 is linear. */
function growthOf(expression: RegExp, { pumps, suffix, base }: Attack): number {
  const perRepeat = pumps.reduce((sum, { pump }) => sum + pump.length, 0);
  const most = Math.max(PARTS, Math.min(base, Math.ceil(MAX_CHARS / Math.max(1, perRepeat))));
  const text = (repeats: number): string =>
    pumps.map(({ prefix, pump }) => prefix + pump.repeat(repeats)).join("") + suffix;
  const [long, short] = [text(most), text(Math.ceil(most / PARTS))];
  const micros = (each: string, times: number): number => {
    const before = process.cpuUsage();
    for (let n = 0; n < times; n += 1) {
      expression.lastIndex = 0;
      expression.test(each);
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  let times = 1;
  for (;;) {
    const whole = micros(long, times);
    if (whole >= LEAST_MICROS) return whole / Math.max(1, micros(short, times * PARTS));
    times *= 2;
  }
}

/**
 * What recheck proves is taken from it. Where it cannot prove anything it tries strings at random, and by chance takes a
 * large constant for growth: the string that it found is measured.
 */
async function isLinear({ pattern, flags }: Expression): Promise<boolean> {
  const result = await check(pattern, flags.replace("d", ""), { timeout: 60_000 });
  if (result.status !== "vulnerable" || !result.complexity.isFuzz) return result.status === "safe";
  const growth = [1, 2, 3].map(() => growthOf(new RegExp(pattern, flags), result.attack));
  return Math.min(...growth) <= MAX_GROWTH;
}

describe("each expression of the redactor", () => {
  test("is bounded if it is tried at each trigger", async () => {
    const sticky = (await ownExpressions()).filter(({ flags }) => flags.includes("y"));
    assert.ok(sticky.length > 30, `only ${sticky.length} expressions were found`);
    assert.deepEqual(sticky.map(({ pattern }) => pattern).filter(isUnbounded), []);
  });

  // What an expression costs is told from its source: once is enough, and takes half a minute.
  if (process.versions["bun"] === undefined) {
    test(
      "takes linear time",
      async () => {
        const expressions = await ownExpressions();
        assert.ok(expressions.length > 100, `only ${expressions.length} expressions were found`);
        const slow: string[] = [];
        for (const each of expressions) {
          // Time per start is at most a constant where each repeat has a limit: all are looked at by `npm run test:long`.
          if (!isUnbounded(each.pattern) && !isLong) continue;
          if (!(await isLinear(each))) slow.push(`/${each.pattern}/${each.flags}`);
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

/**
 * A character of the worst text may cost that many times what it costs in most hostile texts. `pw?=` repeated costs 40: it is
 * a whole assignment every four characters, and most of the others are none.
 */
const MAX_COST = 60;

describe("hostile texts made of what the rules look for", () => {
  const isBun = process.versions["bun"] !== undefined;
  const runtimes: Record<string, { command: string; env?: Record<string, string> }> = {};
  if (!isBun || isLong) runtimes["this runtime"] = { command: process.execPath };
  if (isBun) {
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
