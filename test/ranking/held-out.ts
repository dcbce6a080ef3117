/** Questions that nobody looks at while the ranking is worked on: they say what it is worth. */
import { passage, type RankingLabel } from "./label.ts";

const CLI_LATENCY = "claude-code/entireio+cli/cde341db-b80a-44f5-b0f2-94db2ef7a164.jsonl";
const STATUS_COMMAND = "claude-code/entireio+cli/a2b25ca9-1cbb-41d7-a3b1-89c66f8697f9.jsonl";
const DATE_CHANGE = "claude-code/entireio+cli/b5f6af67-9cd0-42bb-8323-9ac99badee2d.jsonl";
const SESSION_CONFLICT = "claude-code/entireio+cli/3b1b6293-65e1-4c3e-9f95-d530143332f2.jsonl";
const AUTHORIZE_QUERY = "claude-code/entireio+auth-go/5c7298d0-aeab-4312-b0db-9432417ff7b8.jsonl";
const SHUTDOWN_REVIEW = "claude-code/entireio+auth-go/b8e4e31b-68d9-4466-9041-84a004d82768.jsonl";
const HAPPY = "claude-code/slopus+happy";
const TIMERS = `${HAPPY}/dev-environment/example-claude-code-sessions/f0b4ca22-f8e4-4c07-a952-8302b638e125.jsonl`;
const WEB_SEARCH = `${HAPPY}/packages/happy-cli/src/claude/utils/__fixtures__/task_non_sdk.jsonl`;
const ERK = "claude-code/dagster-io+erk/.erk/session";
const SCOPING = `${ERK}/b170f36b-6748-4b80-ba47-222199564dff.jsonl`;
const TERNARY = `${ERK}/c6e5c318-b2df-4f4e-ae4b-391b510dc37c.jsonl`;
const DOC_DRIFT = `${ERK}/13ca5a3a-9e05-4de2-9453-f694ec3019ef.jsonl`;
const LOG_PANEL = `${ERK}/34f7bf16-272a-4bcd-a9b9-1c00cbac2dac.jsonl`;
const REVIEW_REMOVAL = `${ERK}/998201d9-518a-4062-8157-27cb46567fa1.jsonl`;
const PUSH =
  "claude-code/chiphuyen+sniffly/tests/mock-data/-Users-chip-dev-ai-music/fed8ce56-bc79-401f-a83e-af084253362f.jsonl";
const TENTATIVE = "claude-code/obra+episodic-memory/test/fixtures/tiny-conversation.jsonl";
const VSCODE_VERSION = "opencode-export/savekirk+session-bridge/13_dddd416599_2_full.jsonl";
const SURVEY = "opencode-export/savekirk+session-bridge/29_dbfeaf9083_0_full.jsonl";
const COMPOSER = "opencode-export/eitatech+gatomia-vscode/05_9c46747b87_0_full.jsonl";
const KANBAN = "opencode-export/eitatech+gatomia-vscode/33_a5543b191b_0_full.jsonl";
const FORMAT_SCRIPT = "opencode-export/The-Best-Codes+bestcodes.dev/c0_ea73dac434_0_full.jsonl";

