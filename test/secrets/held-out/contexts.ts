/** Held-out positives: secrets known by what stands around them. Written before the rules; never used to tune them. */
import * as make from "../makers.ts";
import { begin, end, pem, pemBody, pgp, puttyMac, puttyPrivate } from "../pem.ts";
import { cutOff, holds, holdsAll, type PositiveTemplate } from "../sample.ts";

const bodyText = (kind: Parameters<typeof pemBody>[1], newline: string): make.Maker => {
  return (random) => pemBody(random, kind).join(newline);
};

const keys: readonly PositiveTemplate[] = [
  holds(
    "private-key",
    bodyText("RSA ", "\n"),
    (s) => `$ cat deploy.pem\n${begin("RSA ")}\n${s}\n${end("RSA ")}\n$ chmod 600 deploy.pem`,
  ),
  holds("private-key", pem("OPENSSH "), (s) => JSON.stringify({ tool: "read", output: `1| ${s}\n(End of file)` })),
  holds("private-key", pem("", "\\n"), (s) => `FIREBASE_KEY="${s}\\n"\nNEXT=1`),
  holds(
    "private-key",
    pem("EC ", "\n", 160),
    (s) => `data:\n  tls.key: |\n    ${s.split("\n").join("\n    ")}\n  other: 1`,
  ),
  holds(
    "private-key",
    bodyText("", "\n"),
    (s) =>
      `00001| ${begin("")}\n${s
        .split("\n")
        .map((line, i) => `${String(i + 2).padStart(5, "0")}| ${line}`)
        .join("\n")}\n00099| ${end("")}`,
  ),
  cutOff("private-key", bodyText("RSA ", "\n"), 300, (s) => `${begin("RSA ")}\n${s}\n... (truncated)`),
  cutOff("private-key", bodyText("", "\\n"), 500, (s) => `{"private_key": "${begin("")}\\n${s}`, {
    cut: true,
  }),
  holds("private-key", pgp, (s) => `gpg --export-secret-keys -a\n${s}\nok`),
  holdsAll(
    "private-key",
    [puttyPrivate, puttyMac],
    (key, mac) =>
      `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1NTE5\nPrivate-Lines: 10\n${key}\nPrivate-MAC: ${mac}\n`,
  ),
  holds(
    "private-key",
    (r) => pemBody(r, "RSA ").slice(-6).join("\n"),
    (s) => `tail -7 id_rsa\n${s}\n${end("RSA ")}`,
  ),
  holds(
    "private-key",
    make.base64Of(pem("RSA ")),
    (s) => `users:\n- name: admin\n  user:\n    client-key-data: ${s}\n`,
  ),
  holds(
    "private-key",
    (r) => pemBody(r, "").join(""),
    (s) => `GITHUB_APP_PRIVATE_KEY=${s}`,
  ),
  holds("age-key", make.ageKey, (s) => `# created: 2024-01-01T00:00:00Z\n# public key: age1qxyz\n${s}\n`),
];

