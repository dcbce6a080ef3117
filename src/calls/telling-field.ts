/** Fields of a call's input that say what it does, most important first. */
const TELLING =
  "command cmd file_path filePath notebook_path pattern query path url description skill name title subject prompt".split(
    " ",
  );

/** Returns the most important field of a call's input; undefined if it has none of those known. */
export function mostTelling<Field>(
  fields: readonly Field[],
  nameOf: (field: Field) => string | null,
): Field | undefined {
  const place = (field: Field): number => TELLING.indexOf(nameOf(field) ?? "");
  return fields.filter((field) => place(field) !== -1).toSorted((a, b) => place(a) - place(b))[0];
}
