/** Questions to look at while the ranking is worked on. */
import { passage, type RankingLabel } from "./label.ts";

const ATTRIBUTION = "claude-code/entireio+cli/4fec7ea0-3335-43ec-a178-d4ab47d5aef3.jsonl";
const TELEMETRY_PAYLOAD = "claude-code/entireio+cli/cc432c40-914a-4c1a-a972-0103199a736a/04_ba_59c426c910_0.jsonl";
const AGENT_LOGGING = "claude-code/entireio+cli/130d7b7e-5801-4345-9bd6-f32fd9b8429b.jsonl";
const SHUTDOWN_REVIEW = "claude-code/entireio+auth-go/b8e4e31b-68d9-4466-9041-84a004d82768.jsonl";
const WAIT_RACE = "claude-code/entireio+auth-go/9b138c7e-bf80-4a5d-af75-e52fc19a2db5.jsonl";
const VIEWER = "claude-code/d-kimuson+claude-code-viewer/mock-global-claude-dir/projects/sample-project";
const TODO_APP = `${VIEWER}/fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl`;
const TODO_DOCS = `${VIEWER}/5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl`;
const AI_MUSIC =
  "claude-code/chiphuyen+sniffly/tests/mock-data/-Users-chip-dev-ai-music/ba79134d-b6e9-4867-af0c-6941038c9e4b.jsonl";
const ERK = "claude-code/dagster-io+erk/.erk/session";
const DOC_DRIFT = `${ERK}/13ca5a3a-9e05-4de2-9453-f694ec3019ef.jsonl`;
const PRINT_HELLO = `${ERK}/26efdcc5-de34-4028-a984-9a094a9fa95b.jsonl`;
const SYNC_COMMAND = `${ERK}/acd9feaa-2f31-4b9c-a1a8-8d4620a8761d.jsonl`;
const PLAN_SAVE = `${ERK}/61aa9654-e81d-4056-bd62-f3c777e04e73.jsonl`;
const UPGRADE = "opencode-export/The-Best-Codes+bestcodes.dev/0c_360aa9943d_0_full.jsonl";
const HOOK_MODEL = "opencode-export/eitatech+gatomia-vscode/28_f079c913fa_0_full.jsonl";
const HOOK_DOCS = "opencode-export/eitatech+gatomia-vscode/34_0a1e97f1aa_0_full.jsonl";
const TASK_MODEL = "opencode-export/eitatech+gatomia-vscode/cd_5076cd9951_0_full.jsonl";
const STATUS_BAR = "opencode-export/savekirk+session-bridge/13_dddd416599_1_full.jsonl";

