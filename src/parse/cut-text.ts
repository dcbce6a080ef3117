/** The beginning of a text that has at most `maxBytes` bytes of UTF-8, and the size of the whole if it was cut. */
export function cutText(text: string, maxBytes: number): { text: string; originalBytes?: number } {
  // No character of a JavaScript string has more than 3 bytes.
  if (text.length * 3 <= maxBytes) return { text };
  const originalBytes = Buffer.byteLength(text);
  if (originalBytes <= maxBytes) return { text };
  const bytes = Buffer.from(text);
  let end = maxBytes;
  // Not within a character: its later bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: bytes.toString("utf8", 0, end), originalBytes };
}
