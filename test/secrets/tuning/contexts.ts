/** Positives that the rules were tuned on: secrets known by what stands around them. */
import * as make from "../makers.ts";
import { begin, end, pem, pemBody, pgp, puttyMac, puttyPrivate } from "../pem.ts";
import { cutOff, holds, holdsAll, type PositiveTemplate } from "../sample.ts";

const keys: readonly PositiveTemplate[] = [
  holds("private-key", pem("RSA "), (s) => s),
  holds("private-key", pem("OPENSSH "), (s) => `cat ~/.ssh/id_ed25519\n${s}\n`),
  holds(
    "private-key",
    pem("", "\\n"),
    (s) => `{"type":"service_account","private_key":"${s}\\n","client_email":"a@b.iam"}`,
  ),
  holds("private-key", pem("", "\\\\n"), (s) => `{"content":"{\\"private_key\\":\\"${s}\\"}"}`),
  holds("private-key", pem("ENCRYPTED "), (s) => `+${s.split("\n").join("\n+")}\n`),
  holds(
    "private-key",
    (r) => pemBody(r, "EC ", 160).join("\n"),
    (s) => `const key = \`${begin("EC ")}\n${s}\n${end("EC ")}\`;`,
  ),
  holds(
    "private-key",
    (r) => pemBody(r).join("\n"),
    (s) =>
      `${begin("RSA ")}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n${s}\n${end("RSA ")}\n`,
  ),
  holds(
    "private-key",
    (r) => pemBody(r).join("\n"),
    (s) => JSON.stringify([begin("RSA "), ...s.split("\n"), end("RSA ")], null, 2),
  ),
  holds(
    "private-key",
    (r) => pemBody(r).join("\n"),
    (s) =>
      [begin("RSA "), ...s.split("\n"), end("RSA ")]
        .map((line, i) => `${String(i + 1).padStart(6)}→${line}`)
        .join("\n"),
  ),
  cutOff(
    "private-key",
    (r) => pemBody(r).join("\n"),
    90,
    (s) => `${begin("RSA ")}\n${s}`,
  ),
  cutOff(
    "private-key",
    (r) => pemBody(r).join("\n"),
    200,
    (s) => `$ head -4 key\n${begin("RSA ")}\n${s}\n<output truncated>`,
  ),
  cutOff(
    "private-key",
    (r) => pemBody(r, "OPENSSH ").join("\n"),
    129,
    (s) => `$ head -3 key\n${begin("OPENSSH ")}\n${s}\n$ ls\nkey\n`,
  ),
  holds("private-key", pgp, (s) => s),
  holdsAll(
    "private-key",
    [puttyPrivate, puttyMac],
    (key, mac) => `Private-Lines: 10\r\n${key.replaceAll("\n", "\r\n")}\r\nPrivate-MAC: ${mac}\r\n`,
  ),
  holds(
    "private-key",
    (r) => pemBody(r, "OPENSSH ").slice(-3).join("\\n"),
    (s) => `{"tail":"${s}\\n${end("OPENSSH ")}\\n"}`,
  ),
  holds("private-key", make.base64Of(pem("EC ", "\n", 160)), (s) => `KEY_B64=${s}`),
  holds(
    "private-key",
    (r) => pemBody(r, "OPENSSH ").join(""),
    (s) => `ssh_key: ${s}`,
  ),
  holds("age-key", make.ageKey, (s) => `SOPS_AGE_KEY=${s}`),
];

