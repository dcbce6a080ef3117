/**
 * Credentials with a fixed prefix, as documented by their issuers.
 *
 * Each line has the kind, the characters after the prefix (a set of `char-set.ts`), the minimum number of them in a
 * complete token, and the prefixes. `~`: the prefix also occurs in ordinary text, so that a token that was cut off needs
 * more evidence.
 */
export const tokenTable = `
github-token WORD 30 ghp_ gho_ ghu_ ghr_
github-token URL_SAFE_DOT 30 ghs_
github-token WORD 22 github_pat_
gitlab-token URL_SAFE_DOT 20 glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glwt- GR1348941
atlassian-token URL_SAFE_PADDED 40 ATATT3 ATCTT3
atlassian-token HEX~ 60 ATTA
bitbucket-token URL_SAFE_PADDED~ 28 ATBB
bitbucket-token BASE64_WORD 36 BBDC-
npm-token ALNUM~ 30 npm_
pypi-token URL_SAFE 40 pypi-AgE
woocommerce-key HEX~ 40 ck_ cs_
rubygems-token HEX 32 rubygems_
clojars-token ALNUM 50 CLOJARS_
vercel-token WORD 30 vercel_blob_rw_
# {"auths": in base64
docker-auth BASE64 20 eyJhdXRocyI6 ewogICJhdXRocyI6 ewoJImF1dGhzIjog
docker-token URL_SAFE 20 dckr_pat_ dckr_oat_
jfrog-token ALNUM~ 50 AKCp cmVmdGtu

aws-access-key-id UPPER_ALNUM 16 AKIA ASIA ABIA ACCA
aws-bedrock-key BASE64 100 ABSK bedrock-api-key-
alibaba-access-key-id ALNUM~ 16 LTAI
amazon-oauth HEX 40 amzn1.oa2-cs.v1.
tencent-key ALNUM~ 32 AKID
volcengine-key ALNUM~ 36 AKLT
yandex-token URL_SAFE~ 35 AQVN y0_
google-api-key URL_SAFE 30 AIza AQ.Ab
google-oauth URL_SAFE 20 ya29. ya29.c. GOCSPX-
google-oauth URL_SAFE~ 40 1//0
# {"type": "service_account" in base64, as in CI variables and Kubernetes secrets
gcp-service-account BASE64 40 ewogICJ0eXBlIjogInNlcnZpY2Vf eyJ0eXBlIjoic2VydmljZV9h
digitalocean-token HEX 32 dop_v1_ doo_v1_ dor_v1_
digitalocean-key UPPER_ALNUM~ 16 DO00
backblaze-key BASE64~ 27 K001 K002 K003 K004 K005
heroku-key URL_SAFE 30 HRKU-
cloudflare-token ALNUM 36 cfut_ cfat_ cfk_
fly-token BASE64_WORD 40 fo1_ fm2_ fm1r_ fm1a_
vercel-token ALNUM~ 20 vcp_ vci_ vca_ vcr_ vck_
netlify-token WORD 30 nfp_ nfo_ nfc_ nfb_ nfu_
deno-token ALNUM~ 36 ddp_ ddw_ ddo_
scalingo-token URL_SAFE 44 tk-us-
neon-key ALNUM~ 40 napi_
neon-password ALNUM~ 12 npg_
xata-key ALNUM~ 30 xau_
cockroach-key WORD 40 CCDB1_
render-key ALNUM~ 24 rnd_
supabase-token URL_SAFE 20 sbp_ sb_secret_
planetscale-token URL_SAFE_DOT 30 pscale_tkn_ pscale_pw_ pscale_oauth_
mongodb-token URL_SAFE 30 mdb_sa_sk_
databricks-token HEX~ 32 dapi
openshift-token URL_SAFE 40 sha256~
vault-token URL_SAFE 24 hvs. hvb. hvr.
doppler-token URL_SAFE_DOT 30 dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
pulumi-token HEX~ 32 pul-
tailscale-key URL_SAFE 20 tskey-
1password-token BASE64 60 ops_eyJ
octopus-key UPPER_ALNUM~ 25 API-
snyk-token URL_SAFE_DOT 40 snyk_uat. snyk_sat.
socket-token WORD 30 sktsec_
defined-networking-key URL_SAFE~ 40 dnkey-
nostr-key ALNUM 58 nsec1
wallet-key ALNUM 90 xprv9
age-key UPPER_ALNUM 20 AGE-SECRET-KEY-1

openai-key URL_SAFE 20 sk-proj- sk-svcacct- sk-admin- sk-service- sk-None-
openai-key ALNUM~ 20 sk-
openai-key URL_SAFE~ 32 sk-
openai-key ALNUM~ 36 sess-
openai-key URL_SAFE_DOT~ 40 rt_
anthropic-key URL_SAFE 20 sk-ant-
openrouter-key ALNUM 20 sk-or-v1-
langfuse-key URL_SAFE 30 sk-lf-
groq-key ALNUM 40 gsk_
xai-key WORD 40 xai-
perplexity-key ALNUM 40 pplx-
cerebras-key ALNUM~ 40 csk-
huggingface-token ALNUM~ 30 hf_ api_org_
replicate-token URL_SAFE~ 30 r8_
nvidia-key URL_SAFE 40 nvapi-
pinecone-key WORD 40 pcsk_
langsmith-key WORD 30 lsv2_pt_ lsv2_sk_
tavily-key URL_SAFE 20 tvly-
together-key URL_SAFE 30 tgp_v1_
fireworks-key ALNUM~ 22 fw_
jina-key URL_SAFE 40 jina_
firecrawl-key HEX~ 32 fc-
apify-token ALNUM 30 apify_api_
browserbase-key URL_SAFE 24 bb_live_ bb_test_
e2b-key HEX~ 40 e2b_
daytona-key HEX~ 40 dtn_
runpod-key ALNUM~ 36 rpa_
cursor-key HEX~ 60 key_
cursor-key HEX 40 crsr_
coderabbit-key HEX~ 50 cr-
elevenlabs-key HEX~ 40 sk_

stripe-key ALNUM 10 sk_live_ sk_test_ rk_live_ rk_test_ sk_org_ ek_live_
stripe-key BASE64 24 whsec_
square-token URL_SAFE 20 sq0atp- sq0csp-
flutterwave-key URL_SAFE 12 FLWSECK- FLWSECK_TEST-
xendit-key ALNUM 30 xnd_production_ xnd_development_
midtrans-key URL_SAFE 20 Mid-server-
mercadopago-token URL_SAFE 50 APP_USR-
paypal-token LOWER_ALNUM_DOLLAR 16 access_token$production$ access_token$sandbox$
paddle-key WORD 40 pdl_live_apikey_ pdl_sdbx_apikey_
polar-token ALNUM 30 polar_oat_ polar_pat_
ramp-secret ALNUM 40 ramp_sec_
rapyd-key HEX~ 40 rsk_
duffel-token URL_SAFE_PADDED 40 duffel_live_ duffel_test_
razorpay-key ALNUM 14 rzp_live_ rzp_test_
plaid-token URL_SAFE 36 access-production- access-sandbox- access-development-
shopify-token ALNUM 24 shpat_ shpca_ shppa_ shpss_ shpua_
easypost-key ALNUM~ 50 EZAK EZTK
shippo-token HEX 32 shippo_live_ shippo_test_

slack-token URL_SAFE 10 xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd-
slack-token URL_SAFE 20 xoxe.xoxp- xoxe.xoxb- xapp- xwfp-
discord-token URL_SAFE~ 60 mfa.
matrix-token WORD~ 30 syt_
instagram-token URL_SAFE~ 80 IGQV IGAA THAA
vk-token URL_SAFE 80 vk1.a.
onesignal-key ALNUM 60 os_v2_app_ os_v2_org_
mailersend-token HEX 60 mlsn.
intercom-token BASE64 50 dG9rO
mailgun-key HEX~ 32 key-
brevo-key URL_SAFE 40 xkeysib- xsmtpsib-
contentful-token URL_SAFE 40 CFPAT-
adafruit-key ALNUM~ 28 aio_
linear-token WORD 32 lin_api_ lin_oauth_
notion-token ALNUM 40 ntn_
notion-token ALNUM~ 43 secret_
adobe-secret URL_SAFE~ 32 p8e-
frameio-token URL_SAFE_PADDED 60 fio-u-
onfido-token URL_SAFE_DOT 30 api_live. api_live_eu. api_sandbox.
statsig-key ALNUM~ 36 secret-
figma-token URL_SAFE 30 figd_ figu_ figo_ figp_
dropbox-token URL_SAFE~ 100 sl.u. sl.
mapbox-token URL_SAFE_DOT 40 sk.eyJ

grafana-token WORD 36 glsa_
grafana-token BASE64 32 glc_
grafana-token BASE64 60 eyJrIjoi
honeycomb-key ALNUM 50 hcaik_ hcamk_ hcalk_ hcxik_ hcxmk_
elastic-key BASE64 40 essu_
rootly-key HEX 60 rootly_
sentry-token BASE64_WORD 40 sntrys_ sntryu_ sntrya_ sntryi_
new-relic-key URL_SAFE 19 NRAK- NRII- NRJS- NRRA-
dynatrace-token URL_SAFE_DOT 60 dt0c01.
posthog-key ALNUM 40 phx_
sonar-token ALNUM 30 squ_ sqp_ sqa_
sourcegraph-token WORD 40 sgp_
postman-key URL_SAFE 40 PMAK-
circleci-token WORD 40 CCIPAT_ CCIPRJ_
buildkite-token ALNUM 30 bkua_ bkaj_ bkct_
prefect-token ALNUM 30 pnu_ pnb_
readme-token ALNUM 40 rdme_
infracost-key ALNUM~ 32 ico-
42-secret HEX 60 s-s4t2ud- s-s4t2af-
settlemint-token ALNUM~ 16 sm_pat_ sm_aat_ sm_sat_
sourcegraph-token WORD 60 sgamp_ slk_
val-town-token ALNUM 30 vtwn_
unkey-key ALNUM~ 20 unkey_
lightdash-token HEX 30 ldpat_
dbt-token URL_SAFE 36 dbtc_ dbtu_
ionic-token ALNUM~ 40 ion_
chief-tools-token ALNUM~ 32 ctp_
hop-token ALNUM~ 32 ptk_
thunderstore-token ALNUM~ 32 tss_
zuplo-key WORD 40 zpka_
tower-token BASE64 40 eyJ0aWQi
typeform-token URL_SAFE_DOT 40 tfp_
`;
