/** Passages to look at while the suggestions are worked on. */
import { keep, pass, type SnippetLabel } from "./label.ts";

const ATTRIBUTION = "claude-code/entireio+cli/4fec7ea0-3335-43ec-a178-d4ab47d5aef3.jsonl";
const TELEMETRY_PAYLOAD = "claude-code/entireio+cli/cc432c40-914a-4c1a-a972-0103199a736a/04_ba_59c426c910_0.jsonl";
const AGENT_LOGGING = "claude-code/entireio+cli/130d7b7e-5801-4345-9bd6-f32fd9b8429b.jsonl";
const SHUTDOWN_REVIEW = "claude-code/entireio+auth-go/b8e4e31b-68d9-4466-9041-84a004d82768.jsonl";
const WAIT_RACE = "claude-code/entireio+auth-go/9b138c7e-bf80-4a5d-af75-e52fc19a2db5.jsonl";
const VIEWER = "claude-code/d-kimuson+claude-code-viewer/mock-global-claude-dir/projects/sample-project";
const TODO_APP = `${VIEWER}/fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl`;
const TODO_DOCS = `${VIEWER}/5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl`;
const EMPTY_REPOSITORY = `${VIEWER}/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl`;
const AI_MUSIC =
  "claude-code/chiphuyen+sniffly/tests/mock-data/-Users-chip-dev-ai-music/ba79134d-b6e9-4867-af0c-6941038c9e4b.jsonl";
const ERK = "claude-code/dagster-io+erk/.erk/session";
const DOC_DRIFT = `${ERK}/13ca5a3a-9e05-4de2-9453-f694ec3019ef.jsonl`;
const PRINT_HELLO = `${ERK}/26efdcc5-de34-4028-a984-9a094a9fa95b.jsonl`;
const NO_FEEDBACK = `${ERK}/32dc54aa-8c69-4eec-94c4-8b2026688179.jsonl`;
const PRINT_SECOND = `${ERK}/4780b26d-b8f7-4029-9088-c81b2e407b1e.jsonl`;
const SYNC_COMMAND = `${ERK}/acd9feaa-2f31-4b9c-a1a8-8d4620a8761d.jsonl`;
const PLAN_SAVE = `${ERK}/61aa9654-e81d-4056-bd62-f3c777e04e73.jsonl`;
const LOG_TEST_DATA = "claude-code/daaain+claude-code-log/test/test_data";
const DECORATORS = `${LOG_TEST_DATA}/representative_messages.jsonl`;
const EDGE_CASES = `${LOG_TEST_DATA}/edge_cases.jsonl`;
const TODO_EXAMPLES = `${LOG_TEST_DATA}/todowrite_examples.jsonl`;
const HAPPY = "claude-code/slopus+happy";
const OVERVIEW = `${HAPPY}/dev-environment/example-claude-code-sessions/c9de1ad3-3355-4392-b91b-6fcf853be4b0.jsonl`;
const ABORTED = `${HAPPY}/packages/happy-cli/src/claude/utils/__fixtures__/permission-prompt-aborted-with-interrupt.jsonl`;
const UPGRADE = "opencode-export/The-Best-Codes+bestcodes.dev/0c_360aa9943d_0_full.jsonl";
const HOOK_MODEL = "opencode-export/eitatech+gatomia-vscode/28_f079c913fa_0_full.jsonl";
const TASK_MODEL = "opencode-export/eitatech+gatomia-vscode/cd_5076cd9951_0_full.jsonl";
const STATUS_BAR = "opencode-export/savekirk+session-bridge/13_dddd416599_1_full.jsonl";

