/** Removes from an answer what says where it is from: a session's file, or the store if that is gone. */
export function withoutOrigin(text: string): string {
  return text
    .replaceAll(/"(?:is_archived|gone)":(?:true|false),?/g, "")
    .replaceAll(/"resume":(?:null|"[^"]*"),/g, "")
    .replaceAll(/ · from the store$/gm, "")
    .replaceAll(/^(?:cannot be resumed|resume): .*\n/gm, "")
    .replaceAll(" (from the store)", "");
}
