/** Passages that nobody looks at while the suggestions are worked on: they say what those are worth. */
import { keep, pass, type SnippetLabel } from "./label.ts";

const CLI_LATENCY = "claude-code/entireio+cli/cde341db-b80a-44f5-b0f2-94db2ef7a164.jsonl";
const STATUS_COMMAND = "claude-code/entireio+cli/a2b25ca9-1cbb-41d7-a3b1-89c66f8697f9.jsonl";
const DATE_CHANGE = "claude-code/entireio+cli/b5f6af67-9cd0-42bb-8323-9ac99badee2d.jsonl";
const SESSION_CONFLICT = "claude-code/entireio+cli/3b1b6293-65e1-4c3e-9f95-d530143332f2.jsonl";
const AUTHORIZE_QUERY = "claude-code/entireio+auth-go/5c7298d0-aeab-4312-b0db-9432417ff7b8.jsonl";
const HAPPY = "claude-code/slopus+happy";
const TIMERS = `${HAPPY}/dev-environment/example-claude-code-sessions/f0b4ca22-f8e4-4c07-a952-8302b638e125.jsonl`;
const WEB_SEARCH = `${HAPPY}/packages/happy-cli/src/claude/utils/__fixtures__/task_non_sdk.jsonl`;
const ERK = "claude-code/dagster-io+erk/.erk/session";
const SCOPING = `${ERK}/b170f36b-6748-4b80-ba47-222199564dff.jsonl`;
const TERNARY = `${ERK}/c6e5c318-b2df-4f4e-ae4b-391b510dc37c.jsonl`;
const LOG_PANEL = `${ERK}/34f7bf16-272a-4bcd-a9b9-1c00cbac2dac.jsonl`;
const NO_FEEDBACK = `${ERK}/59bd23f4-2589-4b6d-b1dd-7b38ae1ce8e8.jsonl`;
const DUPLICATE_CHECK = `${ERK}/8128346d-e674-4ca1-9be1-5387bfa72ca7.jsonl`;
const REVIEW_REMOVAL = `${ERK}/998201d9-518a-4062-8157-27cb46567fa1.jsonl`;
const PUSH =
  "claude-code/chiphuyen+sniffly/tests/mock-data/-Users-chip-dev-ai-music/fed8ce56-bc79-401f-a83e-af084253362f.jsonl";
const EPISODIC = "claude-code/obra+episodic-memory/test/fixtures";
const TENTATIVE = `${EPISODIC}/tiny-conversation.jsonl`;
const SUMMARISED = `${EPISODIC}/short-conversation.jsonl`;
const CONTEXT_USAGE =
  "claude-code/simonw+claude-code-transcripts/specs/001-display-readable-context-output/examples/sample-context-session.json";
const HELLO_WORLD = "claude-code/simonw+claude-code-transcripts/tests/sample_session.jsonl";
const VSCODE_VERSION = "opencode-export/savekirk+session-bridge/13_dddd416599_2_full.jsonl";
const LICENCE = "opencode-export/savekirk+session-bridge/13_dddd416599_3_full.jsonl";
const SURVEY = "opencode-export/savekirk+session-bridge/29_dbfeaf9083_0_full.jsonl";
const UNFINISHED = "opencode-export/eitatech+gatomia-vscode/04_3777f29eaf_0_full.jsonl";
const COMPOSER = "opencode-export/eitatech+gatomia-vscode/05_9c46747b87_0_full.jsonl";
const KANBAN = "opencode-export/eitatech+gatomia-vscode/33_a5543b191b_0_full.jsonl";
const TASK_CARD = "opencode-export/eitatech+gatomia-vscode/e8_b9fab6ea95_0_full.jsonl";
const FORMAT_SCRIPT = "opencode-export/The-Best-Codes+bestcodes.dev/c0_ea73dac434_0_full.jsonl";

