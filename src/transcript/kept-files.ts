import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { Attachment } from "../format/entries.ts";
import type { FileSystem } from "../files/file-system.ts";
import { describeFault } from "../files/fault.ts";
import { given } from "./draft.ts";
import { attachmentPath, outputPath } from "./paths.ts";
import type { HostFile } from "./records.ts";

/** Names that are tried for one file before it is given up: providers repeat call ids within a session. */
const MAX_ATTEMPTS = 1_000;
/** Largest file of the host's that is read for the whole text of an output, in bytes. */
export const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const READ_CHUNK_BYTES = 1024 * 1024;

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

export interface KeptFilesOptions {
  fs: FileSystem;
  /** The transcripts folder. */
  root: string;
  join: (...segments: string[]) => string;
  /** Writes a whole new file and makes its folder; "exists" if the name is taken. */
  writeNew: (path: string, data: Uint8Array) => Promise<"written" | "exists">;
}

/** Keeps what is too large or no text for a transcript in files beside it. */
export class KeptFiles {
  readonly #options: KeptFilesOptions;

  constructor(options: KeptFilesOptions) {
    this.#options = options;
  }

  /** Puts the whole output of a call into its file. The path, relative to the transcripts folder. */
  keepOutput(sessionID: string, callID: string, text: string): Promise<string> {
    return this.#keep((attempt) => outputPath(sessionID, callID, attempt), Buffer.from(text, "utf8"));
  }

  /**
   * Keeps a file that came with a message or a result. Never rejects: what cannot be kept is said in the answer.
   * `redact` is asked for the text of files that are text.
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

  /** Size of the file where the host put a whole output; 0 if it cannot be read. */
  async hostOutputBytes(path: string): Promise<number> {
    const facts = await this.#options.fs.stat(path).catch(() => undefined);
    return facts === undefined || facts.isDirectory ? 0 : facts.size;
  }

  /** The whole output, from the file where the host put it; undefined if it cannot be read. */
  async readHostOutput(path: string): Promise<string | undefined> {
    try {
      const { size } = await this.#options.fs.stat(path);
      // Pipes and devices have no size, and could be read for ever.
      if (size === 0 || size > MAX_OUTPUT_BYTES) return undefined;
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await this.#read(path, size));
    } catch {
      // The caller keeps the part that the host handed out, which says where the rest was.
      return undefined;
    }
  }

  /** Writes under the first name that is free, or that holds these very bytes already. */
  async #keep(nameOf: (attempt: number) => string, bytes: Uint8Array): Promise<string> {
    const { root, join, writeNew } = this.#options;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const path = nameOf(attempt);
      const fullPath = join(root, path);
      if ((await writeNew(fullPath, bytes)) === "written") return path;
      if (await this.#holds(fullPath, bytes)) return path;
    }
    throw new Error("All names for the file are taken.");
  }

  async #holds(path: string, bytes: Uint8Array): Promise<boolean> {
    const { size } = await this.#options.fs.stat(path);
    return size === bytes.byteLength && Buffer.from(bytes).equals(await this.#read(path, size));
  }

  async #read(path: string, size: number): Promise<Uint8Array> {
    const handle = await this.#options.fs.openRead(path);
    try {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < size;) {
        const chunk = await handle.read(at, Math.min(READ_CHUNK_BYTES, size - at));
        if (chunk.byteLength === 0) break;
        chunks.push(chunk);
        at += chunk.byteLength;
      }
      return Buffer.concat(chunks);
    } finally {
      await handle.close();
    }
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

/** Bytes that are looked at to detect UTF-16 without a byte order mark. */
const UTF16_SAMPLE_BYTES = 4096;

/**
 * The encoding in which the text of a file is redacted; undefined if it is no text. The content decides: hosts know
 * few types, and call much `application/octet-stream`. Text in an unknown encoding is treated as bytes (`latin1`): what
 * is redacted in it is ASCII.
 */
function textEncoding(bytes: Uint8Array, mime: string): "utf8" | "utf16le" | "utf16be" | "latin1" | undefined {
  const utf16 = bytes.length % 2 === 0 ? utf16Order(bytes) : undefined;
  if (utf16 !== undefined) return utf16;
  if (isUtf8(bytes)) return "utf8";
  const isCalledText = /^text\/|[/+](json|xml|yaml|toml|javascript|sql)\b/.test(mime);
  return isCalledText || !bytes.some(isBinary) ? "latin1" : undefined;
}

/** By the byte order mark, or by the zero in every other byte of Latin text. */
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

/** A control character that no text has; escape sequences and form feeds are in the output of programs. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && ![0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b].includes(byte);
}

/** The bytes in a `data:` URL (RFC 2397); undefined if it is broken. */
function bytesOfDataUrl(url: string): Uint8Array | undefined {
  const comma = url.indexOf(",");
  if (comma < 0) return undefined;
  const isBase64 = /;\s*base64\s*$/i.test(url.slice(0, comma));
  const body = percentDecoded(url.slice(comma + 1));
  if (!isBase64) return body;
  const text = body.toString("latin1").replace(/\s+/g, "");
  return /^[\w+/-]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
}

/** Percent signs that encode nothing stand for themselves, as browsers read them. */
function percentDecoded(text: string): Buffer {
  if (!text.includes("%")) return Buffer.from(text, "utf8");
  const bytes = Buffer.from(text, "utf8").toString("latin1");
  const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(decoded, "latin1");
}
