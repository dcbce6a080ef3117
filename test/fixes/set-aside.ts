import type { SessionRefusals } from "./label.ts";

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
