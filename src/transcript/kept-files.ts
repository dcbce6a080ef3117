import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Attachment } from "./format/entry-types.ts";
import { isWithin } from "./files/data-folder.ts";
import { readChunks, type FileSystem } from "./files/file-system.ts";
import { describeFault } from "./files/fault.ts";
import { writeNewFile } from "./files/new-file.ts";
import { given } from "../given.ts";
import { attachmentPath, outputPath } from "./transcript-paths.ts";
import type { RecordingFolder } from "./recording-folder.ts";
import type { HostFile } from "./records.ts";

/** Maximum number of names tried for one file; providers repeat call ids within a session. */
const MAX_ATTEMPTS = 1_000;
/** Largest output that is recorded whole, in bytes. */
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/png", ".png"],
  ["image/jpeg", ".jpg"],
  ["image/gif", ".gif"],
  ["image/webp", ".webp"],
  ["image/svg+xml", ".svg"],
  ["application/pdf", ".pdf"],
  ["application/json", ".json"],
  ["text/plain", ".txt"],
  ["text/markdown", ".md"],
  ["text/html", ".html"],
]);

/** Saves long outputs and attachments in files beside the transcript. */
export class KeptFiles {
  readonly #fs: FileSystem;
  readonly #folder: RecordingFolder;
  readonly #hostOutputs: readonly string[];

  /** `hostOutputs`: folders in which the host keeps the full text of outputs that it shortened. */
  constructor(fs: FileSystem, folder: RecordingFolder, hostOutputs: readonly string[] = []) {
    this.#fs = fs;
    this.#folder = folder;
    this.#hostOutputs = hostOutputs;
  }

  /** Writes the full output of a call to a file. Returns its path, relative to the transcripts folder. */
  keepOutput(sessionID: string, callID: string, text: string): Promise<string> {
    return this.#keep((attempt) => outputPath(sessionID, callID, attempt), Buffer.from(text, "utf8"));
  }

  /**
   * Saves a file that came with a message or a result. Never rejects: if it cannot be saved, the result says why.
   * `redact` is called with the text of text files.
   */
  async keepAttachment(
    sessionID: string,
    file: HostFile,
    redact: (text: string) => Promise<string>,
  ): Promise<Attachment> {
    const about = { mime: file.mime, ...given({ filename: file.filename }) };
    if (!/^\s*data:/i.test(file.url)) return { ...about, url: file.url };
    const data = bytesOfDataUrl(file.url);
    if (!data) return { ...about, missing: "The host's data: URL of it is broken." };
    try {
      const bytes = await this.#redacted(data, file.mime, redact);
      const name = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
      const extension = EXTENSIONS.get(file.mime) ?? "";
      const path = await this.#keep((attempt) => attachmentPath(sessionID, name, extension, attempt), bytes);
      return { ...about, path, bytes: bytes.byteLength };
    } catch (error) {
      return { ...about, missing: `It could not be kept (${describeFault(error).code}).` };
    }
  }

  /** Reads a full output from a host file; undefined if it is too large or cannot be read. */
  async readHostOutput(path: string): Promise<string | undefined> {
    const file = await this.#hostOutput(path);
    if (file === undefined) return undefined;
    try {
      const { size } = await this.#fs.stat(file);
      // A pipe or device has no size, and reading it might not end.
      if (size === 0 || size > MAX_OUTPUT_BYTES) return undefined;
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await this.#read(file, size));
    } catch {
      // The caller records the shortened output, which names the file with the rest.
      return undefined;
    }
  }

  /** Returns the real path of a file in the host's folders; undefined for any other, so that no tool can name a file to read. */
  async #hostOutput(path: string): Promise<string | undefined> {
    const file = await realpath(path).catch(() => undefined);
    if (file === undefined) return undefined;
    for (const each of this.#hostOutputs) {
      const folder = await realpath(each).catch(() => undefined);
      if (folder !== undefined && isWithin(folder, file)) return file;
    }
    return undefined;
  }

  /** Writes under the first name that is free or whose file already has the same bytes. */
  async #keep(nameOf: (attempt: number) => string, bytes: Uint8Array): Promise<string> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const path = nameOf(attempt);
      const fullPath = join(this.#folder.transcripts, path);
      await this.#folder.prepare();
      if ((await writeNewFile(this.#fs, fullPath, bytes)) === "written") return path;
      if (await this.#holds(fullPath, bytes)) return path;
    }
    throw new Error("All names for the file are taken.");
  }

  async #holds(path: string, bytes: Uint8Array): Promise<boolean> {
    const { size } = await this.#fs.stat(path);
    return size === bytes.byteLength && (await this.#read(path, size)).equals(bytes);
  }

  async #read(path: string, size: number): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(readChunks(this.#fs, path, size)));
  }

  async #redacted(bytes: Uint8Array, mime: string, redact: (text: string) => Promise<string>): Promise<Uint8Array> {
    const encoding = textEncoding(bytes, mime);
    if (encoding === undefined) return bytes;
    const copy = Buffer.from(bytes);
    const text = encoding === "utf16be" ? copy.swap16().toString("utf16le") : copy.toString(encoding);
    const redacted = await redact(text);
    if (redacted === text) return bytes;
    return encoding === "utf16be" ? Buffer.from(redacted, "utf16le").swap16() : Buffer.from(redacted, encoding);
  }
}

/** Number of bytes checked to detect UTF-16 without a byte order mark. */
const UTF16_SAMPLE_BYTES = 4096;

/**
 * Returns the encoding for redacting a file's text; undefined if it is not text. Detected from the content, because hosts
 * report `application/octet-stream` for many text files. Unknown encodings are read as `latin1`, since secrets are ASCII.
 */
function textEncoding(bytes: Uint8Array, mime: string): "utf8" | "utf16le" | "utf16be" | "latin1" | undefined {
  const utf16 = bytes.length % 2 === 0 ? utf16Order(bytes) : undefined;
  if (utf16 !== undefined) return utf16;
  if (isUtf8(bytes)) return "utf8";
  const isCalledText = /^text\/|[/+](json|xml|yaml|toml|javascript|sql)\b/.test(mime);
  return isCalledText || !bytes.some(isBinary) ? "latin1" : undefined;
}

/** Detects UTF-16 by its byte order mark, or by the zero in every other byte of Latin text. */
function utf16Order(bytes: Uint8Array): "utf16le" | "utf16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf16be";
  const sample = bytes.subarray(0, UTF16_SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = sample.length / 4;
  if (odd > most && even === 0) return "utf16le";
  return even > most && odd === 0 ? "utf16be" : undefined;
}

/** Control characters that text does not have. Escape and form feed are allowed, as program output has them. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && ![0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b].includes(byte);
}

/** Decodes a `data:` URL (RFC 2397); undefined if it is invalid. */
function bytesOfDataUrl(url: string): Uint8Array | undefined {
  const comma = url.indexOf(",");
  if (comma < 0) return undefined;
  const isBase64 = /;\s*base64\s*$/i.test(url.slice(0, comma));
  const body = percentDecoded(url.slice(comma + 1));
  if (!isBase64) return body;
  const text = body.toString("latin1").replace(/\s+/g, "");
  return /^[\w+/-]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
}

/** Decodes percent escapes; invalid ones stay as they are, as in browsers. */
function percentDecoded(text: string): Buffer {
  if (!text.includes("%")) return Buffer.from(text, "utf8");
  const bytes = Buffer.from(text, "utf8").toString("latin1");
  const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(decoded, "latin1");
}
