/**
 * Makes strings in the published shape of each kind of credential. They are random: none was ever valid.
 * Prefixes stand apart from the bodies, so that no scanner takes this file for a leak.
 */
import { ALNUM, BASE64, BASE64URL, DIGITS, HEX, LOWER, UPPER, type Random } from "./random.ts";

export type Maker = (random: Random) => string;

const token =
  (prefix: string, alphabet: string, length: number, suffix = ""): Maker =>
  (random) =>
    prefix + random.chars(alphabet, length) + suffix;

export const githubClassic = token("ghp_", ALNUM, 36);
export const githubOauth = token("gho_", ALNUM, 36);
export const githubServer = token("ghs_", ALNUM, 36);
export const githubFine: Maker = (r) => `github_pat_${r.chars(ALNUM, 22)}_${r.chars(ALNUM, 59)}`;
export const githubInstallation: Maker = (r) => `ghs_${r.chars(DIGITS, 7)}_${jwt(r)}`;
export const gitlabPersonal = token("glpat-", BASE64URL, 20);
export const gitlabRoutable: Maker = (r) => `glpat-${r.chars(BASE64URL, 27)}.01.${r.chars(LOWER + DIGITS, 9)}`;
export const gitlabRunner = token("glrt-", BASE64URL, 20);
export const npmToken = token("npm_", ALNUM, 36);
export const pypiToken = token("pypi-AgEIcHlwaS5vcmc", BASE64URL, 150);
export const dockerToken = token("dckr_pat_", BASE64URL, 27);
export const rubygemsToken = token("rubygems_", HEX, 48);

export const awsSecret = token("", BASE64, 40);
export const awsKeyId = token("AKIA", `${UPPER}234567`, 16);
export const awsSession = token("IQoJb3JpZ2luX2Vj", BASE64, 320);
export const googleApiKey = token("AIzaSy", BASE64URL, 33);
export const geminiKey = token("AQ.Ab8RN6", BASE64URL, 44);
export const googleAccess = token("ya29.a0", BASE64URL, 180);
export const googleClientSecret = token("GOCSPX-", BASE64URL, 28);
export const googleRefresh = token("1//0g", BASE64URL, 98);
export const azureAccountKey = token("", BASE64, 86, "==");
/** The signature of a shared access link: 32 bytes in base64. */
export const sasSignature = token("", BASE64, 43, "=");
export const azureClientSecret: Maker = (r) => `${r.chars(ALNUM, 3)}8Q~${r.chars(`${ALNUM}._-~`, 33)}q`;

export const openaiProject: Maker = (r) => `sk-proj-${r.chars(BASE64URL, 74)}T3BlbkFJ${r.chars(BASE64URL, 73)}A`;
export const openaiService: Maker = (r) => `sk-svcacct-${r.chars(BASE64URL, 58)}T3BlbkFJ${r.chars(BASE64URL, 57)}A`;
export const openaiLegacy: Maker = (r) => `sk-${r.chars(ALNUM, 20)}T3BlbkFJ${r.chars(ALNUM, 20)}`;
export const deepseekKey = token("sk-", HEX, 32);
export const anthropicKey = token("sk-ant-api03-", BASE64URL, 93, "AA");
export const openrouterKey = token("sk-or-v1-", HEX, 64);
export const groqKey = token("gsk_", ALNUM, 52);
export const xaiKey = token("xai-", ALNUM, 80);
export const perplexityKey = token("pplx-", ALNUM, 48);
export const huggingfaceToken = token("hf_", LOWER + UPPER, 34);
export const replicateToken = token("r8_", ALNUM, 37);
export const nvidiaKey = token("nvapi-", BASE64URL, 64);

export const stripeLive = token("sk_live_51", ALNUM, 97);
export const stripeShort = token("sk_test_", ALNUM, 24);
export const stripeRestricted = token("rk_live_", ALNUM, 32);
export const stripeWebhook = token("whsec_", ALNUM, 32);
export const slackBot: Maker = (r) => `xoxb-${r.chars(DIGITS, 12)}-${r.chars(DIGITS, 13)}-${r.chars(ALNUM, 24)}`;
export const slackApp: Maker = (r) =>
  `xapp-1-A${r.chars(UPPER + DIGITS, 10)}-${r.chars(DIGITS, 13)}-${r.chars(HEX, 64)}`;
export const slackWebhookPath: Maker = (r) =>
  `T${r.chars(UPPER + DIGITS, 8)}/B${r.chars(UPPER + DIGITS, 10)}/${r.chars(ALNUM, 24)}`;