const http: readonly PositiveTemplate[] = [
  holds("bearer-token", make.opaque43, (s) => `Authorization: Bearer ${s}\r\n`),
  holds("bearer-token", make.alnum24, (s) => `{"Authorization":"Bearer ${s}"}`),
  holds(
    "bearer-token",
    make.alnum40,
    (s) => `curl -H 'Authorization: Bearer ${s}' https://api.acme.io`,
  ),
  holds("bearer-token", make.hex32, (s) => `authorization: ${s}`),
  holds(
    "bearer-token",
    make.opaque43,
    (s) => `headers: { \\"Authorization\\": \\"Bearer ${s}\\" }`,
  ),
  cutOff("bearer-token", make.opaque43, 8, (s) => `Authorization: Bearer ${s}`),
  holds(
    "basic-auth",
    make.base64Of((r) => `root:${make.plainPassword(r)}`),
    (s) => `authorization: Basic ${s}`,
  ),
  holds("basic-auth", make.humanPassword, (s) => `curl -u admin:${s} http://router/`),
  holds("basic-auth", make.strongPassword, (s) => `curl --user "joe:${s}" https://acme.io`),
  holds("api-key", make.hex32, (s) => `api-key: ${s}`),
  holds("api-key", make.alnum40, (s) => `X-API-KEY=${s}`),
  holds("cookie", make.opaque43, (s) => `Set-Cookie: session=${s}; Secure`),
  holdsAll("cookie", [make.opaque43, make.hex32], (a, b) => `cookie: sid=${a}; _csrf=${b}`),
  holds("cookie", make.jwt, (s) => `document.cookie = "auth=${s}"`),
  holds("cookie", make.hex32, (s) => `JSESSIONID=${s}; path=/app`),
  holds("url-token", make.alnum24, (s) => `https://acme.io/hook?token=${s}`),
  holds("url-token", make.hex32, (s) => `https://acme.io/v1?apikey=${s}&q=1`),
  holds("url-token", make.hex64, (s) => `...&X-Amz-SignedHeaders=host&X-Amz-Signature=${s}`),
  holds("url-token", make.sasSignature, (s) => `https://x.blob.core.windows.net/y?sp=r&sig=${s}`),
  holds(
    "url-token",
    make.alnum40,
    (s) => `POST /oauth/token client_id=web&client_secret=${s}&grant_type=authorization_code`,
  ),
  holds("url-password", make.urlPassword, (s) => `postgresql://app:${s}@10.1.2.3/shop`),
  holds("url-password", make.strongPassword, (s) => `mysql://root:${s}@db:3306/x`),
  holds(
    "url-password",
    make.urlPassword,
    (s) => `{"url":"mongodb://u:${s}@mongo:27017/admin","ok":1}`,
  ),
  holds(
    "url-password",
    make.urlPassword,
    (s) => `REDIS_URL=rediss://default:${s}@eu1.upstash.io:6379`,
  ),
  holds("url-password", make.urlPassword, (s) => `http_proxy=http://joe:${s}@proxy:3128`),
  holds("url-password", make.letterPassword, (s) => `ftp://web:${s}@ftp.acme.io/`),
];

