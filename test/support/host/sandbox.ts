/** A private home and project for opencode: nothing of the person's own configuration or data is read or written. */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A plugin as opencode.json names it. */
export type PluginSpec = string | readonly [string, Record<string, unknown>];

export interface SandboxOptions {
  /** Base URL of the model that answers. */
  modelURL: string;
  plugins?: readonly PluginSpec[];
  /** Goes over the default configuration, key by key. */
  config?: Record<string, unknown>;
  /** Goes over the default environment. */
  env?: Record<string, string>;
  /** Make the project a git repository. Default: true. opencode reverts files only in one. */
  git?: boolean;
}

export interface Sandbox {
  /** The folder of everything below. */
  readonly root: string;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Rewrites opencode.json, for processes started later. */
  configure(plugins: readonly PluginSpec[], config?: Record<string, unknown>): Promise<void>;
  /** Removes every folder. */
  remove(): Promise<void>;
}

export const MODEL = { providerID: "scripted", modelID: "scripted-model" };

export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "opencode-sandbox-")));
  const projectDir = join(root, "project");
  const home = join(root, "home");
  const configDir = join(home, ".config", "opencode");
  await mkdir(projectDir);
  await skipPluginInstall(configDir);
  if (options.git !== false) initRepository(projectDir);

  const configure = async (plugins: readonly PluginSpec[], config: Record<string, unknown> = {}): Promise<void> => {
    const whole = { ...defaultConfig(options.modelURL), plugin: plugins, ...config };
    await writeFile(join(configDir, "opencode.json"), JSON.stringify(whole, null, 2));
  };
  await configure(options.plugins ?? [], options.config);

  return {
    root,
    projectDir,
    env: { ...privateEnvironment(home), ...options.env },
    configure,
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/**
 * opencode installs `@opencode-ai/plugin` from the registry into each of its configuration folders and lets plugins
 * wait for that. A folder that looks as if it were installed is left alone.
 */
async function skipPluginInstall(configDir: string): Promise<void> {
  await mkdir(join(configDir, "node_modules"), { recursive: true });
  const lock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } };
  await writeFile(join(configDir, "package-lock.json"), JSON.stringify(lock));
}

function initRepository(projectDir: string): void {
  const identity = ["-c", "user.name=tester", "-c", "user.email=tester@example.invalid"];
  spawnSync("git", ["init", "--quiet", projectDir]);
  spawnSync("git", [...identity, "-C", projectDir, "commit", "--quiet", "--allow-empty", "-m", "start"]);
}

function defaultConfig(modelURL: string): Record<string, unknown> {
  const model = {
    name: "Scripted",
    tool_call: true,
    reasoning: true,
    attachment: true,
    limit: { context: 200_000, output: 8_000 },
  };
  const modalities = { input: ["text", "image"], output: ["text"] };
  return {
    $schema: "https://opencode.ai/config.json",
    provider: {
      [MODEL.providerID]: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: modelURL, apiKey: "none" },
        models: { [MODEL.modelID]: { ...model, modalities, cost: { input: 1, output: 2 } } },
      },
    },
    model: `${MODEL.providerID}/${MODEL.modelID}`,
    small_model: `${MODEL.providerID}/${MODEL.modelID}`,
    permission: { "*": "allow" },
    share: "disabled",
    autoupdate: false,
  };
}

function privateEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, LANG } = process.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...(LANG === undefined ? {} : { LANG }),
    HOME: home,
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "true",
    OPENCODE_ENABLE_QUESTION_TOOL: "1",
  };
}