export const discordToken: Maker = (r) =>
  `${Buffer.from(r.chars("123456789", 18)).toString("base64")}.G${r.chars(BASE64URL, 5)}.${r.chars(BASE64URL, 38)}`;
export const discordWebhookPath: Maker = (r) => r.chars(BASE64URL, 68);
export const telegramToken: Maker = (r) => `${r.chars("123456789", 10)}:AA${r.chars(BASE64URL, 33)}`;
export const twilioKey = token("SK", HEX, 32);
export const sendgridKey: Maker = (r) => `SG.${r.chars(BASE64URL, 22)}.${r.chars(BASE64URL, 43)}`;
export const mailgunKey = token("key-", HEX, 32);
export const mailgunNew: Maker = (r) => `${r.chars(HEX, 32)}-${r.chars(HEX, 8)}-${r.chars(HEX, 8)}`;
export const mailchimpKey = token("", HEX, 32, "-us14");
export const digitaloceanToken = token("dop_v1_", HEX, 64);
export const herokuKey = token("HRKU-AA", BASE64URL, 58);
export const databricksToken = token("dapi", HEX, 32);
export const shopifyToken = token("shpat_", HEX, 32);
export const cloudflareToken: Maker = (r) => `cfut_${r.chars(ALNUM, 40)}${r.chars(HEX, 8)}`;
export const supabaseToken = token("sbp_", HEX, 40);
export const linearKey = token("lin_api_", ALNUM, 40);
export const notionToken: Maker = (r) => `ntn_${r.chars(DIGITS, 11)}${r.chars(ALNUM, 35)}`;
export const vaultToken = token("hvs.", BASE64URL, 95);
export const terraformToken: Maker = (r) => `${r.chars(ALNUM, 14)}.atlasv1.${r.chars(BASE64URL, 67)}`;
export const grafanaToken: Maker = (r) => `glsa_${r.chars(ALNUM, 32)}_${r.chars(HEX, 8)}`;
export const atlassianToken: Maker = (r) => `ATATT3xFfGF0${r.chars(BASE64URL, 170)}=${r.chars(UPPER + DIGITS, 8)}`;
export const tailscaleKey: Maker = (r) => `tskey-auth-${r.chars(ALNUM, 17)}-${r.chars(ALNUM, 32)}`;

export const ageKey = token("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58);
export const hex32 = token("", HEX, 32);
export const hex64 = token("", HEX, 64);
export const alnum24 = token("", ALNUM, 24);
export const alnum40 = token("", ALNUM, 40);
export const opaque43 = token("", BASE64URL, 43);
export const base64Of = (maker: Maker): Maker => {
  return (r) => Buffer.from(maker(r)).toString("base64");
};
export const urlEncoded = (maker: Maker): Maker => {
  return (r) => encodeURIComponent(maker(r));
};

/** 16 characters with digits and signs that need no quoting in a shell, YAML or an .env file. */
export const strongPassword: Maker = (r) => `${r.chars(ALNUM, 5)}!${r.chars(ALNUM, 5)}@${r.chars(ALNUM, 3)}9`;
/** Makes a password like those of people: a word, digits and one sign. */
export const humanPassword: Maker = (r) =>
  `${r.pick(["Winter", "Falcon", "Banana", "Metallica", "Lisboa"])}${r.chars(DIGITS, 4)}${r.pick(["!", "#", "%", "*"])}`;
/** Lower-case letters with digits, e.g. `monkey4821`. */
export const plainPassword: Maker = (r) => r.pick(["monkey", "dragon", "rosebud", "tiger"]) + r.chars(DIGITS, 4);
/** Letters only. */
export const letterPassword: Maker = (r) => r.pick(["letmein", "trustno", "iloveyou", "qwertz"]) + r.chars(LOWER, 4);
export const urlPassword: Maker = (r) => `${r.chars(ALNUM, 6)}-${r.chars(ALNUM, 8)}`;

const json64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
export const jwt: Maker = (r) =>
  [
    json64({ alg: "HS256", typ: "JWT" }),
    json64({ sub: r.chars(DIGITS, 10), scope: "admin", iat: 1_700_000_000 }),
    r.chars(BASE64URL, 43),
  ].join(".");
export const jwtRs256: Maker = (r) =>
  [
    json64({ kid: r.chars(HEX, 40), typ: "JWT", alg: "RS256" }),
    json64({ iss: "https://idp.example.org", sub: r.chars(HEX, 24), aud: "api" }),
    r.chars(BASE64URL, 342),
  ].join(".");
export const figmaToken = token("figd_", BASE64URL, 43);
