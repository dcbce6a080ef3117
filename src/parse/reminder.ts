/** Whether a text is nothing but a note of the program to the model, which editors put before a person's words. */
export function isReminderText(text: string): boolean {
  return /^\s*<system-reminder>/.test(text) && text.trimEnd().endsWith("</system-reminder>");
}
