/** A value as indented JSON, for the eye. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return "(nested too deep to show)";
  }
}
