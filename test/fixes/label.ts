/** Person's judgement of one failed call. The rules are in README.md. */
export interface FailureLabel {
  /** `tool_use_id` of the failed call; `#2` behind it if it is the second call of the session under that id. */
  call: string;
  /** The call that first did what the failed one was meant to do; null if none did. */
  fix: string | null;
  /** Calls before the fix that made the difference: edits and commands. Empty if only the call itself changed. */
  steps?: readonly string[];
  /** In doubt: other answers that are as good, among them null. `why` gives the reason. */
  also?: readonly (string | null)[];
  why: string;
}

/** All failed calls of one session. */
export interface SessionLabels {
  /** Path in the corpus. */
  file: string;
  failures: readonly FailureLabel[];
}

export interface SessionRefusals {
  file: string;
  calls: readonly { call: string; why: string }[];
}

/** Whether `answer` is what the label names or accepts. */
export const accepts = ({ fix, also = [] }: FailureLabel, answer: string | null): boolean =>
  answer === fix || also.includes(answer);

/** Whether a fix must be named: one exists without doubt. */
export const demandsFix = (label: FailureLabel): boolean => label.fix !== null && !accepts(label, null);
