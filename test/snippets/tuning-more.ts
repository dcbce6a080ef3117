/**
 * More passages to look at while the suggestions are worked on, of other sessions than `tuning.ts`. They were labelled
 * before rules ran on them and measured once; then the rules were changed for what they had missed. All that is worth
 * keeping in these sessions is labelled.
 */
import { keep, pass, type SnippetLabel } from "./label.ts";

const CLI = "claude-code/entireio+cli";
const LATENCY = `${CLI}/cde341db-b80a-44f5-b0f2-94db2ef7a164.jsonl`;
const DATE_PREFIX = `${CLI}/b5f6af67-9cd0-42bb-8323-9ac99badee2d.jsonl`;
const TASK_START = `${CLI}/3b1b6293-65e1-4c3e-9f95-d530143332f2.jsonl`;
const STATUS_COMMAND = `${CLI}/a2b25ca9-1cbb-41d7-a3b1-89c66f8697f9.jsonl`;
const QUERY_GUARD = "claude-code/entireio+auth-go/5c7298d0-aeab-4312-b0db-9432417ff7b8.jsonl";
const TIMERS =
  "claude-code/slopus+happy/dev-environment/example-claude-code-sessions/f0b4ca22-f8e4-4c07-a952-8302b638e125.jsonl";
const TASK_TOOL = "claude-code/slopus+happy/packages/happy-cli/src/claude/utils/__fixtures__/task_non_sdk.jsonl";
const ERK = "claude-code/dagster-io+erk/.erk/session";
const LOG_PANEL = `${ERK}/34f7bf16-272a-4bcd-a9b9-1c00cbac2dac.jsonl`;
const DUPLICATE_CHECK = `${ERK}/8128346d-e674-4ca1-9be1-5387bfa72ca7.jsonl`;
const QUIET_MESSAGE = `${ERK}/b170f36b-6748-4b80-ba47-222199564dff.jsonl`;
const TERNARY = `${ERK}/c6e5c318-b2df-4f4e-ae4b-391b510dc37c.jsonl`;
const DONE_BEFORE = `${ERK}/998201d9-518a-4062-8157-27cb46567fa1.jsonl`;
const NO_COMMENTS = `${ERK}/59bd23f4-2589-4b6d-b1dd-7b38ae1ce8e8.jsonl`;
const INSTRUCTIONS = "claude-code/obra+episodic-memory/test/fixtures/tiny-conversation.jsonl";
const SUMMARY = "claude-code/obra+episodic-memory/test/fixtures/short-conversation.jsonl";
const PUSH =
  "claude-code/chiphuyen+sniffly/tests/mock-data/-Users-chip-dev-ai-music/fed8ce56-bc79-401f-a83e-af084253362f.jsonl";
const GATOMIA = "opencode-export/eitatech+gatomia-vscode";
const HOOK_PARTS = `${GATOMIA}/34_0a1e97f1aa_0_full.jsonl`;
const BOARD = `${GATOMIA}/33_a5543b191b_0_full.jsonl`;
const COMPOSER = `${GATOMIA}/05_9c46747b87_0_full.jsonl`;
const CARD = `${GATOMIA}/e8_b9fab6ea95_0_full.jsonl`;
const UNFINISHED = `${GATOMIA}/04_3777f29eaf_0_full.jsonl`;
const BRIDGE = "opencode-export/savekirk+session-bridge";
const EDITOR_VERSION = `${BRIDGE}/13_dddd416599_2_full.jsonl`;
const LICENCE = `${BRIDGE}/13_dddd416599_3_full.jsonl`;
const SURVEY = `${BRIDGE}/29_dbfeaf9083_0_full.jsonl`;
const FORMAT_SCRIPT = "opencode-export/The-Best-Codes+bestcodes.dev/c0_ea73dac434_0_full.jsonl";

