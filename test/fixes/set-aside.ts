import type { SessionLabels, SessionRefusals } from "./label.ts";

/**
 * Failures that the host records as completed: only the exit status or the stand-in tool `invalid` tells. Measured and
 * printed, but in neither part. The session uses its call ids several times.
 */
export const recordedAsCompleted: readonly SessionLabels[] = [
  {
    file: "opencode-export/The-Best-Codes+bestcodes.dev/0c_360aa9943d_0_full.jsonl",
    failures: [
      {
        call: "functions.bash:2#1",
        fix: "functions.bash:0#4",
        why: "Type errors in generated files; the same command passes after they were removed.",
      },
      { call: "functions.bash:3", fix: "functions.bash:0#3", why: "As before." },
      { call: "functions.bash:4", fix: "functions.bash:0#5", why: "As before." },
      {
        call: "functions.bash:0#2",
        fix: "functions.bash:0#3",
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

/** Calls that a person refused or stopped. They are no failures, and nothing fixes them. */
export const refused: readonly SessionRefusals[] = [
  {
    file: "claude-code/chiphuyen+sniffly/tests/mock-data/-Users-chip-dev-ai-music/fed8ce56-bc79-401f-a83e-af084253362f.jsonl",
    calls: [
      { call: "toolu_01DP7Ppp3tvYZZUrUVaNgBmo", why: "Refused by a person." },
      { call: "toolu_01TcrxTGdSCepJ68m2SBY8bo", why: "Queued behind a refused call." },
    ],
  },
  {
    file: "claude-code/entireio+cli/130d7b7e-5801-4345-9bd6-f32fd9b8429b.jsonl",
    calls: [{ call: "toolu_01MNGAGnSPkBBPBkKkoZZQPq", why: "Refused by a person." }],
  },
  {
    file: "claude-code/slopus+happy/dev-environment/example-claude-code-sessions/c9de1ad3-3355-4392-b91b-6fcf853be4b0.jsonl",
    calls: [
      { call: "toolu_018kChuRfGFYFoNQ5uhVGMk5", why: "Interrupted while it ran." },
      { call: "toolu_01CjeaoXnKkca9X8vQCCdsMj", why: "Interrupted at the permission prompt." },
    ],
  },
  {
    file: "claude-code/slopus+happy/packages/happy-cli/src/claude/utils/__fixtures__/permission-prompt-aborted-with-interrupt.jsonl",
    calls: [{ call: "toolu_012zxmcJcS9XBT1g3pbUt1tx", why: "Interrupted at the permission prompt." }],
  },
];
