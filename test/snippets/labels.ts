/** Labelled passages of public sessions. Where the sessions come from, and what the parts are for: README.md. */
import { keep, pass, type SnippetLabel } from "./label.ts";

/** Sessions that were looked at while the rules were made. */
export const tuning: readonly SnippetLabel[] = [
  keep(
    "error_reasoning",
    "entireio+cli/4fec7ea0-3335-43ec-a178-d4ab47d5aef3.jsonl",
    [152, 179],
    "A new session is begun on another path, which does not count what was there before.",
  ),
  keep(
    "error_reasoning",
    "entireio+cli/03a1382e-ecd5-42c4-b3d4-5c659e165904.jsonl",
    [9, 58],
    "A worktree's index names an object that is gone; which part is damaged, and how it is rebuilt.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/062a8bdd-4322-4ffa-bc38-3e8b8bfb5a56.jsonl",
    [557, 559],
    "Hook types are kept apart for clarity.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/07d86da7-2e39-4276-a0d5-7b46a85b8750.jsonl",
    [195, 206],
    "Which tests are too slow to run here.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/1e0816ef-6f89-4f05-b331-dab09bb14485.jsonl",
    [221, 223],
    "The code exists in another command already and is to be used.",
  ),
  keep(
    "error_reasoning",
    "entireio+cli/1ecba475-5b18-4058-a0cb-e87703f6f792.jsonl",
    [11, 49],
    "Commands print their own errors to stderr, by the project's pattern.",
  ),
  keep(
    "error_reasoning",
    "entireio+cli/2026-01-05-0bb9a2d9-a51e-4d5a-8275-566c766a0ff2.jsonl",
    [396, 409],
    "A store that is made at first use has to be asked for by its getter.",
  ),
  keep(
    "error_reasoning",
    "entireio+cli/2026-01-05-847ff7d2-4a55-44d7-a3f5-a3afd89f1ee1.jsonl",
    [140, 170],
    "Short and long hashes never match, so live sessions count as orphaned.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/2026-01-08-efea9d52-9e4f-4189-8bae-4e8049647900.jsonl",
    [31, 34],
    "What the check has to look at too.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/2026-01-15-0822e04b-5551-4de8-a98a-5660c689e49b.jsonl",
    [47, 50],
    "What the default is, and when it is off.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/2026-01-20-04cd0da1-dee3-4738-8139-524dfe55de83.jsonl",
    [220, 237],
    "Messages have to say what a deletion means.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/2026-01-20-c26d2153-23c8-42ed-ab6c-808579b64e5b.jsonl",
    [89, 95],
    "Who adds the trailer, in either strategy.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/2026-01-22-0cf3db51-1c73-43bb-8d05-dc02739514a5.jsonl",
    [197, 200],
    "Callers do not choose the agent by if and else.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/2026-01-22-48f428f9-72d8-40b2-9594-953019809473.jsonl",
    [39, 57],
    "The name of the package.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/2026-01-22-48f428f9-72d8-40b2-9594-953019809473.jsonl",
    [58, 61],
    "Whose tokens the organisation uses.",
  ),
  pass(
    "entireio+cli/23986045-ec24-48ac-8531-832bf31b9053.jsonl",
    [94, 105],
    "An expectation of a test is brought up to date.",
  ),
  pass("entireio+cli/3ae3ab59-52bc-413d-ad30-02b165c91785.jsonl", [455, 456], "One test of this task is not needed."),
  keep(
    "error_reasoning",
    "entireio+cli/4f8c1176-7025-4530-a860-c6fc4c63a150.jsonl",
    [226, 283],
    "Checkpoints without an agent type need the default agent.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/531e0007-8fdd-4e98-a526-3f675a2b8f16.jsonl",
    [76, 78],
    "The types differ by now and are to be apart.",
  ),
  pass(
    "entireio+cli/58e50d6c-eec7-4ae4-a366-a1aa111d2a6b.jsonl",
    [205, 243],
    "A conflict in a rebase, of these commits only.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/60b38d1e-f048-428b-89da-e5dca96614d4.jsonl",
    [66, 72],
    "Nothing is to be stashed in order to look at it.",
  ),
  keep(
    "error_reasoning",
    "entireio+cli/6dccd523-72ba-4cb2-b043-2422d5fa2cda.jsonl",
    [300, 336],
    "A function calls git, so that the test needs a real repository.",
  ),
  pass("entireio+cli/768de5d6-9fad-475b-8a4f-dfa7ddc01bb0.jsonl", [20, 47], "An expectation of a new test was wrong."),
  keep(
    "error_reasoning",
    "entireio+cli/8dab6c26-fc6b-4cc5-8263-6150b598af24.jsonl",
    [305, 418],
    "A repository made by hand does for the library and not for git itself.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/8ef64fdd-df8c-41f2-ac32-d9471671f062.jsonl",
    [478, 481],
    "In which state a session begins whose state is there already.",
  ),
  pass("entireio+cli/9e2434f3-c800-4ed9-b78e-e494ef59bd78.jsonl", [185, 198], "A guess at what may be wrong."),
  keep(
    "error_reasoning",
    "entireio+cli/aa4038a5-34b6-41e4-8541-9cca654dcbc5.jsonl",
    [183, 395],
    "A line of the old output that others look for was lost.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/b82405ba-a054-4152-bc86-e9b0d4832b68.jsonl",
    [294, 349],
    "Subagents are preferred, to save the context.",
  ),
  pass(
    "entireio+cli/ce99376e-9bff-467b-91ed-b5ae280c1917.jsonl",
    [230, 265],
    "Expectations of tests follow a changed heading.",
  ),
  keep(
    "learning_pattern",
    "entireio+cli/d64b50bb-125b-4b54-867a-e59841e553d8.jsonl",
    [4, 6],
    "How errors are printed, and the exit code of all of them.",
  ),
  keep(
    "error_reasoning",
    "entireio+cli/df93cd9c-8436-49e5-af80-61126ae55a83.jsonl",
    [326, 357],
    "The file has another shape by now, and one of its readers has not.",
  ),
  pass(
    "entireio+cli/fdd24234-3c2a-4958-91ed-59c63b12ba1e.jsonl",
    [304, 317],
    "Expectations of new tests are brought in line with a new heuristic.",
  ),
  keep(
    "decision_rationale",
    "entireio+cli/2026-01-20-c26d2153-23c8-42ed-ab6c-808579b64e5b.jsonl",
    [113, 119],
    "What the document has to say about the trailer instead.",
  ),
  keep(
    "error_reasoning",
    "entireio+cli/aa4038a5-34b6-41e4-8541-9cca654dcbc5.jsonl",
    [462, 570],
    "A session without agent metadata is skipped in silence; there has to be a way back.",
  ),
  keep(
    "learning_pattern",
    "entireio+cli/d64b50bb-125b-4b54-867a-e59841e553d8.jsonl",
    [23, 25],
    "The same rule for errors once more.",
  ),
  pass(
    "entireio+cli/1284c080-f9cd-45f8-9942-ff58f5c517e5.jsonl",
    [935, 943],
    "News of another branch, which says nothing of the refused call.",
  ),
  pass(
    "entireio+cli/1e0816ef-6f89-4f05-b331-dab09bb14485.jsonl",
    [955, 958],
    "A person wants to fetch something first.",
  ),
  pass(
    "entireio+cli/2026-01-21-0cd9edf7-459c-4900-af40-cf2c64dea525.jsonl",
    [164, 167],
    "A person wants to talk first.",
  ),
  pass(
    "entireio+cli/2026-01-16-eb4bcc15-3ff5-4d73-bac5-9bc1d786b2bb.jsonl",
    [259, 304],
    "A compiler names the import that is missing.",
  ),
  pass("entireio+cli/75a1a0f1-e0f8-4f3a-bca5-50167cdf0a53.jsonl", [70, 72], "Not now, for this task."),
];