export const heldOut: readonly SnippetLabel[] = [
  keep(
    "error_reasoning",
    CLI_LATENCY,
    [52, 62],
    "A timeout of zero means to wait for ever, which is why each command hangs on exit; it gets a bound.",
  ),
  keep(
    "decision_rationale",
    CLI_LATENCY,
    [167, 172],
    "Lost telemetry is accepted for a quick exit, and the silent logger is explained.",
  ),
  keep(
    "learning_pattern",
    CLI_LATENCY,
    [179, 183],
    "The encoder has no option for a newline at the end; it is appended.",
  ),
  pass(CLI_LATENCY, [85, 94], "An interface lacks one method, then the next."),

  keep(
    "error_reasoning",
    STATUS_COMMAND,
    [188, 195],
    "Integration tests compare with case, and the words of the output are capitalised now.",
  ),
  keep(
    "error_reasoning",
    STATUS_COMMAND,
    [244, 259],
    "Fixes had no effect since they went into another checkout than the one that is tested.",
  ),
  keep(
    "error_reasoning",
    STATUS_COMMAND,
    [305, 311],
    "A default that is set before decoding is overwritten by an empty value; the fallback has to come after.",
  ),
  pass(STATUS_COMMAND, [8, 17], "A search in a folder that does not exist, then in one that does."),

  keep(
    "error_reasoning",
    DATE_CHANGE,
    [24, 30],
    "One path is made from an id with today's date, the other from the id as it was; both get the second.",
  ),
  keep("error_reasoning", DATE_CHANGE, [81, 87], "What the earlier fix of the same bug overlooked."),
  keep(
    "decision_rationale",
    DATE_CHANGE,
    [108, 112],
    "A function that invites the bug is removed and not deprecated, since nobody outside calls it.",
  ),
  pass(DATE_CHANGE, [176, 185], "Checking once more that all is well."),

  keep(
    "error_reasoning",
    SESSION_CONFLICT,
    [16, 17],
    "How a commit without changes makes the next session refuse to start, and the fix.",
  ),
  keep(
    "decision_rationale",
    SESSION_CONFLICT,
    [137, 137],
    "What is lost and what is kept when the starting checkpoint goes, and why that is a fair price.",
  ),
  keep(
    "error_reasoning",
    SESSION_CONFLICT,
    [171, 172],
    "Why both strategies had the bug, and where the count is raised and where not.",
  ),
  pass(SESSION_CONFLICT, [94, 96], "Talk about which tools there are."),

  keep(
    "decision_rationale",
    AUTHORIZE_QUERY,
    [56, 61],
    "Ways to treat a query on the path and a page that promises too much, and which the user takes.",
  ),
  keep("decision_rationale", AUTHORIZE_QUERY, [103, 103], "The guard stands where no caller can go round it."),
  keep(
    "decision_rationale",
    AUTHORIZE_QUERY,
    [126, 130],
    "A version without a tag is still open, so the entry goes into it.",
  ),
  pass(AUTHORIZE_QUERY, [131, 136], "A text to replace was quoted wrongly, then rightly."),

  keep(
    "decision_rationale",
    TIMERS,
    [4, 4],
    "The user weighs two stores and says why the simple one will do for lists this small.",
  ),
  keep(
    "error_reasoning",
    TIMERS,
    [120, 125],
    "A task that tracks what it writes runs for ever; saving moves to the actions.",
  ),
  pass(TIMERS, [110, 114], "A change of folder that is not allowed, tried twice."),
  pass(TIMERS, [115, 118], "No diagnostics for a folder are taken for proof that it compiles."),

  keep(
    "error_reasoning",
    SCOPING,
    [10, 19],
    "A variable is set in one branch and used in both; the use moves into the branch.",
  ),
  keep("error_reasoning", SCOPING, [34, 35], "The commit says what was wrong and why."),
  keep("error_reasoning", SCOPING, [36, 41], "The batch command refuses its input; the command for one thread works."),
  pass(SCOPING, [23, 28], "A line was two characters too long."),

  keep(
    "learning_pattern",
    TERNARY,
    [18, 19],
    "Output of a process that timed out can be bytes even when text was asked for.",
  ),
  keep(
    "error_reasoning",
    TERNARY,
    [32, 35],
    "The same input is refused with a dash and backquotes in it and taken without them.",
  ),
  keep(
    "learning_pattern",
    TERNARY,
    [46, 46],
    "Discussion comments have no resolved state, so the classifier keeps reporting them.",
  ),
  pass(TERNARY, [23, 30], "Checks pass and the work is committed."),

  keep(
    "error_reasoning",
    LOG_PANEL,
    [7, 19],
    "The set-up command passes an argument that its callee does not take; what it would make is there already.",
  ),
  keep(
    "decision_rationale",
    LOG_PANEL,
    [22, 22],
    "Why the panel may grow: it only takes what it needs, and its parent scrolls.",
  ),
  pass(LOG_PANEL, [46, 50], "Signals that the work has ended."),

  pass(NO_FEEDBACK, [10, 11], "There was nothing to do."),
  pass(DUPLICATE_CHECK, [33, 33], "The plan, said again."),

  keep(
    "error_reasoning",
    REVIEW_REMOVAL,
    [46, 49],
    "A signal fails since this kind of pull request has no metadata block, which is to be expected.",
  ),
  pass(REVIEW_REMOVAL, [29, 33], "A field that the command does not know; its own message lists those that it does."),

  pass(PUSH, [13, 18], "A call is rejected without a word and then made again."),

  keep(
    "learning_pattern",
    TENTATIVE,
    [1, 2],
    "The user is tired of being asked, and which of their instructions cause it.",
  ),
  keep(
    "learning_pattern",
    TENTATIVE,
    [4, 7],
    "What to put in their place: plain bugs are mended, decisions are discussed.",
  ),

  pass(SUMMARISED, [2, 3], "A summary of somebody else's exercises."),
  pass(WEB_SEARCH, [11, 12], "A list of features that the announcement has too."),
  pass(CONTEXT_USAGE, [4, 4], "How full the context was at that moment."),

  keep(
    "error_reasoning",
    VSCODE_VERSION,
    [732, 1096],
    "A caret range still resolves to newer typings, so that they have to be pinned; the manifest keeps its range.",
  ),
  keep(
    "learning_pattern",
    VSCODE_VERSION,
    [1412, 1649],
    "The test runner takes the newest editor unless its configuration names a version.",
  ),
  pass(VSCODE_VERSION, [577, 731], "The lock file is refreshed and the types are checked."),

  pass(LICENCE, [227, 387], "A licence from a template, with the publisher's name."),
  pass(SURVEY, [562, 634], "A survey of files as they stood that day."),
  pass(UNFINISHED, [281, 373], "A plan, and there the session ends."),
  pass(COMPOSER, [536, 643], "Work is committed and pushed."),
  pass(KANBAN, [755, 838], "A closing report on a document that says it better."),
  pass(TASK_CARD, [644, 727], "A closing report on a document that says it better."),
  pass(FORMAT_SCRIPT, [320, 503], "A text to replace was quoted wrongly, then rightly."),
];

/** Sessions of which all that is worth keeping is labelled: whatever else is suggested there is wrong. */
export const exhaustiveFiles: readonly string[] = [
  SCOPING,
  TERNARY,
  LOG_PANEL,
  NO_FEEDBACK,
  DUPLICATE_CHECK,
  PUSH,
  TENTATIVE,
  CONTEXT_USAGE,
  HELLO_WORLD,
  LICENCE,
  UNFINISHED,
  FORMAT_SCRIPT,
];
