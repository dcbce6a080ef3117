/**
 * Passages of another project than all the others: github.com/marot/spotter (MIT), its `test/fixtures/transcripts`. They
 * were labelled before the rules ran on them and measured once; a few rules were changed after that. The files are not
 * part of the corpus: where they do not lie beside it, under these names, this part is not measured.
 */
import { keep, pass, type SnippetLabel } from "./label.ts";

const SPOTTER = "claude-code/marot+spotter/test/fixtures/transcripts";
const ANNOTATIONS = `${SPOTTER}/258c7280-ae70-4798-800f-63464d01a85d.jsonl`;
const RENDERER = `${SPOTTER}/8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl`;
const LIFECYCLE = `${SPOTTER}/fa812bfe-b295-4cca-9c2f-fdf01028cb46.jsonl`;
const UNIFIED = `${SPOTTER}/4d5611e5-241a-462a-8d15-5122611a9569.jsonl`;
const TRACING = `${SPOTTER}/ae4a77f8-aedd-4bc1-888f-c94edc91af04.jsonl`;

export const elsewhere: readonly SnippetLabel[] = [
  keep(
    "error_reasoning",
    ANNOTATIONS,
    [168, 198],
    "The database cannot alter a column, so the generated migration is rewritten.",
  ),
  keep("error_reasoning", ANNOTATIONS, [199, 289], "Stale builds of a dependency; compiling it anew helps."),
  keep("error_reasoning", ANNOTATIONS, [708, 735], "A column without a default cannot be added where rows exist."),
  keep(
    "error_reasoning",
    ANNOTATIONS,
    [931, 1142],
    "What a first test of a live view needs: imports, an endpoint, a parser, a shared sandbox.",
  ),
  keep("decision_rationale", ANNOTATIONS, [1223, 1256], "The layout shows no messages, so the page does it itself."),
  keep(
    "learning_pattern",
    ANNOTATIONS,
    [1472, 1482],
    "What a hook has to print to add context at the start of a session.",
  ),
  keep(
    "decision_rationale",
    ANNOTATIONS,
    [1691, 1706],
    "How a launch is tested where the program to launch may be absent.",
  ),
  pass(ANNOTATIONS, [486, 523], "Waiting for a build."),
  pass(ANNOTATIONS, [608, 624], "A branch without an upstream."),

  keep("decision_rationale", RENDERER, [120, 135], "The plan for the renderer, approved and carried out."),
  keep(
    "error_reasoning",
    RENDERER,
    [561, 613],
    "A folder is ignored, yet its files are tracked: they are added by force.",
  ),
  keep("error_reasoning", RENDERER, [784, 805], "The build has to run in its own folder."),
  keep("error_reasoning", RENDERER, [1091, 1162], "A fixture does not hold what its name promises."),
  keep("error_reasoning", RENDERER, [1164, 1356], "What a first test of a live view needs, in another branch."),
  keep(
    "decision_rationale",
    RENDERER,
    [1358, 1364],
    "A field is lost on the way; it is noted and not mended within a task of tests.",
  ),
  keep("learning_pattern", RENDERER, [946, 991], "Errors of the terminal program are caught, so tests need it not."),
  pass(RENDERER, [155, 166], "A linter's complaint."),
  pass(RENDERER, [1392, 1404], "White space in an assertion."),
  pass(RENDERER, [1557, 1573], "A branch without an upstream."),

  keep(
    "error_reasoning",
    LIFECYCLE,
    [394, 577],
    "Linter and compiler contradict each other about an alias within a rescue.",
  ),
  keep("learning_pattern", LIFECYCLE, [828, 849], "The generator writes migrations itself; one by hand is too many."),
  keep(
    "error_reasoning",
    LIFECYCLE,
    [1024, 1066],
    "Without ids in the input every run makes new ones, so nothing is found again.",
  ),
  keep("error_reasoning", LIFECYCLE, [1098, 1122], "The generator names a path behind a symbolic link."),
  keep("decision_rationale", LIFECYCLE, [1272, 1289], "Where a script has to lie to be packaged."),
  pass(LIFECYCLE, [1353, 1374], "Code that was not formatted."),

  keep("decision_rationale", UNIFIED, [381, 381], "Why a state that was not mounted does no harm."),
  keep("learning_pattern", UNIFIED, [840, 864], "The framework makes the handler itself."),
  keep("decision_rationale", UNIFIED, [940, 962], "An element takes one hook, so two become one."),
  keep("error_reasoning", UNIFIED, [1068, 1105], "A folder is ignored, yet its files are tracked."),
  keep("error_reasoning", UNIFIED, [1121, 1209], "A value can never be missing there, so its check is refused."),
  keep(
    "decision_rationale",
    UNIFIED,
    [1247, 1255],
    "Old findings stop a commit: skip the check or mend them, and what the user takes.",
  ),
  keep("decision_rationale", UNIFIED, [1290, 1301], "Why a warning is switched off."),
  keep("error_reasoning", UNIFIED, [1370, 1394], "An error has three parts and not two."),
  pass(UNIFIED, [1470, 1486], "A branch without an upstream."),

  keep(
    "error_reasoning",
    TRACING,
    [177, 330],
    "A function of that name does not exist; the settings have a key for it.",
  ),
  keep("error_reasoning", TRACING, [486, 567], "In which form the exporter is configured."),
  keep("error_reasoning", TRACING, [1093, 1184], "A block cannot be given to a function; it becomes a macro."),
  keep(
    "error_reasoning",
    TRACING,
    [1519, 1640],
    "What was held for a false alarm: the function returns the value itself.",
  ),
  keep("error_reasoning", TRACING, [1658, 1711], "A branch that can never be reached."),
  pass(TRACING, [656, 679], "Code that was not formatted."),
  pass(TRACING, [1343, 1470], "A warning that is fought without being understood."),
];

export const exhaustiveFiles: readonly string[] = [RENDERER, UNIFIED];
