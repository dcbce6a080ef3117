/**
 * Credentials that start with a fixed prefix, as their issuers publish them.
 *
 * secretlint knows many of these when they are whole. They stand here too because a transcript also holds them cut,
 * coloured, escaped or glued to other text, where its exact lengths and boundaries miss them.
 */
import {
  ALNUM,
  BASE64,
  BASE64_WORD,
  type CharSet,
  HEX,
  UPPER_ALNUM,
  URL_SAFE,
  URL_SAFE_DOT,
  URL_SAFE_PADDED,
  WORD,
} from "./char-set.ts";

export interface TokenShape {
  kind: string;
  /** Prefixes, separated by spaces. */
  prefixes: string;
  /** What may follow the prefix. */
  body: CharSet;
  /** The least number of characters after the prefix of a whole token. */
  min: number;
  /** The prefix also occurs in ordinary text, so that a cut token needs more evidence. */
  common?: boolean;
}

export const tokenShapes: readonly TokenShape[] = [
  { kind: "github-token", prefixes: "ghp_ gho_ ghu_ ghr_", body: WORD, min: 30 },
  { kind: "github-token", prefixes: "ghs_", body: URL_SAFE_DOT, min: 30 },
  { kind: "github-token", prefixes: "github_pat_", body: WORD, min: 22 },
  {
    kind: "gitlab-token",
    prefixes: "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- GR1348941",
    body: URL_SAFE_DOT,
    min: 20,
  },
  { kind: "atlassian-token", prefixes: "ATATT3 ATCTT3", body: URL_SAFE_PADDED, min: 40 },
  { kind: "npm-token", prefixes: "npm_", body: ALNUM, min: 30, common: true },
  { kind: "pypi-token", prefixes: "pypi-AgE", body: URL_SAFE, min: 40 },
  { kind: "rubygems-token", prefixes: "rubygems_", body: HEX, min: 32 },
  { kind: "clojars-token", prefixes: "CLOJARS_", body: ALNUM, min: 50 },
  { kind: "docker-token", prefixes: "dckr_pat_ dckr_oat_", body: URL_SAFE, min: 20 },
  { kind: "jfrog-token", prefixes: "AKCp cmVmdGtu", body: ALNUM, min: 50, common: true },

  { kind: "aws-access-key-id", prefixes: "AKIA ASIA ABIA ACCA", body: UPPER_ALNUM, min: 16 },
  { kind: "aws-bedrock-key", prefixes: "ABSK bedrock-api-key-", body: BASE64, min: 100 },
  { kind: "alibaba-access-key-id", prefixes: "LTAI", body: ALNUM, min: 16, common: true },
  { kind: "google-api-key", prefixes: "AIza AQ.Ab", body: URL_SAFE, min: 30 },
  { kind: "google-oauth", prefixes: "ya29. GOCSPX-", body: URL_SAFE, min: 20 },
  { kind: "google-oauth", prefixes: "1//0", body: URL_SAFE, min: 40, common: true },
  // `{"type": "service_account"` and `{"auths":` in base64, as they stand in CI variables and Kubernetes secrets.
  {
    kind: "gcp-service-account",
    prefixes: "ewogICJ0eXBlIjogInNlcnZpY2Vf eyJ0eXBlIjoic2VydmljZV9h",
    body: BASE64,
    min: 40,
  },
  {
    kind: "docker-auth",
    prefixes: "eyJhdXRocyI6 ewogICJhdXRocyI6 ewoJImF1dGhzIjog",
    body: BASE64,
    min: 20,
  },
  { kind: "digitalocean-token", prefixes: "dop_v1_ doo_v1_ dor_v1_", body: HEX, min: 32 },
  { kind: "heroku-key", prefixes: "HRKU-", body: URL_SAFE, min: 30 },
  { kind: "cloudflare-token", prefixes: "cfut_ cfat_ cfk_", body: ALNUM, min: 36 },
  { kind: "fly-token", prefixes: "fo1_ fm2_ fm1r_ fm1a_", body: BASE64_WORD, min: 40 },
  {
    kind: "vercel-token",
    prefixes: "vcp_ vci_ vca_ vcr_ vck_",
    body: ALNUM,
    min: 20,
    common: true,
  },
  { kind: "netlify-token", prefixes: "nfp_", body: WORD, min: 30 },
  { kind: "render-key", prefixes: "rnd_", body: ALNUM, min: 24, common: true },
  { kind: "supabase-token", prefixes: "sbp_ sb_secret_", body: URL_SAFE, min: 20 },
  {
    kind: "planetscale-token",
    prefixes: "pscale_tkn_ pscale_pw_ pscale_oauth_",
    body: URL_SAFE_DOT,
    min: 30,
  },
  { kind: "mongodb-token", prefixes: "mdb_sa_sk_", body: URL_SAFE, min: 30 },
  { kind: "databricks-token", prefixes: "dapi", body: HEX, min: 32, common: true },
  { kind: "openshift-token", prefixes: "sha256~", body: URL_SAFE, min: 40 },
  { kind: "vault-token", prefixes: "hvs. hvb. hvr.", body: URL_SAFE, min: 24 },
  {
    kind: "doppler-token",
    prefixes: "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
    body: URL_SAFE_DOT,
    min: 30,
  },
  { kind: "pulumi-token", prefixes: "pul-", body: HEX, min: 32, common: true },
  { kind: "tailscale-key", prefixes: "tskey-", body: URL_SAFE, min: 20 },
  { kind: "1password-token", prefixes: "ops_eyJ", body: BASE64, min: 60 },
  { kind: "age-key", prefixes: "AGE-SECRET-KEY-1", body: UPPER_ALNUM, min: 20 },

  {
    kind: "openai-key",
    prefixes: "sk-proj- sk-svcacct- sk-admin- sk-service- sk-None-",
    body: URL_SAFE,
    min: 20,
  },
  { kind: "openai-key", prefixes: "sk-", body: ALNUM, min: 20, common: true },
  { kind: "openai-key", prefixes: "rt_", body: URL_SAFE_DOT, min: 40, common: true },
  { kind: "anthropic-key", prefixes: "sk-ant-", body: URL_SAFE, min: 20 },
  { kind: "openrouter-key", prefixes: "sk-or-v1-", body: ALNUM, min: 20 },
  { kind: "langfuse-key", prefixes: "sk-lf-", body: URL_SAFE, min: 30 },
  { kind: "groq-key", prefixes: "gsk_", body: ALNUM, min: 40 },
  { kind: "xai-key", prefixes: "xai-", body: WORD, min: 40 },
  { kind: "perplexity-key", prefixes: "pplx-", body: ALNUM, min: 40 },
  { kind: "cerebras-key", prefixes: "csk-", body: ALNUM, min: 40, common: true },
  { kind: "huggingface-token", prefixes: "hf_ api_org_", body: ALNUM, min: 30, common: true },
  { kind: "replicate-token", prefixes: "r8_", body: URL_SAFE, min: 30, common: true },
  { kind: "nvidia-key", prefixes: "nvapi-", body: URL_SAFE, min: 40 },
  { kind: "pinecone-key", prefixes: "pcsk_", body: WORD, min: 40 },
  { kind: "langsmith-key", prefixes: "lsv2_pt_ lsv2_sk_", body: WORD, min: 30 },
  { kind: "tavily-key", prefixes: "tvly-", body: URL_SAFE, min: 20 },
  { kind: "elevenlabs-key", prefixes: "sk_", body: HEX, min: 40, common: true },

  { kind: "stripe-key", prefixes: "sk_live_ sk_test_ rk_live_ rk_test_", body: ALNUM, min: 10 },
  { kind: "stripe-key", prefixes: "whsec_", body: BASE64, min: 24 },
  { kind: "square-token", prefixes: "sq0atp- sq0csp-", body: URL_SAFE, min: 20 },
  { kind: "razorpay-key", prefixes: "rzp_live_ rzp_test_", body: ALNUM, min: 14 },
  {
    kind: "plaid-token",
    prefixes: "access-production- access-sandbox- access-development-",
    body: URL_SAFE,
    min: 36,
  },
  { kind: "shopify-token", prefixes: "shpat_ shpca_ shppa_ shpss_", body: ALNUM, min: 24 },
  { kind: "easypost-key", prefixes: "EZAK EZTK", body: ALNUM, min: 50, common: true },
  { kind: "shippo-token", prefixes: "shippo_live_ shippo_test_", body: HEX, min: 32 },

  {
    kind: "slack-token",
    prefixes: "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd-",
    body: URL_SAFE,
    min: 10,
  },
  { kind: "slack-token", prefixes: "xoxe.xoxp- xoxe.xoxb- xapp- xwfp-", body: URL_SAFE, min: 20 },
  { kind: "mailgun-key", prefixes: "key-", body: HEX, min: 32, common: true },
  { kind: "brevo-key", prefixes: "xkeysib- xsmtpsib-", body: URL_SAFE, min: 40 },
  { kind: "contentful-token", prefixes: "CFPAT-", body: URL_SAFE, min: 40 },
  { kind: "adafruit-key", prefixes: "aio_", body: ALNUM, min: 28, common: true },
  { kind: "linear-token", prefixes: "lin_api_ lin_oauth_", body: WORD, min: 32 },
  { kind: "notion-token", prefixes: "ntn_", body: ALNUM, min: 40 },
  { kind: "figma-token", prefixes: "figd_ figu_ figo_ figp_", body: URL_SAFE, min: 30 },
  { kind: "dropbox-token", prefixes: "sl.u. sl.", body: URL_SAFE, min: 100, common: true },
  { kind: "mapbox-token", prefixes: "sk.eyJ", body: URL_SAFE_DOT, min: 40 },

  { kind: "grafana-token", prefixes: "glsa_", body: WORD, min: 36 },
  { kind: "grafana-token", prefixes: "glc_", body: BASE64, min: 32 },
  { kind: "sentry-token", prefixes: "sntrys_ sntryu_", body: BASE64_WORD, min: 40 },
  { kind: "new-relic-key", prefixes: "NRAK- NRII- NRJS- NRRA-", body: URL_SAFE, min: 19 },
  { kind: "dynatrace-token", prefixes: "dt0c01.", body: URL_SAFE_DOT, min: 60 },
  { kind: "posthog-key", prefixes: "phx_", body: ALNUM, min: 40 },
  { kind: "sonar-token", prefixes: "squ_ sqp_ sqa_", body: ALNUM, min: 30 },
  { kind: "sourcegraph-token", prefixes: "sgp_", body: WORD, min: 40 },
  { kind: "postman-key", prefixes: "PMAK-", body: URL_SAFE, min: 40 },
  { kind: "circleci-token", prefixes: "CCIPAT_", body: WORD, min: 40 },
  { kind: "buildkite-token", prefixes: "bkua_", body: ALNUM, min: 30 },
  { kind: "prefect-token", prefixes: "pnu_", body: ALNUM, min: 30 },
  { kind: "readme-token", prefixes: "rdme_", body: ALNUM, min: 40 },
  { kind: "typeform-token", prefixes: "tfp_", body: URL_SAFE_DOT, min: 40 },
];