const http: readonly PositiveTemplate[] = [
  holds(
    "bearer-token",
    make.opaque43,
    (s) => `> GET /v1/me HTTP/1.1\n> Host: api.acme.io\n> authorization: Bearer ${s}\n> accept: */*`,
  ),
  holds("bearer-token", make.alnum40, (s) => `headers={'Authorization': 'Bearer ${s}'}`),
  holds("bearer-token", make.jwt, (s) =>
    JSON.stringify({ request: JSON.stringify({ headers: { Authorization: `Bearer ${s}` } }) }),
  ),
  holds("bearer-token", make.opaque43, (s) => `Bearer ${s}`, { key: "Authorization" }),
  cutOff("bearer-token", make.opaque43, 9, (s) => `-H 'Authorization: Bearer ${s}`, { cut: true }),
  holds(
    "basic-auth",
    make.base64Of((r) => `admin:${make.strongPassword(r)}`),
    (s) => `Authorization: Basic ${s}\r\nHost: intranet`,
  ),
  holds(
    "basic-auth",
    make.base64Of((r) => `ci:${make.alnum24(r)}`),
    (s) => `requests.get(url, headers={"Authorization": "Basic ${s}"})`,
  ),
  holds("basic-auth", make.strongPassword, (s) => `$ curl -sS -u 'deploy:${s}' https://nexus.acme.io/repository/`),
  holds("api-key", make.alnum40, (s) => `-H "X-Api-Key: ${s}" -d @body.json`),
  holds("api-key", make.hex32, (s) => `Ocp-Apim-Subscription-Key: ${s}`),
  holds("api-key", make.hex32, (s) => s, { key: "x-api-key" }),
  holds("cookie", make.opaque43, (s) => `< set-cookie: connect.sid=s%3A${s}; Path=/; HttpOnly; SameSite=Lax`),
  holdsAll(
    "cookie",
    [make.hex32, make.alnum40],
    (a, b) => `Cookie: theme=dark; PHPSESSID=${a}; remember_token=${b}; lang=en`,
  ),
  holds("cookie", make.opaque43, (s) => `curl -b "sessionid=${s}" https://acme.io/account`),
  holds("url-token", make.alnum24, (s) => `GET /callback?state=xyz&access_token=${s}&token_type=bearer 302`),
  holds(
    "url-token",
    make.hex64,
    (s) =>
      `https://bucket.s3.amazonaws.com/report.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20240101T000000Z&X-Amz-Signature=${s}`,
  ),
  holds(
    "url-token",
    make.urlEncoded(make.sasSignature),
    (s) => `https://shop.blob.core.windows.net/c/f.zip?sv=2022-11-02&se=2024-12-31&sr=b&sp=r&sig=${s}`,
  ),
  holds("url-token", make.hex32, (s) => `wget 'https://api.weather.dev/now?city=Oslo&api_key=${s}'`),
  holds("url-password", make.urlPassword, (s) => `git clone https://deploy:${s}@git.acme.io/team/app.git`),
  holds(
    "url-password",
    make.urlEncoded(make.strongPassword),
    (s) => `DATABASE_URL=postgres://app:${s}@db.acme.io:5432/app?sslmode=require`,
  ),
  holds(
    "url-password",
    make.urlPassword,
    (s) => `"mongodb+srv://root:${s}@cluster0.ab1cd.mongodb.net/test?retryWrites=true", "next": 1`,
  ),
  holds("url-password", make.urlPassword, (s) => `redis://:${s}@10.0.0.5:6379/0`),
  cutOff("url-password", make.urlPassword, 12, (s) => `amqp://guest2:${s}`, { cut: true }),
];

