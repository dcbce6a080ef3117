/** Words of the search in an archive: the same for what writes its files and for the script in the browser. */

export const WORD = /[\p{L}\p{N}_]{2,}/gu;

/** Returns the name of the file for words that begin alike. */
export function bucketName(word: string): string {
  return Array.from(word.slice(0, 2))
    .map((char) => (/[a-z0-9_]/.test(char) ? char : `-${char.codePointAt(0)?.toString(16)}`))
    .join("");
}
