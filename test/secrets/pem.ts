/** Private keys in the shape of each tool's files: the right first bytes, then noise. */
import type { Maker } from "./makers.ts";
import { BASE64, HEX, type Random } from "./random.ts";

/** The beginnings that the encodings force: ASN.1 headers and OpenSSH's magic, in base64. */
const STARTS = {
  "RSA ": "MIIEpAIBAAKCAQEA",
  "": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC",
  "EC ": "MHcCAQEEI",
  "OPENSSH ": "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW",
  "ENCRYPTED ": "MIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQI",
} as const;

export type PemKind = keyof typeof STARTS;

const wrap = (text: string, width: number): string[] => text.match(new RegExp(`.{1,${width}}`, "g")) ?? [];

/** The base64 lines of a key, without its markers. */
export function pemBody(random: Random, kind: PemKind = "RSA ", length = 820): string[] {
  const start = STARTS[kind];
  return wrap(`${start}${random.chars(BASE64, length - start.length)}Zg==`, 64);
}

export const begin = (kind: string): string => `${"-".repeat(5)}BEGIN ${kind}PRIVATE KEY${"-".repeat(5)}`;
export const end = (kind: string): string => `${"-".repeat(5)}END ${kind}PRIVATE KEY${"-".repeat(5)}`;

/** A whole key; its lines are joined with `newline`. */
export const pem =
  (kind: PemKind, newline = "\n", length = 820): Maker =>
  (random) =>
    [begin(kind), ...pemBody(random, kind, length), end(kind)].join(newline);

export const pgp: Maker = (random) =>
  [
    `${"-".repeat(5)}BEGIN PGP PRIVATE KEY BLOCK${"-".repeat(5)}`,
    "Version: GnuPG v2",
    "",
    ...wrap(`lQOYB${random.chars(BASE64, 1500)}`, 64),
    `=${random.chars(BASE64, 4)}`,
    `${"-".repeat(5)}END PGP PRIVATE KEY BLOCK${"-".repeat(5)}`,
  ].join("\n");

/** The private half of a PuTTY key file, which has no BEGIN or END. */
export const puttyPrivate: Maker = (random) => wrap(`AAAA${random.chars(BASE64, 596)}`, 64).join("\n");
export const puttyMac: Maker = (random) => random.chars(HEX, 64);