const assignments: readonly PositiveTemplate[] = [
  holdsAll(
    "password",
    [make.strongPassword, make.alnum40],
    (p, s) => `$ cat .env\nNODE_ENV=production\nDB_HOST=db\nDB_PASSWORD=${p}\nSESSION_SECRET=${s}\nPORT=3000`,
  ),
  holds("password", make.humanPassword, (s) => `spring.datasource.username=app\nspring.datasource.password=${s}\n`),
  holds(
    "password",
    make.plainPassword,
    (s) =>
      `services:\n  db:\n    image: mysql:8\n    environment:\n      MYSQL_ROOT_PASSWORD: ${s}\n      MYSQL_DATABASE: shop`,
  ),
  holds("password", make.humanPassword, (s) => JSON.stringify({ user: "root", password: s })),
  holds("password", make.humanPassword, (s) => JSON.stringify(JSON.stringify({ login: { password: s } }))),
  holds("password", make.letterPassword, (s) => `{"email":"a@b.co","password":"${s}"}`),
  holds("password", make.strongPassword, (s) => `mysqldump --user=root --password=${s} shop > dump.sql`),
  holds("password", make.plainPassword, (s) => `htpasswd: --password ${s} --user joe`),
  holds("password", make.humanPassword, (s) => `[client]\nuser = root\npassword = ${s}\nhost = 127.0.0.1\n`),
  holds(
    "password",
    make.humanPassword,
    (s) =>
      `<connectionStrings>\n  <add name="Main" connectionString="Server=db;User Id=sa;Password=${s};Encrypt=true" />\n</connectionStrings>`,
  ),
  holds(
    "password",
    make.humanPassword,
    (s) => `<server>\n  <id>nexus</id>\n  <username>ci</username>\n  <password>${s}</password>\n</server>`,
  ),
  holds("password", make.strongPassword, (s) => `ALTER USER app WITH PASSWORD '${s}';`),
  holds("password", make.humanPassword, (s) => `-  password: "${s}"\n+  password: process.env.DB_PASSWORD`),
  holds("password", make.plainPassword, (s) => s, { key: "dbPassword" }),
  holds(
    "password",
    make.strongPassword,
    (s) => `"Env": [\n  "PATH=/usr/bin",\n  "POSTGRES_PASSWORD=${s}",\n  "LANG=C"\n]`,
  ),
  holds(
    "password",
    make.strongPassword,
    (s) => `env:\n  - name: SMTP_PASSWORD\n    value: "${s}"\n  - name: SMTP_HOST\n    value: mail`,
  ),
  holds("password", make.strongPassword, (s) => `db.acme.io:5432:shop:app:${s}`),
  holds("password", make.humanPassword, (s) => `machine git.acme.io login bob password ${s}`),
  holds("password", make.humanPassword, (s) => `The admin password is: ${s}`),
  holds("password", make.strongPassword, (s) => `sshpass -p '${s}' ssh root@10.0.0.1`),
  cutOff("password", make.strongPassword, 7, (s) => `{"password":"${s}`, { cut: true }),
  holds(
    "password",
    make.strongPassword,
    (s) => `resource "aws_db_instance" "main" {\n  username = "app"\n  password = "${s}"\n}`,
  ),
  holds(
    "passphrase",
    () => "correct horse battery staple",
    (s) => `{"passphrase": "${s}"}`,
  ),
  holds("secret", make.alnum40, (s) => `JWT_SECRET: "${s}"`),
  holds("secret", make.opaque43, (s) => `SECRET_KEY = '${s}'\nDEBUG = True`),
  holds("secret", make.hex64, (s) => `NEXTAUTH_SECRET=${s}`),
  holds("secret", make.alnum24, (s) => `const config = { clientId: "web", clientSecret: "${s}" };`),
  holds("secret", make.hex64, (s) => `encryption_key: ${s}`),
  holds("secret", make.alnum40, (s) => `        stripe.webhookSecret="${s}" \\`),
  holds("token", make.hex32, (s) => `export SENTRY_AUTH_TOKEN=${s}`),
  holds("token", make.opaque43, (s) => `{\\"refresh_token\\":\\"${s}\\",\\"expires_in\\":3600}`),
  holds("token", make.alnum24, (s) => `vercel deploy --token ${s} --prod`),
  holds("token", make.alnum40, (s) => `os.environ["DISCORD_TOKEN"] = "${s}"`),
  holds("token", make.hex32, (s) => `{"level":"info","msg":"login","accessToken":"${s}","ms":12}`),
  holds(
    "api-key",
    make.hex32,
    (s) => `DD_API_KEY=${s} DD_SITE=datadoghq.eu bash -c "$(curl -L https://install.datadoghq.com)"`,
  ),
  holds("api-key", make.alnum24, (s) => `algoliasearch("APPID", { adminApiKey: "${s}" })`),
  holds(
    "docker-auth",
    make.base64Of((r) => `acme:${make.strongPassword(r)}`),
    (s) => `{"auths":{"https://index.docker.io/v1/":{"auth":"${s}"}}}`,
  ),
  holds(
    "npm-auth",
    make.base64Of((r) => `ci:${make.alnum24(r)}`),
    (s) => `//nexus.acme.io/npm/:_auth=${s}\n`,
  ),
];

export const contextTemplates: readonly PositiveTemplate[] = [...keys, ...http, ...assignments];
