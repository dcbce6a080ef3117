import assert from "node:assert/strict";
import { commandUsages } from "../../src/redact/command-table.ts";
import { createRedactor } from "../../src/redact/redactor.ts";
import { describe, test } from "../support/runner.ts";

const PASSWORD = "Kx7#mPq2vT9w";
const TOKEN = "q8Zr2LxV7mKp4TnW9sYd";

const redact = async (text: string): Promise<string> => (await createRedactor().redact([{ text }]))[0]?.text ?? "";

/** A command line for each secret of a usage line, with other words in the place of `_`. */
function examplesOf(line: string): string[] {
  const words = line.split(" ");
  return words.flatMap((secret, at) => {
    if (!/PASSWORD|TOKEN|VALUE/.test(secret)) return [];
    // The other alternatives fall away, with their options.
    const isOther = (i: number): boolean => /PASSWORD|TOKEN/.test(words[i] ?? "");
    const kept = words.filter(
      (_, i) =>
        i === at ||
        i === 0 ||
        (!isOther(i) && (i + 1 === at || !isOther(i + 1) || words[i + 1]?.startsWith("<") === true)),
    );
    const command = kept
      .filter((word) => word === secret || !word.startsWith("<"))
      .map((word) => (word.split("|")[0] ?? "").replace("^", "").replaceAll(/(?<![A-Za-z])_(?![A-Za-z])/g, "abc"))
      .join(" ")
      .replace("NAME", "API_TOKEN")
      .replace("PASSWORD", PASSWORD)
      .replace(/TOKEN$|VALUE/, TOKEN);
    const input = /^(.*) <(.*)$/.exec(command);
    return [input === null ? command : `echo '${input[2]}' | ${input[1]} -`];
  });
}

/** Usages that need no line in the table, because their options name the secret or say that it is on standard input. */
const SPEAKING_USAGES = `
docker|podman|buildah|nerdctl|skopeo|oras|crane|regctl login --password-stdin <PASSWORD
helm registry login --password-stdin <PASSWORD
sqlldr|expdp|impdp userid=_/PASSWORD@_
apksigner|bundletool --ks-pass pass:PASSWORD --key-pass pass:PASSWORD
cmdkey|cmdkey.exe /pass:PASSWORD
psexec|psexec.exe|psexec64|wmic|tasklist /password:PASSWORD
wp user|config|core --user_pass PASSWORD --dbpass PASSWORD --admin_password PASSWORD
drush|occ|magento --account-pass PASSWORD --db-pass PASSWORD --admin-pass PASSWORD
nuget|nuget.exe setapikey TOKEN
snyk|semgrep auth|login TOKEN
ngrok authtoken|add-authtoken TOKEN
netlify|ntl --auth TOKEN
curl --oauth2-bearer TOKEN --pass PASSWORD
^user _ password|insecure-password PASSWORD
^rootpw --plaintext PASSWORD
^tacacs-server|^radius-server host _ key PASSWORD
b2 account authorize _ TOKEN
vault|bao kv put|patch _ NAME=VALUE
launchctl setenv NAME VALUE
cypress run --key TOKEN
cargo login --registry|--index _ TOKEN
`;

