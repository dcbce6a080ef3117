import assert from "node:assert/strict";
import { createRedactor } from "../../src/redact/redactor.ts";
import { describe, test } from "../support/runner.ts";

const PASSWORD = "Kx7mPq2vT9wQ";
const TOKEN = "q8Zr2LxV7mKp4TnW9sYdB3fH6jGc1vQx0zRt5uNa";

const redact = async (text: string): Promise<string> => (await createRedactor().redact([{ text }]))[0]?.text ?? "";
const catches = (name: string, secret: string, texts: readonly string[]): void => {
  test(name, async () => {
    for (const text of texts) assert.ok(!(await redact(text.replaceAll("§", secret))).includes(secret), text);
  });
};
const leaves = (name: string, texts: readonly string[]): void => {
  test(name, async () => {
    for (const text of texts) assert.equal(await redact(text), text);
  });
};

describe("secrets by their place", () => {
  catches("names in other languages, with full-width colons and verbs", PASSWORD, [
    "密码：§",
    "数据库密码: §",
    "パスワード：§",
    "비밀번호: §",
    "contraseña de la base: §",
    "Mot de passe : §",
    "Das Kennwort lautet §",
    "пароль от базы: §",
    "password：§",
  ]);
  leaves("what other languages say about passwords stays", [
    "密码：必填",
    "Mot de passe : obligatoire",
    "Passwort: erforderlich",
    "пароль: обязательное поле",
    "clave primaria: id_usuario1",
  ]);
  catches("names without an equals sign", PASSWORD, [
    "**DB_PASSWORD**: `§`",
    "- **Password:** §",
    'variable "db_password" {\n  type = string\n  default = "§"\n}',
    'public string Password { get; set; } = "§";',
    "<td>Password</td><td>§</td>",
    "page.fill('#password', '§')",
    'new NetworkCredential("ann", "§")',
    "DriverManager.getConnection(url, user, '§')",
    "| DB_PASSWORD | § |",
    "password: |\n  §\n",
    "The admin password was changed to §.",
  ]);
  catches("sentences in which words stand between the name and the password", PASSWORD, [
    "password for the admin panel is §",
    "The root password on web3 is § by the way",
    "Password for the 'elastic' user (reset with bin/reset): §",
    "pass phrase: §",
    "client password (dev tenant): §",
    "Das Admin-Passwort ist §!",
    "La contraseña del servidor es §",
    "La password del database è §",
    "La password è §",
    "пароль от базы — §",
    "パスワードは「§」です",
    "hey, use ann / § to log in",
    "creds are admin/§",
    "password - §",
  ]);
  leaves("sentences about passwords stay", [
    "The password for the admin panel is stored in the vault.",
    "The password on web3 is case-sensitive.",
    "The password is hashed with argon2id before it is stored.",
    "use ann / web-frontend to see the dashboard",
    "password - see the wiki",
    "Das Passwort ist abgelaufen.",
  ]);
  catches("values that code falls back to, compares, signs and sends", PASSWORD, [
    "PASSWORD = os.getenv('PASSWORD') or '§'",
    'env::var("DB_PASSWORD").unwrap_or("§".into())',
    "define( 'DB_PASSWORD',         '§' );",
    "jwt.sign(payload, '§', { expiresIn: '1h' })",
    "crypto.createHmac('sha256', '§')",
    'mysqli_connect("localhost", "root", "§", "shop")',
    'expect "assword:"; send "§\\r"',
    '(def db {:user "app" :password "§"})',
    "ALTER LOGIN sa WITH PASSWORD = N'§';",
  ]);
  catches("settings of programs", PASSWORD, [
    "dn: uid=ann\nuserPassword:: §",
    'network={\n  psk="§"\n}',
    "DB_PASS: !!str §",
    "bindpw §",
    "virtual_server {\n  auth_pass §\n}",
    "passwords:\n  - §",
    "&lt;password&gt;§&lt;/password&gt;",
    "redis%3A%2F%2F%3A§%40cache%3A6379",
    "nuget sources add -UserName ci -Password §",
    "vault login -method=userpass username=ops password=§",
  ]);
  catches("a word with digits in a section of an INI file, which in code might be a variable", "castleBronze07", [
    "[database]\npass = §\n",
    "[smtp]\nhost = a\n; old\npassword = § ; rotated in May\n",
  ]);
  leaves("variables of code", [
    "def f():\n    password = default_password2\n",
    "[x]\nrun()\npassword = otherValue12\n",
  ]);
  catches("session cookies after a colon", "q1w2e3r4t5y6u7i8o9p0a1s2d3", ["PHPSESSID: §", "JSESSIONID: §"]);
  catches("URLs with escaped slashes, Windows domains and hosts that only begin like an example", PASSWORD, [
    "postgres:\\/\\/app:§@db.internal:5432\\/shop",
    "http://CORP\\ann:§@proxy:8080/",
    "postgres://app:§@db.example.com.corp.acme.io/shop",
    "https://ann:§@example.community/x",
    "app:§@tcp(mysql:3306)/shop",
  ]);
  leaves("hosts reserved for documentation, and the public key of a Sentry DSN", [
    `https://ann:${PASSWORD}@db.example.com/x`,
    `https://ann:${PASSWORD}@example.org:8080/`,
    "https://0123456789abcdef0123456789abcdef@o42.ingest.sentry.io/4501",
    "https://ann.smith@git.acme.io/x.git",
  ]);
  catches("tokens in the place of a URL's user", TOKEN, [
    "git clone https://§@git.acme.io/x.git",
    "https://§:x-oauth-basic@github.com/acme/x.git",
    "https://§:@api.acme.io/v1",
  ]);
  catches("session cookies by name", TOKEN, [
    "laravel_session=§",
    "ASP.NET_SessionId=§",
    "connect.sid=s%3A§",
    "__Secure-next-auth.session-token=§",
    '{"name":"sessionid","value":"§"}',
    ".acme.io\tTRUE\t/\tTRUE\t1800000000\tsessionid\t§",
  ]);
  catches("private members of a JSON Web Key", TOKEN, [
    '{"kty":"EC","crv":"P-256","x":"abc","y":"def","d":"§"}',
    '{\\"d\\":\\"§\\",\\"kty\\":\\"OKP\\"}',
    '{ "k": "§", "kty": "oct" }',
  ]);
  test("public members of a JSON Web Key stay", async () => {
    const text = `{"kty":"EC","crv":"P-256","x":"${TOKEN}","y":"${TOKEN}"}`;
    assert.equal(await redact(text), text);
  });
  leaves("passes through data, account ids and fingerprints are no secrets", [
    "Two-pass: summarize",
    "high-pass: 80Hz",
    "All tests pass: 312/312",
    "TWILIO_ACCOUNT_SID=AC0123456789abcdef0123456789abcdef",
    "user.signingkey=0123456789ABCDEF0123456789ABCDEF01234567",
  ]);
  catches("a password of two words with a dot is no code", "river.stone42", [
    "password: §",
    "DB_PASSWORD=§",
    '"password": "§"',
    "mysql -u root -p§ shop",
  ]);
});