export const heldOut: readonly RankingLabel[] = [
  {
    question: "Why did every call of the CLI wait before the prompt came back?",
    query: "ShutdownTimeout",
    answers: [passage(CLI_LATENCY, 53, 54), passage(CLI_LATENCY, 164), passage(CLI_LATENCY, 172)],
  },
  {
    question: "Why is only the first run slow?",
    query: "cold run connection",
    answers: [passage(CLI_LATENCY, 161), passage(CLI_LATENCY, 164)],
  },
  {
    question: "Did we accept that telemetry events get lost?",
    query: "telemetry best-effort drop",
    answers: [passage(CLI_LATENCY, 167), passage(CLI_LATENCY, 172)],
  },
  {
    question: "Can MarshalIndent put a newline at the end of the file?",
    query: "MarshalIndent",
    answers: [passage(CLI_LATENCY, 180, 183)],
  },
  {
    question: "Why do the enable and disable tests fail on CI since the new status output?",
    query: "TestEnableDisable",
    answers: [passage(STATUS_COMMAND, 188, 190), passage(STATUS_COMMAND, 193, 194)],
  },
  {
    question: "Why did the edits to the tests have no effect?",
    query: "editing wrong file",
    answers: [passage(STATUS_COMMAND, 253, 254), passage(STATUS_COMMAND, 299, 300)],
  },
  {
    question: "Why could status --long print empty parentheses?",
    query: "empty strategy fallback",
    answers: [passage(STATUS_COMMAND, 305, 307), passage(STATUS_COMMAND, 310, 311), passage(STATUS_COMMAND, 321)],
  },
  {
    question: "What is entire status --long meant to print in the end?",
    query: "entire status --long",
    answers: [passage(STATUS_COMMAND, 129, 131), passage(STATUS_COMMAND, 156, 157), passage(STATUS_COMMAND, 167)],
  },
  {
    question: "What went wrong with the metadata folder of a session that went past midnight?",
    query: "SessionMetadataDirFromEntireID",
    answers: [
      passage(DATE_CHANGE, 3, 5),
      passage(DATE_CHANGE, 15),
      passage(DATE_CHANGE, 24, 25),
      passage(DATE_CHANGE, 90, 91),
      passage(DATE_CHANGE, 108),
    ],
  },
  {
    question: "Was SessionMetadataDir to be deprecated or removed?",
    query: "deprecate remove SessionMetadataDir",
    answers: [passage(DATE_CHANGE, 108), passage(DATE_CHANGE, 112, 113), passage(DATE_CHANGE, 186)],
  },
  {
    question: "Which earlier commit was to mend sessions across a date change, and what did it miss?",
    query: "date change",
    answers: [passage(DATE_CHANGE, 80, 81), passage(DATE_CHANGE, 83, 84), passage(DATE_CHANGE, 87)],
  },
  {
    question: "What can users no longer rewind to?",
    query: "rewind",
    answers: [
      passage(SESSION_CONFLICT, 16, 17),
      passage(SESSION_CONFLICT, 87),
      passage(SESSION_CONFLICT, 106),
      passage(SESSION_CONFLICT, 120),
      passage(SESSION_CONFLICT, 136, 137),
      passage(SESSION_CONFLICT, 187),
      passage(SESSION_CONFLICT, 248, 250),
    ],
  },
  {
    question: "Is it safe to drop the unused parameters of FormatIncrementalSubject?",
    query: "FormatIncrementalSubject",
    answers: [
      passage(SESSION_CONFLICT, 80),
      passage(SESSION_CONFLICT, 85, 87),
      passage(SESSION_CONFLICT, 98, 100),
      passage(SESSION_CONFLICT, 248, 250),
    ],
  },
  {
    question: "What is there instead of gh pr diff --stat?",
    query: "gh pr diff",
    answers: [passage(SESSION_CONFLICT, 10, 13)],
  },
  {
    question: "Why did the checkpoint count stay at zero after a task checkpoint?",
    query: "CheckpointCount increment task",
    answers: [passage(SESSION_CONFLICT, 162, 163), passage(SESSION_CONFLICT, 167), passage(SESSION_CONFLICT, 171, 172)],
  },
  {
    question: "Why is the query of the authorize path not checked in New?",
    query: "guard New authorizationURL",
    answers: [passage(AUTHORIZE_QUERY, 103), passage(AUTHORIZE_QUERY, 147)],
  },
  {
    question: "What could be done about the page that says signed in before the exchange?",
    query: "Signed in page",
    answers: [passage(AUTHORIZE_QUERY, 56)],
  },
  {
    question: "Does a fix to authcode need a changelog entry of its own?",
    query: "v0.5.0",
    answers: [
      passage(AUTHORIZE_QUERY, 130),
      passage(AUTHORIZE_QUERY, 147),
      passage(SHUTDOWN_REVIEW, 65),
      passage(SHUTDOWN_REVIEW, 113),
    ],
  },
  {
    question: "Why was localStorage good enough for the timers?",
    query: "localStorage",
    answers: [passage(TIMERS, 4, 5), passage(TIMERS, 119)],
  },
  {
    question: "Why did the app hang when a timer was created?",
    query: "useTask$",
    answers: [passage(TIMERS, 120, 121), passage(TIMERS, 124, 125)],
  },
  {
    question: "Which option of TypeScript 5.6 skips the type check?",
    query: "TypeScript 5.6",
    answers: [passage(WEB_SEARCH, 7), passage(WEB_SEARCH, 10, 12)],
  },
  {
    question: "What type can the output of a command have when it times out?",
    query: "TimeoutExpired stdout bytes",
    answers: [passage(TERNARY, 18)],
  },
  {
    question: "Why does a discussion comment still count as open after we replied?",
    query: "discussion comments resolved",
    answers: [passage(TERNARY, 46)],
  },
  {
    question: "How did we get round resolve-review-threads refusing its JSON?",
    query: "resolve-review-threads",
    answers: [passage(TERNARY, 32, 35), passage(SCOPING, 37, 40), passage(DOC_DRIFT, 31, 35)],
  },
  {
    question: "Why did the warning use a variable that was never set?",
    query: "msg quiet assigned",
    answers: [
      passage(SCOPING, 10, 11),
      passage(SCOPING, 16, 17),
      passage(SCOPING, 34),
      passage(SCOPING, 37, 41),
      passage(SCOPING, 45),
    ],
  },
  {
    question: "Why did setup-impl crash?",
    query: "branch_slug",
    answers: [passage(LOG_PANEL, 8, 10), passage(LOG_PANEL, 18)],
  },
  {
    question: "Why is a taller log panel safe on a small terminal?",
    query: "max-height",
    answers: [passage(LOG_PANEL, 22)],
  },
  {
    question: "Why could the signal that the work ended not be written to the pull request?",
    query: "plan-header",
    answers: [passage(REVIEW_REMOVAL, 48, 49)],
  },
  {
    question: "Which fields can gh pr checks print as JSON?",
    query: "unknown json field",
    answers: [passage(REVIEW_REMOVAL, 31)],
  },
  {
    question: "Where did the user stop the commit to the music project?",
    query: "The user doesn't want to",
    filters: { errors: true },
    answers: [passage(PUSH, 13, 14)],
  },
  {
    question: "Where did the user say not to ask before mending plain bugs?",
    query: "permission fix bugs",
    answers: [passage(TENTATIVE, 1, 2), passage(TENTATIVE, 5, 7)],
  },
  {
    question: "Why are the VS Code typings pinned to an exact version?",
    query: "@types/vscode",
    answers: [passage(VSCODE_VERSION, 6, 7), passage(VSCODE_VERSION, 10)],
  },
  {
    question: "Where is the VS Code version of the test runs set?",
    query: ".vscode-test.mjs",
    answers: [passage(VSCODE_VERSION, 10), passage(VSCODE_VERSION, 13)],
  },
  {
    question: "Does the workflow graph get a file format of its own?",
    query: "graph separate representation",
    answers: [passage(COMPOSER, 2), passage(COMPOSER, 4), passage(COMPOSER, 7)],
  },
  {
    question: "How do queued and ready tasks differ on the board?",
    query: "kanban board",
    answers: [passage(KANBAN, 4)],
  },
  {
    question: "Are there tests for runCommand?",
    query: "runCommand",
    answers: [passage(SURVEY, 4)],
  },
  {
    question: "Which script formats the code?",
    query: "prettier format script",
    answers: [passage(FORMAT_SCRIPT, 6), passage(FORMAT_SCRIPT, 8)],
  },
];