export const tuning: readonly RankingLabel[] = [
  {
    question: "Why does the prompt attribution read the worktree and not the git index?",
    query: "calculatePromptAttributionAtStart",
    halfRemembered: "attribution reads worktree instead of index why",
    answers: [
      passage(ATTRIBUTION, 30, 33),
      passage(ATTRIBUTION, 61, 62),
      passage(ATTRIBUTION, 65, 67),
      passage(ATTRIBUTION, 101, 102),
      passage(ATTRIBUTION, 113),
    ],
  },
  {
    question: "Is getFileContent still needed now that trees are compared by their hashes?",
    query: "getFileContent",
    halfRemembered: "getFileContent still needed tree hashes",
    answers: [passage(ATTRIBUTION, 233, 235)],
  },
  {
    question: "How do we tell which files differ between two trees without reading them?",
    query: "compare hashes content",
    halfRemembered: "files differ between trees by hash without content",
    answers: [
      passage(ATTRIBUTION, 201, 203),
      passage(ATTRIBUTION, 209, 211),
      passage(ATTRIBUTION, 225),
      passage(ATTRIBUTION, 234, 235),
    ],
  },
  {
    question: "Why were edits made before the first prompt missing from the pending attribution?",
    query: "PendingPromptAttribution",
    halfRemembered: "edits before first prompt missing pending attribution",
    answers: [
      passage(ATTRIBUTION, 118, 121),
      passage(ATTRIBUTION, 158, 161),
      passage(ATTRIBUTION, 167, 169),
      passage(ATTRIBUTION, 195),
    ],
  },
  {
    question: "What did we do so that spawnDetachedAnalytics builds on Windows, and why is that enough?",
    query: "spawnDetachedAnalytics",
    halfRemembered: "spawn detached analytics windows build stub",
    answers: [passage(TELEMETRY_PAYLOAD, 50, 52), passage(TELEMETRY_PAYLOAD, 88)],
  },
  {
    question: "How do we keep staticcheck from seeing a nil dereference after t.Fatal?",
    query: "t.Fatal",
    halfRemembered: "staticcheck nil dereference after fatal",
    answers: [
      passage(TELEMETRY_PAYLOAD, 118, 120),
      passage(TELEMETRY_PAYLOAD, 123, 124),
      passage(TELEMETRY_PAYLOAD, 127),
    ],
  },
  {
    question: "Why was the PostHog key taken out of the event payload?",
    query: "api key visible ps",
    halfRemembered: "posthog api key visible process list",
    answers: [passage(TELEMETRY_PAYLOAD, 152, 155), passage(TELEMETRY_PAYLOAD, 181)],
  },
  {
    question: "Why did the test of the default agent never test the default?",
    query: "Hidden: true",
    halfRemembered: "default agent test hidden never tested",
    answers: [passage(TELEMETRY_PAYLOAD, 17), passage(TELEMETRY_PAYLOAD, 24, 25), passage(TELEMETRY_PAYLOAD, 43, 44)],
  },
  {
    question: "Where should the agent be put into the logging context?",
    query: "logging.WithAgent",
    halfRemembered: "where put agent in logging context",
    filters: { role: "assistant" },
    answers: [
      passage(AGENT_LOGGING, 139),
      passage(AGENT_LOGGING, 143, 144),
      passage(AGENT_LOGGING, 147, 148),
      passage(AGENT_LOGGING, 154, 158),
      passage(AGENT_LOGGING, 168, 169),
    ],
  },
  {
    question: "How can the code find out which agent is active?",
    query: "detected agent",
    halfRemembered: "how to know which agent is active",
    answers: [passage(AGENT_LOGGING, 168, 169)],
  },
  {
    question: "What do we do when goconst complains about a string repeated in tests?",
    query: "goconst",
    halfRemembered: "goconst repeated string in tests",
    answers: [
      passage(AGENT_LOGGING, 69, 70),
      passage(AGENT_LOGGING, 73, 74),
      passage(AGENT_LOGGING, 76, 80),
      passage(ATTRIBUTION, 267, 268),
    ],
  },
  {
    question: "Why does Wait not return the error of Close?",
    query: "propagate Close error",
    halfRemembered: "wait should not return close error",
    answers: [passage(SHUTDOWN_REVIEW, 49), passage(SHUTDOWN_REVIEW, 113)],
  },
  {
    question: "How did we keep the callback state out of what String() prints?",
    query: "state String() leak",
    halfRemembered: "keep callback state secret from string print",
    answers: [passage(SHUTDOWN_REVIEW, 79, 80), passage(SHUTDOWN_REVIEW, 94), passage(SHUTDOWN_REVIEW, 113)],
  },
  {
    question: "How could a finished login be reported as a timeout by Wait, and how was that closed?",
    query: "select random cases",
    halfRemembered: "wait timeout race finished login select",
    answers: [
      passage(WAIT_RACE, 58),
      passage(WAIT_RACE, 72, 76),
      passage(WAIT_RACE, 85),
      passage(WAIT_RACE, 92),
      passage(WAIT_RACE, 116, 117),
      passage(WAIT_RACE, 131),
    ],
  },
  {
    question: "How did we show that a new regression test fails without the fix?",
    query: "pre-fix test fails",
    halfRemembered: "regression test fails without fix stash",
    answers: [
      passage(WAIT_RACE, 127, 130),
      passage(WAIT_RACE, 133),
      passage(WAIT_RACE, 192, 196),
      passage(WAIT_RACE, 199),
    ],
  },
  {
    question: "What is the device flow still for, if CI does not need it?",
    query: "device flow",
    halfRemembered: "device flow needed without browser ci",
    answers: [passage(WAIT_RACE, 7), passage(WAIT_RACE, 33), passage(WAIT_RACE, 44)],
  },
  {
    question: "How is create-next-app run without it asking questions?",
    query: "create-next-app",
    halfRemembered: "create next app without prompts noninteractive",
    answers: [passage(TODO_APP, 52, 54)],
  },
  {
    question: "With which error did the build of the todo app fail?",
    query: "next build",
    answers: [passage(TODO_APP, 403), passage(TODO_APP, 406), passage(TODO_APP, 409), passage(TODO_APP, 412)],
  },
  {
    question: "Which npm script did CLAUDE.md name that does not exist?",
    query: "type-check",
    halfRemembered: "claude md npm script missing typecheck",
    answers: [passage(TODO_DOCS, 22, 23), passage(TODO_DOCS, 53)],
  },
  {
    question: "Why does activating the environment from inside the session not stick?",
    query: "conda activate aie311",
    halfRemembered: "activate environment does not persist between commands",
    answers: [passage(AI_MUSIC, 76)],
  },
  {
    question: "How does the user want conda environments to be named?",
    query: "conda environment name",
    halfRemembered: "user wants conda env named how",
    filters: { role: "user" },
    answers: [passage(AI_MUSIC, 55)],
  },
  {
    question: "Why could the description of the pull request not be updated?",
    query: "PR description diff too large",
    halfRemembered: "pr description could not update diff large",
    answers: [passage(DOC_DRIFT, 45, 46), passage(DOC_DRIFT, 49)],
  },
  {
    question: "Why was the private function taken out of the fail-open document?",
    query: "_close_linked_prs",
    answers: [passage(DOC_DRIFT, 10), passage(DOC_DRIFT, 13), passage(DOC_DRIFT, 28)],
  },
  {
    question: "Which option does upload-session take instead of --issue-number?",
    query: "upload-session",
    halfRemembered: "upload session option plan id instead of issue number",
    filters: { tool: "Bash" },
    answers: [passage(PRINT_HELLO, 63, 64)],
  },
  {
    question: "Why did the eval of capture-session-info break after the print was added?",
    query: "command not found hello",
    halfRemembered: "eval broken by hello print command not found",
    answers: [passage(PRINT_HELLO, 60, 61)],
  },
  {
    question: "Why did the check still find impl-context although git had no such files?",
    query: "impl-context",
    answers: [passage(SYNC_COMMAND, 57, 61)],
  },
  {
    question: "Why do gt commands need --no-interactive?",
    query: "gt submit hanging",
    halfRemembered: "gt no interactive hangs prompts",
    answers: [passage(SYNC_COMMAND, 36), passage(SYNC_COMMAND, 70)],
  },
  {
    question: "What did an empty --pr do to the roadmap of the objective?",
    query: '--pr ""',
    answers: [passage(PLAN_SAVE, 9), passage(PLAN_SAVE, 17)],
  },
  {
    question: "What cured the type error in .next/dev/types after the upgrade?",
    query: "clear next cache",
    halfRemembered: "type error after next upgrade clear cache",
    answers: [passage(UPGRADE, 9, 10), passage(UPGRADE, 14)],
  },
  {
    question: "How do saved hooks survive the new hook model?",
    query: "hook persistence migration",
    halfRemembered: "saved hooks migrate new model",
    answers: [passage(HOOK_MODEL, 5), passage(HOOK_DOCS, 3)],
  },
  {
    question: "What does the trigger registry turn its events into?",
    query: "TriggerRegistry",
    answers: [passage(HOOK_DOCS, 4)],
  },
  {
    question: "Did the normalized task model have to be written, or was it there already?",
    query: "task model already implemented",
    halfRemembered: "task model normalized already existed",
    answers: [passage(TASK_MODEL, 9), passage(TASK_MODEL, 13, 14), passage(TASK_MODEL, 16)],
  },
  {
    question: "Can the CLI status still be seen after the click on the status bar was changed?",
    query: "SHOW_STATUS",
    halfRemembered: "status still visible after status bar click",
    answers: [passage(STATUS_BAR, 13)],
  },
  {
    question: "Which command opens the view container of the extension?",
    query: "status bar click view",
    halfRemembered: "command opens view container extension",
    answers: [passage(STATUS_BAR, 10), passage(STATUS_BAR, 13)],
  },
];