/** Every suggestion of the sessions of five other projects, as the rules were when they first saw them. */
export const heldOut: readonly SnippetLabel[] = [
  pass(
    "Safecast+safecast-map-MCP/0852daa6-239f-424e-bdd6-79521b1cbc88.jsonl",
    [553, 595],
    "A colour, asked for while something else was refused.",
  ),
  pass(
    "Safecast+safecast-map-MCP/8ea091c9-3998-4d23-aa1f-5732adaea61f.jsonl",
    [3471, 3471],
    "The rule is quoted and is not what is asked for.",
  ),
  keep(
    "learning_pattern",
    "Safecast+safecast-map-MCP/b6847497-f5f3-4b52-a8dd-39eafaa75c69.jsonl",
    [155, 157],
    "The person commits, not the agent.",
  ),
  pass(
    "eitatech+gatomia-vscode/ses_20b57e9a4ffezfCGMGhuR8Hci7.jsonl",
    [2731, 2959],
    "A relative path that was counted wrongly.",
  ),
  pass(
    "eitatech+gatomia-vscode/ses_20b64f036ffewvI8eE28F8zibV.jsonl",
    [2126, 3188],
    "A linter's complaint, and where its exception has to stand.",
  ),
  keep(
    "error_reasoning",
    "eitatech+gatomia-vscode/ses_20bdff5a2ffepIbuoxUn3Q9zc0.jsonl",
    [1310, 2600],
    "One provider takes the files of another, since its condition is too wide.",
  ),
  keep(
    "error_reasoning",
    "eitatech+gatomia-vscode/ses_20c54cd03ffefqDVrSRoVRttbJ.jsonl",
    [2008, 2460],
    "Arguments of an action are one level deeper than they look.",
  ),
  pass("eitatech+gatomia-vscode/ses_2200dec98ffeAAGsw94tLFVYT6.jsonl", [8984, 9955], "A formatter's complaints."),
  pass(
    "eitatech+gatomia-vscode/ses_2200dec98ffeAAGsw94tLFVYT6.jsonl",
    [5895, 7294],
    "A patch that did not apply is made in smaller ones.",
  ),
  keep(
    "error_reasoning",
    "rommeld+leeson/4d03145c-6c93-4e40-8c12-f6025ac20e25.jsonl",
    [244, 340],
    "Agents made while a module loads need the key then; the model is passed at the call.",
  ),
  pass("rommeld+leeson/d3716988-e97a-4b46-85a9-82f65b9a1fc3.jsonl", [7, 9], "What is asked for in this task."),
  keep(
    "error_reasoning",
    "rommeld+leeson/f7cf7a41-2190-40dc-abd9-00ee3860dab2.jsonl",
    [52, 67],
    "The packages are in the virtual environment only, and where an agent keeps its tools.",
  ),
  keep(
    "error_reasoning",
    "dayhaysoos+nimbus/ses_336ebe11bffePlPIwBobiYzDoC.jsonl",
    [13029, 14856],
    "The shell has an old Node; nvm has the right one.",
  ),
  keep(
    "learning_pattern",
    "dayhaysoos+nimbus/ses_336ebe11bffePlPIwBobiYzDoC.jsonl",
    [16401, 16429],
    "The person runs the reviews.",
  ),
  keep(
    "error_reasoning",
    "marot+spotter/8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl",
    [1071, 1443],
    "What tests of a live view need: configuration, a parser, a shared sandbox, a field that was lost.",
  ),
];