const assignments: readonly PositiveTemplate[] = [
  holds("password", make.strongPassword, (s) => `DB_PASSWORD=${s}`),
  holds("password", make.strongPassword, (s) => `export PGPASSWORD='${s}'`),
  holds("password", make.humanPassword, (s) => `db:\n  user: app\n  password: ${s}\n  host: db\n`),
  holds("password", make.plainPassword, (s) => `  password: ${s}`),
  holds("password", make.letterPassword, (s) => `password: ${s}\nhost: x`),
  holds("password", make.humanPassword, (s) => `{"password":"${s}"}`),
  holds("password", make.humanPassword, (s) => `{\\"password\\": \\"${s}\\"}`),
  holds("password", make.letterPassword, (s) => `{"username":"ann","password":"${s}"}`),
  holds("password", make.humanPassword, (s) => `password = "${s}"`),
  holds("password", make.humanPassword, (s) => `passwd=${s}`),
  holds("password", make.plainPassword, (s) => `psql --password ${s}`),
  holds("password", make.humanPassword, (s) => `docker run -e MYSQL_PASSWORD=${s} mysql`),
  holds("password", make.strongPassword, (s) => `["KEYCLOAK_ADMIN_PASSWORD=${s}"]`),
  holds("password", make.humanPassword, (s) => `- name: DB_PASS\n  value: ${s}\n`),
  holds("password", make.humanPassword, (s) => `{"name":"DB_PASSWORD","value":"${s}"}`),
  holds("password", make.humanPassword, (s) => `<Password>${s}</Password>`),
  holds("password", make.humanPassword, (s) => `<property name="password" value="${s}"/>`),
  holds("password", make.strongPassword, (s) => `CREATE USER app WITH ENCRYPTED PASSWORD '${s}'`),
  holds("password", make.humanPassword, (s) => `identified by '${s}'`),
  holds("password", make.humanPassword, (s) => `machine x login y password ${s}\n`),
  holds("password", make.strongPassword, (s) => `localhost:5432:*:postgres:${s}`),
  holds("password", make.humanPassword, (s) => `Server=x;Database=y;Uid=z;Pwd=${s};`),
  holds("password", make.humanPassword, (s) => s, { key: "password" }),
  holds(
    "password",
    make.humanPassword,
    (s) => `java -Dspring.datasource.password=${s} -jar app.jar`,
  ),
  holds("password", make.humanPassword, (s) => `My password is ${s}, please log in.`),
  holds("password", make.humanPassword, (s) => `auth: { user: "me", pass: "${s}" }`),
  holds("password", make.humanPassword, (s) => `sshpass -p ${s} scp a b:`),
  cutOff("password", make.strongPassword, 6, (s) => `ADMIN_PASSWORD=${s}`, { cut: true }),
  cutOff("password", make.strongPassword, 10, (s) => `"password": "${s}... (truncated)`),
  holds(
    "passphrase",
    () => "orbit velvet cactus lantern",
    (s) => `passphrase: "${s}"`,
  ),
  holds("secret", make.alnum40, (s) => `APP_SECRET=${s}`),
  holds("secret", make.opaque43, (s) => `client_secret: ${s}`),
  holds("secret", make.hex64, (s) => `SECRET_KEY_BASE=${s}`),
  holds("secret", make.alnum24, (s) => `"webhook_secret": "${s}"`),
  holds("secret", make.hex64, (s) => `ENCRYPTION_KEY="${s}"`),
  holds("secret", make.alnum40, (s) => `app.config['SECRET_KEY'] = '${s}'`),
  holds("secret", make.hex32, (s) => `signingKey: '${s}',`),
  holds("token", make.hex32, (s) => `token = "${s}"`),
  holds("token", make.alnum40, (s) => `SONAR_TOKEN=${s}`),
  holds("token", make.alnum24, (s) => `--token=${s}`),
  holds("token", make.opaque43, (s) => `"refreshToken": "${s}"`),
  holds("token", make.alnum40, (s) => `{"key":"API_TOKEN","value":"${s}"}`),
  holds("token", make.hex32, (s) => s, { key: "accessToken" }),
  holds("token", make.opaque43, (s) => `users:\n- name: u\n  user:\n    token: ${s}\n`),
  holds("api-key", make.hex32, (s) => `WEATHER_API_KEY=${s}`),
  holds("api-key", make.alnum40, (s) => `apiKey: "${s}"`),
  holds("api-key", make.hex32, (s) => `api_key = ${s}`),
  holds("api-key", make.alnum40, (s) => `AZURE_OPENAI_KEY=${s}`),
  holds(
    "docker-auth",
    make.base64Of((r) => `u:${make.alnum24(r)}`),
    (s) => `"ghcr.io": {\n      "auth": "${s}"\n    }`,
  ),
  holds(
    "npm-auth",
    make.base64Of((r) => `ci:${make.alnum24(r)}`),
    (s) => `_auth = ${s}`,
  ),
];

export const contextTemplates: readonly PositiveTemplate[] = [...keys, ...http, ...assignments];