describe("secrets on command lines", () => {
  test("each usage line of the table finds its secret", async () => {
    const examples = (commandUsages.trim() + SPEAKING_USAGES.trimEnd()).split("\n").flatMap(examplesOf);
    assert.ok(examples.length > 200);
    const missed: string[] = [];
    for (const example of examples) {
      const output = await redact(example);
      if (output.includes(PASSWORD) || output.includes(TOKEN)) missed.push(example);
    }
    assert.deepEqual(missed, []);
  });

  test("quotes, JSON, line continuations and other commands around it do not hide a password", async () => {
    for (const text of [
      `mysql -u root -p'${PASSWORD}' shop`,
      `{"command":"mysql -u root -p'${PASSWORD}' shop","description":"Lists tables"}`,
      `{\\"command\\":\\"docker login -u ann -p \\\\\\"${PASSWORD}\\\\\\" ghcr.io\\"}`,
      `ssh web1 "sudo mysqldump -uroot -p${PASSWORD} shop | gzip" > dump.gz`,
      `docker login \\\n  -u ann \\\n  -p ${PASSWORD}`,
      `cd /srv && redis-cli -a ${PASSWORD} ping; echo done`,
      `printf '%s\\n' '${PASSWORD}' | sudo -S -k apt-get update`,
      `sudo -S ls <<< "${PASSWORD}"`,
    ]) {
      const output = await redact(text);
      assert.ok(!output.includes(PASSWORD), output);
      if (text.startsWith("{")) assert.doesNotThrow(() => JSON.parse(text.startsWith('{"') ? output : '"x"'));
    }
  });

  test("lists of arguments in code, JSON and YAML do not hide a password", async () => {
    for (const text of [
      `subprocess.run(["mysql", "-uroot", "-p${PASSWORD}", "-e", "show databases"])`,
      `exec.Command("redis-cli", "-h", host, "-a", "${PASSWORD}", "ping")`,
      `cp.spawn('sshpass', ['-p', '${PASSWORD}', 'ssh', 'ann@web1'])`,
      `Command::new("mysqldump").arg("-u").arg("root").arg("-p${PASSWORD}")`,
      `Command::new("sqlcmd").args(&["-U", "sa", "-P", "${PASSWORD}"])`,
      `new ProcessBuilder("keytool", "-list", "-storepass", "${PASSWORD}").start();`,
      `Process.Start("sqlcmd", "-U sa -P ${PASSWORD} -i init.sql");`,
      `CMD ["redis-server", "--requirepass", "${PASSWORD}"]`,
      `{\\"command\\":[\\"ldapsearch\\",\\"-x\\",\\"-w\\",\\"${PASSWORD}\\"]}`,
      `args:\n  - redis-server\n  - --requirepass\n  - ${PASSWORD}\n`,
      `command:\n- redis-cli\n- -a\n- ${PASSWORD}\n`,
    ]) {
      const output = await redact(text);
      assert.ok(!output.includes(PASSWORD), output);
    }
  });

  test("the first line of a here-document is what a command reads", async () => {
    for (const text of [
      `docker login -u ann --password-stdin <<EOF\n${PASSWORD}\nEOF`,
      `cat <<'PW' | helm registry login -u ann --password-stdin ghcr.io\n${PASSWORD}\nPW`,
      JSON.stringify({ command: `sudo -S apt-get update <<-"EOF"\n${PASSWORD}\nEOF` }),
    ]) {
      const output = await redact(text);
      assert.ok(!output.includes(PASSWORD), output);
    }
  });

  test("the value of an option and the text before an open quote are no arguments", async () => {
    for (const text of [
      "ansible-vault encrypt_string --vault-id dev@prompt",
      "git log -p src/auth2.ts\n\nUse `docker login -p` with care; prefer --password-stdin.",
      "wandb login\n\nFeature: password reset2",
      "echo v1.2.3 | gh release create -F -\n\n--password-stdin  Take the password from stdin",
    ])
      assert.equal(await redact(text), text);
  });

  test("an option that names standard input finds what any program reads", async () => {
    for (const text of [
      "echo 'gravelpath' | sometool login --password-stdin",
      "printf %s gravelpath | x auth --registry-token-stdin",
      "sometool --password-stdin <<< gravelpath",
    ])
      assert.ok(!(await redact(text)).includes("gravelpath"), text);
  });

  test("options without a secret are not changed", async () => {
    for (const text of [
      'exec.Command("redis-cli", "-a", os.Getenv("REDIS_PASSWORD"), "ping")',
      'subprocess.run(["mysql", "-u", user, f"-p{password}", "-e", query])',
      'subprocess.run(["redis-cli", "-a", settings.redis_password])',
      "spawn('mkdir', ['-p', 'build/artifacts2'])",
      'args: ["--token-ttl", "3600", "--secret-name", "app-credentials"]',
      "docker login -u ann --password-stdin <<EOF\n$REGISTRY_PASSWORD\nEOF",
      "docker login -u ann --password-stdin < token2.txt",
      "mysql -u root -p -h db1 -P 3306 shop",
      "docker run -p 8080:80 -v data:/x nginx:1.27",
      'echo "$SUDO_PW" | sudo -S ls',
      "docker login -p $TOKEN -u ann && mkdir -p src/v2",
      "Use docker login -p only in scripts; mysql -p asks.",
      "git config user.signingkey 0123456789abcdef0123456789abcdef01234567",
    ]) {
      assert.equal(await redact(text), text);
    }
  });
});
