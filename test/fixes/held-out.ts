import type { SessionLabels } from "./label.ts";

/** The part to look at rarely: other sessions, by other people. */
export const heldOut: readonly SessionLabels[] = [
  {
    file: "claude-code/entireio+auth-go/5c7298d0-aeab-4312-b0db-9432417ff7b8.jsonl",
    failures: [
      {
        call: "toolu_016uWDJ3Wzt3c3rkKdamwE5Y",
        fix: "toolu_01ARzNBHgsH7saa66QDgn3FN",
        steps: [],
        why: "The text to replace was wrong; the same change with a shorter text works.",
      },
    ],
  },
  {
    file: "claude-code/entireio+auth-go/9b138c7e-bf80-4a5d-af75-e52fc19a2db5.jsonl",
    failures: [
      {
        call: "toolu_016zjEqsf6VutZ9cTBroynU3",
        fix: "toolu_01CmVAtTrvsPBfrJz2gvVLDq",
        why: "Meant to show that the test fails without the change; stashing could not undo it, the old file from git does.",
      },
    ],
  },
  {
    file: "claude-code/entireio+cli/130d7b7e-5801-4345-9bd6-f32fd9b8429b.jsonl",
    failures: [
      {
        call: "toolu_01TSv4j5uvPdDqVVDML1CA4g",
        fix: "toolu_01Dna2QUweyEqnb5CBhLzDk4",
        steps: [
          "toolu_01U79M3VL5Z92B2V6WCjpgpk",
          "toolu_01PSyVPoSQsHXonoDqpErACk",
          "toolu_01AKK2hm3jXwa2zYMkkgRQCd",
          "toolu_01Ti7PxaL6FhpFRyrHpqJPuL",
          "toolu_01FAXwE2Fna1rP9Rju93TGpZ",
        ],
        why: "Lint fails on code; the same line passes after edits.",
      },
    ],
  },
  {
    file: "claude-code/entireio+cli/3b1b6293-65e1-4c3e-9f95-d530143332f2.jsonl",
    failures: [
      {
        call: "toolu_014LbA2cvSP5V1nDGXp4YRpE",
        fix: "toolu_01WCJMoULmX5yceRkbqXsvYf",
        also: ["toolu_018j1bThviDqwtpsFwgZXgyD"],
        steps: [],
        why: "Unknown flag; the list of changed files by another flag. The whole diff was asked for in the same turn to the same end, so it is accepted too.",
      },
    ],
  },
  {
    file: "claude-code/entireio+cli/4fec7ea0-3335-43ec-a178-d4ab47d5aef3.jsonl",
    failures: [
      {
        call: "toolu_01AL8kmHrFWL43PbCfgwjUSp",
        fix: "toolu_01TvpVX3c6Niy9KYdUmJvKR2",
        also: ["toolu_01Wgf7hFzN2NV4P8rUUyK5Dt"],
        steps: ["toolu_0112mFU9zNbAYEnTqcDwTdYM"],
        why: "Tests do not build; the first run seen to pass. The run before it goes through a grep that shows nothing; it passed too, so it is accepted.",
      },
      {
        call: "toolu_01SGzjeiTYkEDimLYp1JobhY",
        fix: "toolu_01TvpVX3c6Niy9KYdUmJvKR2",
        also: ["toolu_01Wgf7hFzN2NV4P8rUUyK5Dt"],
        steps: ["toolu_01CuhzXezHVUdExt1vwsnRav", "toolu_016DpXVbXGT2gJtxRihEkNub"],
        why: "A test fails; as before.",
      },
      {
        call: "toolu_01VjdPzDMTtVvw3XVt5XYiru",
        fix: "toolu_01XhTdhNgwwv8pB2t1jwPfF5",
        steps: [],
        why: "A test was to go to the end of the file and the text to replace was wrong; the shell appends the same test to the same file.",
      },
      {
        call: "toolu_01KKttMiFPZmBiMJ7jNgZ6jq",
        fix: "toolu_01PUfSm9Fn2zgczZbm3MhLMs",
        steps: [],
        why: "Wrong directory; the same test first passes two runs later.",
      },
      {
        call: "toolu_014Hzdtjuq7ua63iEu9pkTNS",
        fix: "toolu_01PUfSm9Fn2zgczZbm3MhLMs",
        steps: ["toolu_01SimumEbHk6qJXPfTFXZVRx"],
        why: "The test fails; it passes after edits.",
      },
      {
        call: "toolu_014nT7rvWwuN8Ktq3cq51gFD",
        fix: "toolu_01PUfSm9Fn2zgczZbm3MhLMs",
        steps: ["toolu_01CfyoJuDaDU6kKveCaM1Q4D"],
        why: "The test does not build; it passes after the next edit.",
      },
      {
        call: "toolu_01FmjpgmjRYsRrTqn3AZmBoh",
        fix: "toolu_01ChiyX7jrWdLXWK6WzZ826u",
        steps: [],
        why: "No Go files where the shell stood; the attribution tests pass by package path.",
      },
      {
        call: "toolu_016H4bFeB4oDgAvTPfrnWmKp",
        fix: "toolu_01268VECrazXiGat7zgXXV1b",
        also: ["toolu_01SFvMkd2uuRTN6cg4PANnd8"],
        steps: ["toolu_01Hcpqigh5g5eW6wvUNMhpXL", "toolu_01Kd5mggixcM8s4yNbV1SCFf", "toolu_019YBUeJyAsZc5VbJgx2qDf7"],
        why: "Tests passed, lint failed on code; lint alone passes after edits, and the tests, run next, complete the line.",
      },
    ],
  },
  {
    file: "claude-code/entireio+cli/a2b25ca9-1cbb-41d7-a3b1-89c66f8697f9.jsonl",
    failures: [
      {
        call: "toolu_01Gnhk467BT3TtFe3jW5y5X1",
        fix: "toolu_01QZs3coAHrm7iqPoq1DsLBq",
        why: "A guessed path; the same search in the directory above it.",
      },
    ],
  },
  {
    file: "claude-code/entireio+cli/cc432c40-914a-4c1a-a972-0103199a736a/04_ba_59c426c910_0.jsonl",
    failures: [
      {
        call: "toolu_01L7vagxqwpNZvetLXqVuACP",
        fix: "toolu_01R2bSYrJDUwY52WaKBwgZQR",
        steps: ["toolu_01Qwf25H2LMwJGNPdqpTFQyH"],
        why: "Lint fails on code; passes after an edit, in one line with the tests.",
      },
    ],
  },
  {
    file: "claude-code/dagster-io+erk/.erk/session/34f7bf16-272a-4bcd-a9b9-1c00cbac2dac.jsonl",
    failures: [
      {
        call: "toolu_01LuQmVXBjL7ejnPhhk4r6DT",
        fix: null,
        why: "Crash in the command; found to be needless and not run again.",
      },
    ],
  },
  {
    file: "claude-code/dagster-io+erk/.erk/session/998201d9-518a-4062-8157-27cb46567fa1.jsonl",
    failures: [
      {
        call: "toolu_01TFWz14vuRdewNtNDD3pWy9",
        fix: "toolu_01HeCBctoVBECuiSmAv8HP3e",
        steps: [],
        why: "Unknown field; the same question without it.",
      },
    ],
  },
  {
    file: "claude-code/dagster-io+erk/.erk/session/acd9feaa-2f31-4b9c-a1a8-8d4620a8761d.jsonl",
    failures: [
      {
        call: "toolu_011e11WkCD82v4PLHtmDmTp1",
        fix: "toolu_019ToVEZQKqV6du9gjng8SXk",
        steps: ["toolu_01S9KhqN5uDb2oMJJsrUqGVP"],
        why: "Edit refused as unread; the same edit works after a read.",
      },
      {
        call: "toolu_01DziNP8PCwbQe5vgCqaEop1",
        fix: "toolu_014fkSJQ5VsUinxVRHwAJtzy",
        steps: ["toolu_01QH5UuT8ojShCiNFbWQr2Wb"],
        why: "The check fails; the same check passes after what it asked for was done.",
      },
      {
        call: "toolu_015kTZ4WSj2jt4psAYejDa6z",
        fix: "toolu_01QH5UuT8ojShCiNFbWQr2Wb",
        why: "The directory was not tracked by git; plain rm removes the same directory.",
      },
    ],
  },
  {
    file: "claude-code/d-kimuson+claude-code-viewer/mock-global-claude-dir/projects/sample-project/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl",
    failures: [
      {
        call: "toolu_01LM7vfs6eMdhHJokVajzJA1",
        fix: null,
        why: "Permission was not there and not asked for again; nobody refused it.",
      },
    ],
  },
  {
    file: "claude-code/d-kimuson+claude-code-viewer/mock-global-claude-dir/projects/sample-project/5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl",
    failures: [
      {
        call: "toolu_018t5jce2ZNoGr2ADsHGQife",
        fix: "toolu_01LKfUwrsnof18CpWZQcJH44",
        steps: [],
        why: "A parameter was missing; the same task is started with it. The task started beside the failed one is another.",
      },
      {
        call: "toolu_01KDiLyJT1VsszVhG4d3p6jV",
        fix: null,
        why: "The option was misread as a path; the agent goes on with what was printed.",
      },
      {
        call: "toolu_019ctBEHhLKehUi4xPDkYwvc",
        fix: "toolu_018awfyyafbNVMNu6kfSRuKi",
        steps: ["toolu_01YGfgPmLThZtkbtqRpvYMVW"],
        why: "Edit refused as unread; MultiEdit of the file makes this and more changes.",
      },
    ],
  },
  {
    file: "claude-code/slopus+happy/dev-environment/example-claude-code-sessions/f0b4ca22-f8e4-4c07-a952-8302b638e125.jsonl",
    failures: [
      {
        call: "toolu_013nEbfJXqVMrjMdJM9GFVC5",
        fix: "toolu_01UShyseu5yqji56wmhdvPVK",
        steps: [],
        why: "An ambiguous text to replace; the whole file is written anew with these changes.",
      },
      {
        call: "toolu_01SRWVohRE5kcB8nHVj8uMDS",
        fix: null,
        why: "The directory was not allowed; the server is never started.",
      },
      {
        call: "toolu_01AhFjMkeBHchUJinSfoo6mo",
        fix: null,
        why: "The directory was not allowed; the editor's diagnostics are asked instead of lint.",
      },
      {
        call: "toolu_01SAMk2oBtJYVACjr36Kkaxy",
        fix: "toolu_01QhojSbNBv1HJXKU2HWs8gZ",
        steps: [],
        why: "An ambiguous text to replace; the edit with more context works. A later edit with the very same text is for another function.",
      },
    ],
  },
  {
    file: "opencode-export/eitatech+gatomia-vscode/cd_5076cd9951_0_full.jsonl",
    failures: [
      {
        call: "call_MHxtNXg3UEI3N0g5V1NGRzg1QlQ",
        fix: "call_MHxVb3oyYnNvTXR0bGdKZDNlYjM",
        steps: [],
        why: "A parameter was missing; the same command with it.",
      },
    ],
  },
];
