import { fileName, tidy, callPath } from "../calls/file-paths.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/**
 * Returns a path to look for: absolute, or a last part that the paths of several files may have, such as a bare name.
 * `~`, `./` and `../` at its beginning become absolute. Throws a `TranscriptsError` if it names no file.
 */
export function wantedFile(path: string, { cwd, home }: { cwd: string; home: string }): string {
  const given = path.trim().replaceAll("\\", "/");
  const isPlaced = /^\.\.?(?:\/|$)/.test(given);
  const wanted = isPlaced ? callPath(given, cwd).full : tidy(given.replace(/^~(?=\/)/, home));
  if (given !== "" && !/^(?:|\.|\.\.|~)$/.test(fileName(wanted))) return wanted;
  const message = `${JSON.stringify(path)} names no file.`;
  throw new TranscriptsError("bad_arguments", message, "Give a path, or a file's name.", { field: "file" });
}
