/** Held-out positives: credentials with a shape of their own. Written before the rules; never used to tune them. */
import * as make from "../makers.ts";
import { cutOff, holds, holdsAll, type PositiveTemplate } from "../sample.ts";

export const credentialTemplates: readonly PositiveTemplate[] = [
  holds("github-token", make.githubClassic, (s) => `remote: https://${s}@github.com/acme/shop.git (fetch)`),
  holds(
    "github-token",
    make.githubOauth,
    (s) => `github.com:\n    user: octocat\n    oauth_token: ${s}\n    git_protocol: https\n`,
  ),
  holds(
    "github-token",
    make.githubFine,
    (s) => `Run gh auth login --with-token <<< "${s}"\n\u001b[32m✓\u001b[0m Logged in`,
  ),
  holds("github-token", make.githubServer, (s) => JSON.stringify({ output: `GITHUB_TOKEN\n${s}\nGITHUB_SHA` })),
  holds("github-token", make.githubClassic, (s) => `\u001b[33m${s}\u001b[0m`),
  holds("github-token", make.githubInstallation, (s) => `##[debug]token=${s}, expires in 1h`),
  cutOff("github-token", make.githubClassic, 21, (s) => `{"env":{"GH_PAT":"${s}... (truncated)`),
  cutOff("github-token", make.githubFine, 40, (s) => `The token that I found is ${s}`, {
    cut: true,
  }),
  holds("gitlab-token", make.gitlabPersonal, (s) => `glab: using token ${s} from config`),
  holds(
    "gitlab-token",
    make.gitlabRoutable,
    (s) => `curl --request GET --header "PRIVATE-TOKEN: ${s}" "https://gitlab.example.com/api/v4/user"`,
  ),
  holds(
    "gitlab-token",
    make.gitlabRunner,
    (s) => `[[runners]]\n  name = "linux-1"\n  url = "https://gitlab.com"\n  token = "${s}"\n  executor = "docker"`,
  ),
  cutOff("gitlab-token", make.gitlabPersonal, 12, (s) => `- glpat saved as ${s}\n[truncated]`),
  holds("npm-token", make.npmToken, (s) => `//registry.npmjs.org/:_authToken=${s}\nalways-auth=true\n`),
  holds(
    "npm-token",
    make.npmToken,
    (s) =>
      `Error: 403 Forbidden - PUT https://registry.npmjs.org/pkg (using ${s})\n    at fetch (node:internal/deps/undici:1:1)`,
  ),
  holds("pypi-token", make.pypiToken, (s) => `[pypi]\nusername = __token__\npassword = ${s}\n`),
  cutOff("pypi-token", make.pypiToken, 60, (s) => `twine upload -u __token__ -p ${s}…`),
  holds("docker-token", make.dockerToken, (s) => `echo ${s} | docker login -u acme --password-stdin`),
  holds("rubygems-token", make.rubygemsToken, (s) => `---\n:rubygems_api_key: ${s}\n`),
  holds(
    "aws-secret-key",
    make.awsSecret,
    (s) => `[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = ${s}\nregion = eu-west-1\n`,
  ),
  holdsAll(
    "aws-secret-key",
    [make.awsKeyId, make.awsSecret],
    (id, s) =>
      `{"AccessKey":{"UserName":"ci","AccessKeyId":"${id}","Status":"Active","SecretAccessKey":"${s}","CreateDate":"2024-05-01"}}`,
  ),
  holds(
    "aws-secret-key",
    make.awsSecret,
    (s) => `+provider "aws" {\n+  region     = "us-east-1"\n+  secret_key = "${s}"\n+}`,
  ),
  holdsAll(
    "aws-session-token",
    [make.awsSecret, make.awsSession],
    (s, t) => `export AWS_SECRET_ACCESS_KEY="${s}"\nexport AWS_SESSION_TOKEN="${t}"`,
  ),
  holds(
    "aws-access-key-id",
    make.awsKeyId,
    (s) => `An error occurred (InvalidClientTokenId) for ${s} when calling GetCallerIdentity`,
  ),
  holds(
    "google-api-key",
    make.googleApiKey,
    (s) => `<script src="https://maps.googleapis.com/maps/api/js?key=${s}&libraries=places"></script>`,
  ),
  holds(
    "google-api-key",
    make.googleApiKey,
    (s) => `firebaseConfig = { apiKey: '${s}', authDomain: 'shop.firebaseapp.com' }`,
  ),
  holds("google-api-key", make.geminiKey, (s) => `x-goog-api-key: ${s}`),
  cutOff("google-api-key", make.googleApiKey, 20, (s) => `GOOGLE_MAPS=${s}`),
  holds("google-oauth", make.googleAccess, (s) => `$ gcloud auth print-access-token\n${s}\n$ `),
  holdsAll("google-oauth", [make.googleClientSecret, make.googleRefresh], (c, r) =>
    JSON.stringify(
      {
        client_id: "1.apps.googleusercontent.com",
        client_secret: c,
        refresh_token: r,
        type: "authorized_user",
      },
      null,
      2,
    ),
  ),
  holds(
    "azure-key",
    make.azureAccountKey,
    (s) => `DefaultEndpointsProtocol=https;AccountName=shopdata;AccountKey=${s};EndpointSuffix=core.windows.net`,
  ),
  holds(
    "azure-key",
    make.azureClientSecret,
    (s) =>
      `{\n  "appId": "b1d2c3a4-1111-2222-3333-444455556666",\n  "displayName": "ci",\n  "password": "${s}",\n  "tenant": "common"\n}`,
  ),
  holds(
    "azure-key",
    make.azureClientSecret,
    (s) => `az login --service-principal -u http://ci -p ${s} --tenant common`,
  ),
  holds(
    "openai-key",
    make.openaiProject,
    (s) =>
      `openai.AuthenticationError: Incorrect API key provided: ${s}. You can find your API key at https://platform.openai.com`,
  ),
  holds("openai-key", make.openaiService, (s) => `client = OpenAI(api_key="${s}")`),
  holds("openai-key", make.openaiLegacy, (s) => `OPENAI_API_KEY='${s}' python run.py`),
  holds("openai-key", make.deepseekKey, (s) => `provider:\n  deepseek:\n    options: { apiKey: ${s} }`),
  cutOff("openai-key", make.openaiProject, 50, (s) => `{"apiKey":"${s}`, { cut: true }),
  holds(
    "anthropic-key",
    make.anthropicKey,
    (s) =>
      `curl https://api.anthropic.com/v1/messages \\\n  -H "x-api-key: ${s}" \\\n  -H "anthropic-version: 2023-06-01"`,
  ),
  cutOff("anthropic-key", make.anthropicKey, 30, (s) => `env: ANTHROPIC=${s}\n<output truncated>`),
  holds("openrouter-key", make.openrouterKey, (s) => `~/.zshrc:88: alias chat='llm -k ${s}'`),
  holds("groq-key", make.groqKey, (s) => `| GROQ | ${s} | prod |`),
  holds("xai-key", make.xaiKey, (s) => `- key for grok: \`${s}\``),
  holds("huggingface-token", make.huggingfaceToken, (s) => `huggingface_hub.login(token="${s}")`),
  holds("replicate-token", make.replicateToken, (s) => `REPLICATE_API_TOKEN is ${s}, please rotate`),
  holds("stripe-key", make.stripeLive, (s) => `stripe.api_key = "${s}"`),
  holds("stripe-key", make.stripeRestricted, (s) => `curl https://api.stripe.com/v1/charges -u ${s}:`),
  holds("stripe-key", make.stripeWebhook, (s) => `> Ready! Your webhook signing secret is ${s} (^C to quit)`),
  cutOff("stripe-key", make.stripeLive, 16, (s) => `stripe login --api-key ${s}`),
  holds("slack-token", make.slackBot, (s) => `{"ok":false,"error":"invalid_auth","token":"${s}"}`),
  holds("slack-token", make.slackApp, (s) => `SLACK_APP_TOKEN=${s}`),
  holds(
    "slack-webhook",
    make.slackWebhookPath,
    (s) => `curl -X POST --data '{"text":"hi"}' https://hooks.slack.com/services/${s}`,
  ),
  holds("discord-token", make.discordToken, (s) => `await client.login("${s}");`),
  holds(
    "discord-webhook",
    make.discordWebhookPath,
    (s) => `url: https://discord.com/api/webhooks/1088412345678901234/${s}`,
  ),
  holds("telegram-token", make.telegramToken, (s) => `GET https://api.telegram.org/bot${s}/getMe 200`),
  holds("twilio-key", make.twilioKey, (s) => `twilio.rest.Client("${s}", auth)`),
  holds("twilio-key", make.hex32, (s) => `TWILIO_AUTH_TOKEN=${s}\nTWILIO_FROM=+15005550006`),
  holds("sendgrid-key", make.sendgridKey, (s) => `sgMail.setApiKey('${s}')`),
  holds("mailgun-key", make.mailgunKey, (s) => `mailgun({apiKey: '${s}', domain: 'mg.acme.io'})`),
  holds("mailchimp-key", make.mailchimpKey, (s) => `MC: ${s}`),
  holds("digitalocean-token", make.digitaloceanToken, (s) => `doctl auth init --access-token ${s}`),
  holds("heroku-key", make.herokuKey, (s) => `machine api.heroku.com\n  login me@acme.io\n  password ${s}\n`),
  holds(
    "databricks-token",
    make.databricksToken,
    (s) => `[DEFAULT]\nhost = https://acme.cloud.databricks.com\ntoken = ${s}`,
  ),
  holds("shopify-token", make.shopifyToken, (s) => `X-Shopify-Access-Token: ${s}`),
  holds("cloudflare-token", make.cloudflareToken, (s) => `wrangler: CF_API_TOKEN=${s} wrangler deploy`),
  holds("supabase-token", make.supabaseToken, (s) => `supabase login --token ${s}`),
  holds("linear-key", make.linearKey, (s) => `linear: Authorization ${s}`),
  holds("notion-token", make.notionToken, (s) => `const notion = new Client({ auth: "${s}" })`),
  holds(
    "vault-token",
    make.vaultToken,
    (s) =>
      `Key                  Value\n---                  -----\ntoken                ${s}\ntoken_duration       768h`,
  ),
  holds("terraform-token", make.terraformToken, (s) => `credentials "app.terraform.io" {\n  token = "${s}"\n}`),
  holds("grafana-token", make.grafanaToken, (s) => `grafana:\n  serviceAccountToken: ${s}`),
  holds(
    "atlassian-token",
    make.atlassianToken,
    (s) => `curl -u me@acme.io:${s} https://acme.atlassian.net/rest/api/3/myself`,
  ),
  holds("jwt", make.jwt, (s) => `Set session for user 42: ${s}`),
  holds(
    "jwt",
    make.jwtRs256,
    (s) =>
      `TypeError: invalid signature\n    at verify (/app/node_modules/jsonwebtoken/verify.js:171:19)\n    token: '${s}'\n`,
  ),
  cutOff("jwt", make.jwt, 80, (s) => `localStorage.session -> "${s}…`),
  cutOff("jwt", make.jwtRs256, 24, (s) => `id: ${s}`, { cut: true }),
];
