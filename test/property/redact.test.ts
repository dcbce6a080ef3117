import assert from "node:assert/strict";
import fc from "fast-check";
import { redactJson } from "../../src/redact/redact-json.ts";
import { createRedactor } from "../../src/redact/redactor.ts";
import { credentialTemplates } from "../secrets/tuning/credentials.ts";
import { contextTemplates } from "../secrets/tuning/contexts.ts";
import { broadSets, isLeaked, labelledSets } from "../secrets/measure.ts";
import * as make from "../secrets/makers.ts";
import { pem } from "../secrets/pem.ts";
import { createRandom } from "../secrets/random.ts";
import { fill } from "../secrets/sample.ts";
import { describe, runs, test } from "../support/runner.ts";

const redactor = createRedactor();
const redact = async (text: string): Promise<string> => (await redactor.redact([{ text }]))[0]?.text ?? "";

const samples = fill([...credentialTemplates, ...contextTemplates], 7);
const sampleText = fc.constantFrom(...samples.map(({ text }) => text));
/** Pieces that rules look for, so that arbitrary text comes close to what they match. */
const fragment = fc.constantFrom(
  ..."password token= secret: \" ' \\ \\n \n : = :: // @ .. ... … ( ) [ ] { } -----BEGIN END PRIVATE KEY----- eyJ ghp_ sk- AKIA".split(
    " ",
  ),
  ..."[REDACTED: :password] Bearer Authorization: Cookie: name value https://user: -u --token 1234 aB3x <password> </password>".split(
    " ",
  ),
  " ",
  "\n",
);
const nasty = fc
  .array(fc.oneof(fragment, fc.string({ maxLength: 12 }), fc.string({ unit: "binary", maxLength: 4 }), sampleText), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""));

/** Credentials that are known wherever they stand. */
const makers: readonly make.Maker[] = [
  make.githubClassic,
  make.githubFine,
  make.gitlabPersonal,
  make.npmToken,
  make.pypiToken,
  make.awsKeyId,
  make.googleApiKey,
  make.openaiProject,
  make.anthropicKey,
  make.stripeLive,
  make.slackBot,
  make.sendgridKey,
  make.jwt,
  make.discordToken,
  make.vaultToken,
  pem("RSA "),
  pem("", "\\n"),
];
const secret = fc.tuple(fc.constantFrom(...makers), fc.nat()).map(([maker, seed]) => maker(createRandom(seed)));
/** A key's BEGIN and END lines are no secret. */
const leaks = (credential: string, output: string, context: string): boolean =>
  credential.split(/-----[A-Z ]+-----|\\n|\n/).some((part) => part.length >= 8 && isLeaked(part, output, context));
const edge = fc.constantFrom(" ", "\n", '"', "'", "`", "\t", ",", "\\n", '\\"', "(", "=");

const harmlessTexts = [
  ...new Set(
    [...labelledSets, ...broadSets].flatMap(({ negatives }) =>
      negatives.filter(({ key }) => key === undefined).map(({ text }) => text),
    ),
  ),
];

/** Seed of the random values beside harmless texts. A failure prints it. */
const VALUES_SEED = Number(process.env["REDACT_SEED"] ?? Date.now() % 1_000_000_000);

