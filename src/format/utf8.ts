/** Bytes of a file as text. */

/** A longer text might not fit into a string. No entry of ours comes near it. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of one section or line, bytes that are not UTF-8 as U+FFFD. Undefined if it is too long to be one. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return bytes.length > MAX_TEXT_BYTES ? undefined : decoder.decode(bytes);
}