export const tuningMore: readonly SnippetLabel[] = [
  keep(
    "decision_rationale",
    LATENCY,
    [19, 37],
    "The lightest way to see where a start takes its time, and how to switch it on.",
  ),
  keep(
    "error_reasoning",
    LATENCY,
    [40, 66],
    "The client waits without end when it is closed, since its timeout is 0 by default.",
  ),
  keep(
    "error_reasoning",
    LATENCY,
    [97, 112],
    "Why the first timeout does not do: the request itself has one of ten seconds.",
  ),
  keep(
    "error_reasoning",
    LATENCY,
    [114, 147],
    "Where the time goes, measured step by step, with misleading figures on the way.",
  ),
  keep("error_reasoning", LATENCY, [158, 164], "What is left after the repair, and what it consists of."),
  keep("decision_rationale", LATENCY, [167, 173], "Why telemetry may be dropped, and why its logger is silent."),
  keep(
    "learning_pattern",
    LATENCY,
    [179, 184],
    "The encoder has no option for a newline at the end, so it is appended.",
  ),
  pass(LATENCY, [25, 30], "A linter's findings in what was just written."),
  pass(LATENCY, [85, 96], "An interface was guessed twice; its documentation has it."),

  keep(
    "error_reasoning",
    DATE_PREFIX,
    [3, 32],
    "One path takes today's date and the other that of the session, with the repair.",
  ),
  keep("error_reasoning", DATE_PREFIX, [91, 91], "The same cause and repair again in full."),
  keep(
    "decision_rationale",
    DATE_PREFIX,
    [96, 126],
    "A function that nothing uses: deprecate or remove, and which the user takes.",
  ),
  pass(DATE_PREFIX, [186, 186], "A closing report."),

  keep("error_reasoning", TASK_START, [17, 17], "A commit without changes makes the next session refuse to start."),
  keep("decision_rationale", TASK_START, [87, 87], "What speaks for the change and what was weighed against it."),
  keep(
    "decision_rationale",
    TASK_START,
    [105, 137],
    "A point to go back to that is rarely of use is given up for a repaired fault.",
  ),
  keep(
    "error_reasoning",
    TASK_START,
    [143, 172],
    "Why both strategies had the fault: neither skips a commit without changes.",
  ),
  keep("decision_rationale", TASK_START, [250, 250], "What a second review found and how heavy it is."),
  pass(TASK_START, [10, 15], "An option that does not exist."),
  pass(TASK_START, [281, 281], "A closing report."),

  keep("learning_pattern", STATUS_COMMAND, [179, 181], "What two functions of similar names do differently."),
  keep(
    "error_reasoning",
    STATUS_COMMAND,
    [188, 203],
    "Tests that run only on the server look for a word in the old case.",
  ),
  keep("error_reasoning", STATUS_COMMAND, [244, 300], "The changes went to another checkout of the same repository."),
  keep(
    "error_reasoning",
    STATUS_COMMAND,
    [305, 321],
    "One of two readers of the settings lacks the default for an empty strategy.",
  ),
  keep("decision_rationale", STATUS_COMMAND, [326, 344], "How the two readers share their code."),
  pass(STATUS_COMMAND, [129, 167], "The user words the wanted output anew."),

  keep(
    "decision_rationale",
    QUERY_GUARD,
    [39, 56],
    "Which finding is a feature, which part of it is not, and what a page may promise.",
  ),
  keep("decision_rationale", QUERY_GUARD, [76, 84], "Where a query is lost, so where the check has to be."),
  keep("decision_rationale", QUERY_GUARD, [94, 104], "Why the check is not in the constructor."),
  keep("decision_rationale", QUERY_GUARD, [126, 135], "Under which version the change is listed, and why."),
  keep("decision_rationale", QUERY_GUARD, [147, 147], "The same choices again with their reasons."),
  pass(QUERY_GUARD, [26, 28], "How to run a review this once."),
  pass(QUERY_GUARD, [112, 118], "A constant that does not exist."),

  keep(
    "error_reasoning",
    TIMERS,
    [120, 125],
    "A task that tracks what it writes runs for ever; saving by hand ends it.",
  ),
  pass(TIMERS, [110, 117], "Folders that may not be entered."),
  pass(TIMERS, [119, 119], "A closing report, and untrue."),

  keep(
    "error_reasoning",
    LOG_PANEL,
    [7, 20],
    "A set-up command passes an argument that is not taken; what it sets up is there already.",
  ),

  keep("error_reasoning", QUIET_MESSAGE, [16, 19], "A variable is set in a branch and used outside of it."),
  keep("error_reasoning", QUIET_MESSAGE, [36, 40], "The command for many refuses its input, that for one works."),
  keep("error_reasoning", QUIET_MESSAGE, [41, 41], "The same fault and repair in a sentence."),
  pass(QUIET_MESSAGE, [23, 29], "A line that was too long."),

  keep(
    "decision_rationale",
    TERNARY,
    [16, 19],
    "When an output is bytes although text was asked for, and how it is written plainly.",
  ),
  keep("error_reasoning", TERNARY, [31, 35], "In which form the command takes its input."),
  keep(
    "learning_pattern",
    TERNARY,
    [44, 46],
    "A comment of this kind is never marked as resolved, so the reply is all there is.",
  ),

  keep("learning_pattern", DONE_BEFORE, [22, 34], "How to see that a plan was carried out by another run."),
  keep(
    "error_reasoning",
    DONE_BEFORE,
    [46, 49],
    "Why a signal fails for plans of this kind, and that it does not matter.",
  ),
  pass(DONE_BEFORE, [28, 33], "A field that does not exist."),

  keep("learning_pattern", INSTRUCTIONS, [1, 2], "Which instructions make the agent ask instead of act."),
  keep("learning_pattern", INSTRUCTIONS, [3, 7], "How they are worded so that it does not."),

  keep("decision_rationale", HOOK_PARTS, [310, 429], "Three documents of a design."),
  pass(HOOK_PARTS, [662, 745], "A closing report."),
  keep("decision_rationale", BOARD, [296, 413], "The model of a board, with its states."),
  keep("decision_rationale", COMPOSER, [294, 411], "A contract between two parts, with its words."),
  keep("decision_rationale", CARD, [294, 411], "What a card shows, and how it is to be read."),

  keep(
    "error_reasoning",
    EDITOR_VERSION,
    [577, 1096],
    "A range goes on resolving to the newer version, so it is pinned.",
  ),
  keep(
    "decision_rationale",
    EDITOR_VERSION,
    [1097, 1649],
    "The test runner is pinned as well, so that both see the same interface.",
  ),
  pass(EDITOR_VERSION, [1879, 1991], "A closing report."),
  pass(SURVEY, [562, 634], "A survey of files as they stood."),
];

export const exhaustiveFiles: readonly string[] = [
  LATENCY,
  DATE_PREFIX,
  TASK_START,
  STATUS_COMMAND,
  QUERY_GUARD,
  TIMERS,
  TASK_TOOL,
  LOG_PANEL,
  DUPLICATE_CHECK,
  QUIET_MESSAGE,
  TERNARY,
  DONE_BEFORE,
  NO_COMMENTS,
  INSTRUCTIONS,
  SUMMARY,
  PUSH,
  HOOK_PARTS,
  BOARD,
  COMPOSER,
  CARD,
  UNFINISHED,
  EDITOR_VERSION,
  LICENCE,
  SURVEY,
  FORMAT_SCRIPT,
];
