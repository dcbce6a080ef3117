/** Returns whether a text is only a note of the program to the model, as editors put before the user's text. */
export function isReminderText(text: string): boolean {
  return /^\s*<system-reminder>/.test(text) && text.trimEnd().endsWith("</system-reminder>");
}
