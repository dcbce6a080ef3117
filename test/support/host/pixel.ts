const base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The smallest image that opencode accepts: one pixel. */
export const PIXEL = {
  base64,
  bytes: Buffer.from(base64, "base64"),
  url: `data:image/png;base64,${base64}`,
};