/** The same of seven more projects. */
export const heldOutLater: readonly SnippetLabel[] = [
  pass(
    "FSM1+cipher-box/9e4910ab-95a9-4a30-a85e-4677017bfaf0.jsonl",
    [501, 530],
    "A hook says that generated files are not staged, and says what to do.",
  ),
  keep(
    "learning_pattern",
    "FSM1+cipher-box/14255944-5b59-48f2-a75c-0025d518c7ea.jsonl",
    [7, 9],
    "The full schema is a snapshot and stays as it is.",
  ),
  keep(
    "learning_pattern",
    "FSM1+cipher-box/e895bc3d-9e0b-447a-b68d-6ba25013337c.jsonl",
    [116, 123],
    "The tunnel's address is registered elsewhere, so it is not restarted.",
  ),
  keep(
    "learning_pattern",
    "M-Thisness+M-Claude/3cfce0ff-0725-47be-a572-f8af8122b71e.jsonl",
    [502, 504],
    "Hooks are always run.",
  ),
  pass(
    "M-Thisness+M-Claude/abc757d1-3da3-42fb-bb7b-ffa293a4ba29.jsonl",
    [144, 169],
    "The message of a refused push says what is wrong.",
  ),
  keep(
    "learning_pattern",
    "M-Thisness+M-Claude/c76e5be5-ffd2-4901-a935-885527c83a61.jsonl",
    [935, 1009],
    "Commits are signed.",
  ),
  keep(
    "error_reasoning",
    "PackmindHub+context-evaluator/464878eb-4c98-430c-a91b-32b051328dfb.jsonl",
    [295, 315],
    "Tests make their own tables, so that a new column is missing there.",
  ),
  pass(
    "JanDeDobbeleer+oh-my-posh/6b6f4218-0b12-4d55-b930-462903683bea.jsonl",
    [1175, 1197],
    "The message says what the file has to be.",
  ),
  pass(
    "JanDeDobbeleer+oh-my-posh/6c0a282a-886f-458d-a426-93d95104b4a6.jsonl",
    [1081, 1109],
    "A script that counts something, and its next version.",
  ),
  pass(
    "JanDeDobbeleer+oh-my-posh/6c0a282a-886f-458d-a426-93d95104b4a6.jsonl",
    [697, 710],
    "Which model reviews this plan.",
  ),
  pass(
    "JanDeDobbeleer+oh-my-posh/6c0a282a-886f-458d-a426-93d95104b4a6.jsonl",
    [209, 217],
    "Where the code of this task goes, which does not really matter.",
  ),
  keep(
    "learning_pattern",
    "JanDeDobbeleer+oh-my-posh/6b6f4218-0b12-4d55-b930-462903683bea.jsonl",
    [1717, 1717],
    "Tests run once, on the last of the commits.",
  ),
  keep(
    "learning_pattern",
    "stat-guy+imessage-mail/66f8ec73-c22d-4671-81ba-22c60b81f161.jsonl",
    [4, 6],
    "Nothing private is published.",
  ),
  pass(
    "entireio+external-agents/fa55c579-f8ca-4a19-a400-df39f0ab04b5.jsonl",
    [287, 314],
    "A new test that fails before the change that it is for.",
  ),
  pass("entireio+git-sync/7b2777b1-8075-41f4-a62a-cbfc1b76c01b.jsonl", [983, 984], "What a person saw in a log."),
  keep(
    "error_reasoning",
    "entireio+git-sync/b9954e8e-b63a-4a5c-8e73-777034b2a6a6.jsonl",
    [309, 360],
    "A reader that wraps the end of input breaks those who compare it.",
  ),
];