export const tuning: readonly SnippetLabel[] = [
  keep(
    "error_reasoning",
    ATTRIBUTION,
    [30, 37],
    "The user finds that one side reads the index and the other the worktree, and why that credits the wrong author; the fix follows.",
  ),
  keep(
    "error_reasoning",
    ATTRIBUTION,
    [118, 125],
    "Two guards that skip the first prompt, what they hide, and the fallback that was already there.",
  ),
  keep(
    "learning_pattern",
    ATTRIBUTION,
    [201, 211],
    "Trees are compared by the hashes that git keeps, not by reading each file twice.",
  ),
  pass(ATTRIBUTION, [146, 152], "A command that ran in the wrong folder and was repeated."),

  keep(
    "decision_rationale",
    TELEMETRY_PAYLOAD,
    [49, 52],
    "Why other platforms get an empty function behind a build tag: telemetry is best-effort.",
  ),
  keep(
    "error_reasoning",
    TELEMETRY_PAYLOAD,
    [118, 125],
    "A linter that fails only on CI does not know that t.Fatal ends the test; an explicit return helps.",
  ),
  keep(
    "decision_rationale",
    TELEMETRY_PAYLOAD,
    [152, 155],
    "Keys do not go into arguments, where every process list shows them.",
  ),
  pass(TELEMETRY_PAYLOAD, [93, 106], "Asked to fix lint, the linter finds nothing, and a guess follows."),

  keep(
    "decision_rationale",
    SHUTDOWN_REVIEW,
    [32, 49],
    "Two findings of a review weighed: what is true, what is overstated, which advice to take and which not.",
  ),
  keep(
    "error_reasoning",
    SHUTDOWN_REVIEW,
    [79, 94],
    "The printed URL leaked the very value that was elided beside it; the test now puts it there.",
  ),
  keep(
    "error_reasoning",
    SHUTDOWN_REVIEW,
    [96, 111],
    "Shutdown leaves active connections running when its time is over, so a forced close has to follow.",
  ),
  keep(
    "decision_rationale",
    SHUTDOWN_REVIEW,
    [113, 113],
    "Why Close's error is not passed on, why the forced close has no test, why the changelog stays as it is.",
  ),

  keep(
    "decision_rationale",
    WAIT_RACE,
    [32, 44],
    "Which login is used where, and the claim in the old text that was never backed.",
  ),
  keep(
    "error_reasoning",
    WAIT_RACE,
    [58, 85],
    "select chooses at random among ready cases, so a result that is there can lose; it is read again before failing.",
  ),
  keep(
    "learning_pattern",
    WAIT_RACE,
    [116, 133],
    "A regression test for a random outcome loops, and is run against the code before the fix to see it fail.",
  ),
  keep(
    "decision_rationale",
    WAIT_RACE,
    [153, 168],
    "How far a forged callback reaches, and why success may displace an error all the same.",
  ),

  keep(
    "learning_pattern",
    AGENT_LOGGING,
    [163, 169],
    "In which order the active agent is found: settings, detection, default.",
  ),
  pass(AGENT_LOGGING, [66, 83], "A linter wants a constant and gets one."),
  pass(AGENT_LOGGING, [148, 161], "A plan whose first edit the user rejects; it is not carried out."),

  keep(
    "error_reasoning",
    TODO_APP,
    [44, 54],
    "The project generator keeps asking; three ways to answer it fail before one works.",
  ),
  pass(TODO_APP, [77, 87], "An edit is refused since the file was not read, and is made after reading it."),
  pass(TODO_APP, [205, 216], "Files seem lost because the shell had changed its folder."),
  pass(TODO_APP, [402, 416], "The same build fails four times and nobody learns why."),

  pass(TODO_DOCS, [12, 15], "A call without a required parameter."),
  pass(TODO_DOCS, [44, 49], "An edit is refused since the file was not read, and is made after reading it."),

  pass(
    EMPTY_REPOSITORY,
    [25, 29],
    "Writing was not permitted, yet the summary says that the file was made: nothing to learn, and untrue.",
  ),

  keep("learning_pattern", AI_MUSIC, [55, 55], "How the user names environments, with the rule behind it."),
  keep(
    "learning_pattern",
    AI_MUSIC,
    [71, 76],
    "An activated environment does not outlive the command that activates it.",
  ),
  pass(AI_MUSIC, [34, 37], "Talk about a file of placeholders that was just written."),

  keep(
    "learning_pattern",
    DOC_DRIFT,
    [10, 28],
    "Private functions are not named in these documents, since such names change most.",
  ),
  keep(
    "error_reasoning",
    DOC_DRIFT,
    [30, 35],
    "The batch command refuses its input; the command for one thread works.",
  ),
  keep(
    "error_reasoning",
    DOC_DRIFT,
    [44, 49],
    "A diff of 416,000 characters does not fit into the arguments of a process; the step is skipped knowingly.",
  ),
  pass(DOC_DRIFT, [7, 7], "The text of a skill, loaded from the repository on each run."),

  keep(
    "error_reasoning",
    PRINT_HELLO,
    [59, 64],
    "What a module prints ends up in an eval, and the option that the instructions name does not exist; its help has the right one.",
  ),
  pass(PRINT_HELLO, [9, 16], "Looking for a file that has another name by now."),

  pass(PRINT_SECOND, [12, 15], "A signal fails for want of an id; nobody notices and nothing follows."),

  keep(
    "decision_rationale",
    SYNC_COMMAND,
    [36, 36],
    "An option is added against the plan, since the project wants no command that can prompt.",
  ),
  keep(
    "error_reasoning",
    SYNC_COMMAND,
    [50, 66],
    "The check looks at the disk and not at git, so ignored files have to be deleted.",
  ),
  keep("decision_rationale", SYNC_COMMAND, [70, 70], "The summary says again why the option is there."),
  pass(SYNC_COMMAND, [27, 33], "An edit is refused since the file was not read, and is made after reading it."),

  keep(
    "error_reasoning",
    PLAN_SAVE,
    [9, 9],
    "The plan names the cause: an empty argument clears the field that it should fill.",
  ),
  keep(
    "error_reasoning",
    PLAN_SAVE,
    [16, 24],
    "The same cause found in the command, with the form that other callers use.",
  ),
  keep("error_reasoning", PLAN_SAVE, [49, 49], "The same cause and fix in two sentences."),
  pass(PLAN_SAVE, [13, 15], "A signal fails for want of an id; nobody notices and nothing follows."),

  pass(DECORATORS, [10, 10], "What any manual says about decorators."),
  pass(EDGE_CASES, [4, 5], "A failure that was staged to show one."),

  pass(OVERVIEW, [6, 10], "The user wants a plan first, for this one task."),
  pass(ABORTED, [2, 5], "A prompt for permission was closed; no reason is given."),

  keep(
    "error_reasoning",
    UPGRADE,
    [365, 1248],
    "A generated file was stale after an upgrade; clearing the cache cures an error that looks like one of syntax.",
  ),
  pass(UPGRADE, [267, 337], "A list of versions that the manifest has too."),

  keep(
    "decision_rationale",
    HOOK_MODEL,
    [399, 516],
    "Four phases instead of overlapping parts, and how the stored hooks live on.",
  ),

  pass(TASK_MODEL, [496, 703], "A call without a required parameter, made again with it."),
  pass(TASK_MODEL, [1585, 1657], "A closing report: nothing was done but to tick a box."),

  keep(
    "learning_pattern",
    STATUS_BAR,
    [875, 989],
    "The command that opens a view container is named after the container.",
  ),
  pass(STATUS_BAR, [20, 122], "The task, asked twice."),
];

/** Sessions of which all that is worth keeping is labelled: whatever else is suggested there is wrong. */
export const exhaustiveFiles: readonly string[] = [
  SHUTDOWN_REVIEW,
  EMPTY_REPOSITORY,
  AI_MUSIC,
  DOC_DRIFT,
  PRINT_HELLO,
  NO_FEEDBACK,
  PRINT_SECOND,
  SYNC_COMMAND,
  PLAN_SAVE,
  DECORATORS,
  EDGE_CASES,
  TODO_EXAMPLES,
  OVERVIEW,
  ABORTED,
  UPGRADE,
  TASK_MODEL,
];