describe("redaction", () => {
  test("does not change harmless text beside random-looking values", async () => {
    const values = fc.sample(
      fc.oneof(
        fc.uuid(),
        fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 7, maxLength: 64 }),
        fc.base64String({ minLength: 8, maxLength: 100 }),
      ),
      { numRuns: harmlessTexts.length, seed: VALUES_SEED },
    );
    const inputs = harmlessTexts.flatMap((text, at) => [
      { text: `${text}\n\n${values[at]}` },
      { text: `${values[at]}\n\n${text}` },
    ]);
    const outputs = await redactor.redact(inputs);
    const changed = inputs.flatMap(({ text: input }, at) => {
      const output = outputs[at]?.text;
      return output === input ? [] : [{ input, output }];
    });
    assert.deepEqual(changed, [], `changed with REDACT_SEED=${VALUES_SEED}`);
  });

  // Each was redacted by chance once: base64 that begins like a token, or contains a name between its signs.
  test("does not change base64 that begins like a token or contains a name", async () => {
    const texts = [
      "cioUtMTDtwmtNOAeVLnXia5Y6TO7",
      "cioRHZZnWwsKysTM4NAmNxUjqaLWTQpMGDFOPoM4rdyAamhsENZ9pbj6Fnng",
      "6BGS4gPkW9+saQCl23xkuCQieJzgFdzyIpwd",
      "9VzNp+gyPWD/y8Tpffs/9v1Y",
      "mdp+uyX4gPAXHLDhp+FZgO6nPASFbDIRPSGTcZMLG/+iZJTAZltlkkvD1R19s9l8",
      "S+VdFMX0ZaTer7zKf4vxK9zocq3k2LQtmucKbZO67t+ACRl9I9Q1FqhIJw2mRzH0yXbVdYtCkU8oPsGe",
    ].flatMap((value) => [`The build is done.\n\n${value}`, `${value}\n\nThe build is done.`]);
    assert.deepEqual(await Promise.all(texts.map(redact)), texts);
  });

  test("does not change text without secrets", async () => {
    const harmless = fc.oneof(
      fc.lorem({ mode: "sentences" }),
      fc.uuid(),
      fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 7, maxLength: 64 }),
      fc.base64String({ maxLength: 400 }),
      fc.constantFrom(...harmlessTexts),
    );
    const property = fc.asyncProperty(fc.array(harmless, { maxLength: 8 }), async (parts) => {
      const text = parts.join("\n\n");
      assert.equal(await redact(text), text);
    });
    await fc.assert(property, { numRuns: runs(300) });
  });

  test("changes nothing when done again", async () => {
    const property = fc.asyncProperty(nasty, async (text) => {
      const once = await redact(text);
      assert.equal(await redact(once), once);
    });
    await fc.assert(property, { numRuns: runs(1000) });
  });

  test("gives the same result in any batch", async () => {
    const property = fc.asyncProperty(fc.array(nasty, { maxLength: 8 }), fc.nat(8), async (texts, split) => {
      const inputs = texts.map((text) => ({ text }));
      const whole = await redactor.redact(inputs);
      const parts = [
        ...(await redactor.redact(inputs.slice(0, split))),
        ...(await redactor.redact(inputs.slice(split))),
      ];
      assert.deepEqual(parts, whole);
    });
    await fc.assert(property, { numRuns: runs(200) });
  });

  test("catches a credential anywhere in any text", async () => {
    const property = fc.asyncProperty(
      nasty,
      edge,
      secret,
      edge,
      nasty,
      async (before, left, credential, right, after) => {
        const output = await redact(before + left + credential + right + after);
        assert.ok(!leaks(credential, output, before + left + right + after), output);
      },
    );
    await fc.assert(property, { numRuns: runs(1000) });
  });

  test("catches a credential across the points where a long text is split", async () => {
    const at = fc.integer({ min: 256 * 1024 - 2000, max: 256 * 1024 + 50 });
    const property = fc.asyncProperty(at, secret, async (length, credential) => {
      const output = await redact(
        `${"some words ".repeat(25_000).slice(0, length)} ${credential} ${"more ".repeat(9000)}`,
      );
      assert.ok(!leaks(credential, output, ""));
    });
    await fc.assert(property, { numRuns: runs(15) });
  });

  test("catches a credential that comes in two pieces", async () => {
    const property = fc.asyncProperty(secret, fc.nat(), fc.lorem(), async (credential, at, words) => {
      const split = at % credential.length;
      const first = `${words} ${credential.slice(0, split)}`;
      const second = `${credential.slice(split)} ${words}`;
      const results = await redactor.redact([
        { text: first, cut: true },
        { text: second, before: first },
      ]);
      const known = credential.slice(0, BEGINNING);
      for (const { text } of results) assert.ok(!leaks(credential, text, known), text);
    });
    await fc.assert(property, { numRuns: runs(1000) });
  });
});

/** The beginning of a credential that says no more than its kind. */
const BEGINNING = 32;

describe("redaction of JSON", () => {
  /** Values as tools print them: sensitive names, odd strings, JSON within JSON. */
  const name = fc.oneof(
    fc.constantFrom("password", "token", "apiKey", "Authorization", "Cookie", "name", "value", "x"),
    fc.string(),
  );
  const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      nasty,
      secret,
      fc.integer(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(name, tie("value"), { maxKeys: 4 }),
      tie("value").map((inner) => JSON.stringify(inner)),
    ),
  }));
  const parsesLike = (before: unknown, after: unknown): void => {
    assert.equal(Array.isArray(after), Array.isArray(before));
    assert.equal(typeof after, typeof before);
  };

  test("text that is JSON stays JSON, at any depth of escaping", async () => {
    const property = fc.asyncProperty(jsonValue, fc.integer({ min: 1, max: 3 }), async (value, depth) => {
      let text = JSON.stringify(value);
      for (let i = 1; i < depth; i++) text = JSON.stringify(text);
      let before: unknown = text;
      let after: unknown = await redact(text);
      for (let i = 0; i < depth && typeof after === "string" && typeof before === "string"; i++) {
        before = JSON.parse(before);
        after = JSON.parse(after);
        parsesLike(before, after);
      }
    });
    await fc.assert(property, { numRuns: runs(1000) });
  });

  test("redactJson keeps the shape, and its result survives a round trip", async () => {
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value === "object" && value !== null) return Object.values(value).map(shape);
      return typeof value;
    };
    const property = fc.asyncProperty(fc.array(jsonValue, { maxLength: 3 }), async (values) => {
      const clean = values.map((value): unknown => JSON.parse(JSON.stringify(value)));
      const results = (await redactJson(redactor, clean)).map(({ value }) => value);
      assert.deepEqual(JSON.parse(JSON.stringify(results)), results);
      assert.equal(results.length, clean.length);
      assert.deepEqual(JSON.stringify(results.map(shape)).length, JSON.stringify(clean.map(shape)).length);
    });
    await fc.assert(property, { numRuns: runs(300) });
  });
});
