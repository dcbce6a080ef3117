import type { SessionLabels } from "./label.ts";

/** The part that an algorithm may be tuned on. */
export const tuning: readonly SessionLabels[] = [
  {
    file: "claude-code/d-kimuson+claude-code-viewer/mock-global-claude-dir/projects/sample-project/fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl",
    failures: [
      {
        call: "toolu_01KomxuRAPQe1GetDWrXmx2V",
        fix: "toolu_01RU9a5XhCJLTFDUCM5rCMxy",
        steps: ["toolu_01XyCC8TuM6yToDSjYTdpnHj"],
        why: "Edit refused because the file was unread for this agent; the same edit of the file works once it was read.",
      },
      {
        call: "toolu_011M1FDmTQAU95dd8BNNteiW",
        fix: "toolu_01RU9a5XhCJLTFDUCM5rCMxy",
        steps: ["toolu_01XyCC8TuM6yToDSjYTdpnHj"],
        why: "The refused edit repeated without a read; works after the read.",
      },
      {
        call: "toolu_01EAqGij3DoXjmkFe395QYPA",
        fix: null,
        also: ["toolu_01Cj3ToLVwQiDPgKCsGK3rku"],
        why: "The exports never reach this file: it still reads without them at the end. Doubtful because the shell later writes types/index.ts, but from another directory, so to another file.",
      },
      {
        call: "toolu_01Hufq5PmqFz31DEYp88JUN5",
        fix: null,
        also: ["toolu_01Cj3ToLVwQiDPgKCsGK3rku"],
        why: "As the call before: the later shell write goes to the same relative name in another directory.",
      },
      {
        call: "toolu_013Eef4xqdxJNqPXe13yeakM",
        fix: null,
        also: ["toolu_01Cj3ToLVwQiDPgKCsGK3rku"],
        why: "As before, tried with MultiEdit.",
      },
      {
        call: "toolu_01CK5HgKwqNU4viVtF21eESx",
        fix: null,
        also: ["toolu_01Cj3ToLVwQiDPgKCsGK3rku"],
        why: "As before, tried with Write.",
      },
      {
        call: "toolu_013pTcSZg4tDiEXHJtYS8YiD",
        fix: "toolu_01LG8tRAuVBRT55yxPTycSJx",
        steps: [],
        why: "Listing of a directory that is not there; the same listing works behind a mkdir of it.",
      },
      {
        call: "toolu_01Xj6j41CPBrtuRzFMy1g8z7",
        fix: null,
        also: ["toolu_01AzqmB5ZxZEs32uuHW2uifV"],
        why: "Write refused as unread, then given up. Doubtful because the shell writes the same content to types/state.ts, in another directory.",
      },
      {
        call: "toolu_01M2nXw1qH4xKove26LBen4X",
        fix: null,
        also: ["toolu_01AzqmB5ZxZEs32uuHW2uifV"],
        why: "The refused Write repeated; as before.",
      },
      {
        call: "toolu_017qRQtijd2ho71XwmhmE3F5",
        fix: null,
        why: "The README is never written; a README elsewhere later is another file.",
      },
      {
        call: "toolu_01YLWsA5yCkRgLHVQJLvGcga",
        fix: "toolu_01Q7eLAQ19hbGRdUzGrU3xbP",
        also: ["toolu_01BcrGjeQXxFgSSaa9zpCJQb"],
        steps: [],
        why: "The shell stood inside the directory; the listing works from its parent. The `pwd && ls` before it lists the very directory, so it is accepted too.",
      },
      {
        call: "toolu_01YM1D8FExjvkXgdkHwPVzQY",
        fix: "toolu_01SVXC5jDiWnsPXq2C1ooc8G",
        steps: ["toolu_01S32MnkYrukXN9L3TTPje5F"],
        why: "Type check fails on code; the same command passes after an edit.",
      },
      {
        call: "toolu_01D31EGdFVQHVhKAbh4MMSNf",
        fix: "toolu_01S32MnkYrukXN9L3TTPje5F",
        steps: ["toolu_014KRfqpu2zieEKRLR963SHd"],
        why: "Edit refused as unread; MultiEdit of the file makes this and more changes.",
      },
      {
        call: "toolu_01LmQjk73EEBPeCPZnEoJFE9",
        fix: "toolu_014rpH6VcGp3TF5PPMzAhmbQ",
        why: "Read of a directory; `ls` of the same directory shows what was asked.",
      },
      {
        call: "toolu_018YP8EsGUMkNUik7cMsXEaL",
        fix: null,
        also: ["toolu_01EmMe3SYTjTjQBy6w8HVNkf"],
        why: "A grep without a hit. Doubtful because a later find by name looks for the same hook.",
      },
      {
        call: "toolu_01A6sqAjDv71DW7jVo1Q8pxk",
        fix: null,
        why: "The write is refused each time and given up; a new file with another name is written instead.",
      },
      { call: "toolu_017KJGPgs537xQRbTujXTrfr", fix: null, why: "As before: given up for another file." },
      { call: "toolu_016LtTvdDhRJhJ5Mvm6V7QA5", fix: null, why: "As before, tried with Edit." },
      { call: "toolu_01ARH886UKAiM4ZYwhYjUAXH", fix: null, why: "As before, tried with MultiEdit." },
      {
        call: "toolu_01CSi16ZXnnQne2EuM8ZxNB4",
        fix: null,
        why: "The build never passes; the development server is started instead.",
      },
      { call: "toolu_01EThVZotbk7xiuWTxGByr79", fix: null, why: "As before: the build never passes." },
      { call: "toolu_014dpyR6f5VnFfPg7Anv8S34", fix: null, why: "As before: the build never passes." },
      { call: "toolu_01DH2JFs47ZjoYNAsu6HcsL1", fix: null, why: "As before: the build never passes." },
    ],
  },
  {
    file: "claude-code/entireio+cli/cde341db-b80a-44f5-b0f2-94db2ef7a164.jsonl",
    failures: [
      {
        call: "toolu_012sece8Fj1q3rHdEzLCdWai",
        fix: "toolu_013cFKGCAWvg5dBSwv6TZQoE",
        why: "A guessed path; the package lives in another file of the same directory, which is then read.",
      },
      {
        call: "toolu_01MRGuKMEn6ePGyJsHit6v9u",
        fix: "toolu_01DySMhjAUbks46uhdgi35hN",
        steps: ["toolu_01KXcQtqRDrngxC8YYjVMqCL"],
        why: "Format passed, lint failed on code; lint alone passes after the edit. The whole line passes only much later, for other changes.",
      },
      {
        call: "toolu_01Lw46tLja6MfbTebnqQY2dW",
        fix: "toolu_01KQQxgHCb2FDsHu7CjaZ8g5",
        why: "Shell could not parse the line; the same grep with quotes finds the method.",
      },
      {
        call: "toolu_016DDuxEdDyBCcxBURQW7eae",
        fix: "toolu_01JqXNfCied1Su7pGsW9f8Ua",
        also: [null],
        why: "Shell could not parse the line; `go doc` then prints the type that was searched. Doubtful because the target is the type and not the file.",
      },
      {
        call: "toolu_015mojdp4B8WiFohzeDuyfYD",
        fix: "toolu_01JqXNfCied1Su7pGsW9f8Ua",
        also: [null],
        why: "The type is in another file, so grep finds nothing; `go doc` prints it. Doubtful as the one before.",
      },
      {
        call: "toolu_01T2AzmWuoYcCnkTk9bPTEEj",
        fix: "toolu_01HFWPKYE44NzL3pGkrRGMjk",
        steps: ["toolu_01WdJxNVttJJPTt2G9Ze2Hqf"],
        why: "Lint fails on code; the same line passes after two edits.",
      },
      {
        call: "toolu_01JaECEaLMSuAVep8vRrq3BA",
        fix: "toolu_01HFWPKYE44NzL3pGkrRGMjk",
        steps: ["toolu_01PFu7CArsbFb4f65Farz7rd"],
        why: "Lint fails on code again; the same line passes after the next edit.",
      },
      {
        call: "toolu_01XApZGRLY6BvEdPX4hzk18v",
        fix: "toolu_01NbURJUjj8jZkihft8CB7tH",
        steps: [],
        why: "Shell could not parse `time` after an assignment; the same build and run without it shows the times.",
      },
    ],
  },
  {
    file: "claude-code/dagster-io+erk/.erk/session/13ca5a3a-9e05-4de2-9453-f694ec3019ef.jsonl",
    failures: [{ call: "toolu_01Ws6D56Fr5x2PL1EgagExCf", fix: null, why: "Said to be not critical and left." }],
  },
  {
    file: "opencode-export/The-Best-Codes+bestcodes.dev/c0_ea73dac434_0_full.jsonl",
    failures: [
      {
        call: "fc-2ae5f73b-9d76-4783-a454-3a0d2af35dd6",
        fix: "fc-1fcb7ba1-4e42-40d2-812a-612862ae3a6f",
        steps: [],
        why: "The text to replace was not quoted as it stands; the edit with the right text works.",
      },
    ],
  },
  // The host records these as completed; the exit code or the tool `invalid` tells. Call ids are used several times.
  {
    file: "opencode-export/The-Best-Codes+bestcodes.dev/0c_360aa9943d_0_full.jsonl",
    failures: [
      {
        call: "functions.bash:2#1",
        fix: "functions.bash:0#4",
        steps: ["functions.bash:2#2"],
        why: "Type errors in generated files; the same command passes after they were removed.",
      },
      { call: "functions.bash:3", fix: "functions.bash:0#3", why: "As before." },
      { call: "functions.bash:4", fix: "functions.bash:0#5", why: "As before." },
      {
        call: "functions.bash:0#2",
        fix: "functions.bash:0#3",
        steps: ["functions.bash:2#2"],
        why: "The check with a laxer option; the strict one passes after the files were removed.",
      },
      {
        call: "functions.bash:1#2",
        fix: "functions.bash:2#2",
        also: [null],
        why: "Input that was cut off; the words before it name the command that follows. Doubtful because the call itself does not say what it was to do.",
      },
    ],
  },
];
