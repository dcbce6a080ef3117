/** Questions of which the words are typed as they come to mind, some of them wrong. */
import { passage, type RankingLabel } from "./label.ts";

const CLAUDE = "claude-code";
const POSTHOG = `${CLAUDE}/entireio+cli/cde341db-b80a-44f5-b0f2-94db2ef7a164.jsonl`;
const TASK_START = `${CLAUDE}/entireio+cli/3b1b6293-65e1-4c3e-9f95-d530143332f2.jsonl`;
const STATUS = `${CLAUDE}/entireio+cli/a2b25ca9-1cbb-41d7-a3b1-89c66f8697f9.jsonl`;
const AUTHCODE = `${CLAUDE}/entireio+auth-go/5c7298d0-aeab-4312-b0db-9432417ff7b8.jsonl`;
const ERK = `${CLAUDE}/dagster-io+erk/.erk/session`;
const LOG_PANEL = `${ERK}/34f7bf16-272a-4bcd-a9b9-1c00cbac2dac.jsonl`;
const DONE_BEFORE = `${ERK}/998201d9-518a-4062-8157-27cb46567fa1.jsonl`;
const TERNARY = `${ERK}/c6e5c318-b2df-4f4e-ae4b-391b510dc37c.jsonl`;
const DUPLICATES = `${ERK}/8128346d-e674-4ca1-9be1-5387bfa72ca7.jsonl`;
const TRIPWIRES = `${ERK}/4780b26d-b8f7-4029-9088-c81b2e407b1e.jsonl`;
const TOAST = `${ERK}/59bd23f4-2589-4b6d-b1dd-7b38ae1ce8e8.jsonl`;
const HANDY = `${CLAUDE}/slopus+happy/dev-environment/example-claude-code-sessions/c9de1ad3-3355-4392-b91b-6fcf853be4b0.jsonl`;
const EMPTY_REPO = `${CLAUDE}/d-kimuson+claude-code-viewer/mock-global-claude-dir/projects/sample-project/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl`;
const LICENCE = "opencode-export/savekirk+session-bridge/13_dddd416599_3_full.jsonl";
const TASK_CARD = "opencode-export/eitatech+gatomia-vscode/e8_b9fab6ea95_0_full.jsonl";

export const halfRemembered: readonly RankingLabel[] = [
  {
    question: "How much of the time did telemetry take, and how much is left?",
    query: "posthog slow milliseconds before after",
    answers: [passage(POSTHOG, 117), passage(POSTHOG, 144, 147), passage(POSTHOG, 161, 164)],
  },
  {
    question: "Why did PostHog get a logger that prints nothing?",
    query: "silent logger why posthog noise",
    answers: [
      passage(POSTHOG, 68),
      passage(POSTHOG, 78, 83),
      passage(POSTHOG, 87),
      passage(POSTHOG, 93),
      passage(POSTHOG, 164),
      passage(POSTHOG, 172),
    ],
  },
  {
    question: "How can startup be traced?",
    query: "profile startup flamegraph go trace",
    answers: [passage(POSTHOG, 10), passage(POSTHOG, 19, 24), passage(POSTHOG, 37), passage(POSTHOG, 164)],
  },
  {
    question: "Which kind of checkpoint skips a commit when nothing changed?",
    query: "dedupe checkpoint same tree hash skip",
    answers: [passage(TASK_START, 156, 163)],
  },
  {
    question: "What was still wrong in the docs after the starting checkpoint was removed?",
    query: "outdated docs starting checkpoint review",
    answers: [passage(TASK_START, 248, 250), passage(TASK_START, 261), passage(TASK_START, 281)],
  },
  {
    question: "Which hooks make a checkpoint?",
    query: "which hook creates checkpoint stop posttask",
    answers: [passage(TASK_START, 120), passage(TASK_START, 136, 137)],
  },
  {
    question: "Which of the two functions merges the local settings?",
    query: "difference load settings merged vs single file",
    answers: [passage(STATUS, 181), passage(STATUS, 327), passage(STATUS, 331)],
  },
  {
    question: "How was the duplication in loading settings removed?",
    query: "settings loading duplicated refactor reuse",
    answers: [passage(STATUS, 327), passage(STATUS, 331, 333), passage(STATUS, 343, 344)],
  },
  {
    question: "What should the browser say when the sign-in came back?",
    query: "browser signed in page neutral wording",
    answers: [passage(AUTHCODE, 56)],
  },
  {
    question: "What happens now when the authorize path has a query of its own?",
    query: "authorize path query string error fail loudly",
    answers: [passage(AUTHCODE, 56), passage(AUTHCODE, 76, 80), passage(AUTHCODE, 103), passage(AUTHCODE, 147)],
  },
  {
    question: "Why did erk pr submit print nothing when it timed out?",
    query: "pr submit no output on timeout",
    answers: [passage(TERNARY, 10), passage(TERNARY, 17, 18)],
  },
  {
    question: "To which heights was the log panel raised?",
    query: "log panel height css 25 lines",
    answers: [passage(LOG_PANEL, 22), passage(LOG_PANEL, 35), passage(LOG_PANEL, 41)],
  },
  {
    question: "What was done about a plan that had been carried out before?",
    query: "plan already implemented earlier remote nothing left",
    answers: [
      passage(DONE_BEFORE, 22),
      passage(DONE_BEFORE, 27),
      passage(DONE_BEFORE, 34),
      passage(DONE_BEFORE, 39),
      passage(DONE_BEFORE, 52),
    ],
  },
  {
    question: "Whose name is in the licence, and from where?",
    query: "license copyright holder name package json",
    answers: [passage(LICENCE, 3, 4)],
  },
  {
    question: "What does the duplicate check print before it asks the model?",
    query: "duplicate check list plans before llm",
    answers: [passage(DUPLICATES, 10), passage(DUPLICATES, 19), passage(DUPLICATES, 33, 34)],
  },
  {
    question: "Were there comments on the toast pull request to answer?",
    query: "toast instead of modal pr comments todo",
    answers: [passage(TOAST, 10, 11)],
  },
  {
    question: "What is Happy CLI?",
    query: "happy cli wrapper remote control overview",
    answers: [passage(HANDY, 23)],
  },
  {
    question: "What did CLAUDE.md say of a repository without code?",
    query: "claude.md blank repository placeholder commands",
    answers: [passage(EMPTY_REPO, 24, 25), passage(EMPTY_REPO, 29)],
  },
  {
    question: "What does the documentation of task cards cover?",
    query: "task card docs blockers retries progress",
    answers: [passage(TASK_CARD, 3, 4), passage(TASK_CARD, 7)],
  },
  {
    question: "Where did the print statement go, and was it seen to work?",
    query: "added print to second python script tripwires",
    answers: [passage(TRIPWIRES, 9), passage(TRIPWIRES, 18), passage(TRIPWIRES, 25), passage(TRIPWIRES, 40)],
  },
];
