import { createHash } from "node:crypto";
import type { Attachment } from "../format/entries.ts";
import type { FileSystem } from "../files/file-system.ts";
import { reasonOf } from "../errors.ts";
import { given } from "./draft.ts";
import { attachmentPath, outputPath } from "./paths.ts";
import type { HostFile } from "./records.ts";

/** Names that are tried for one file before it is given up: providers repeat call ids within a session. */
const MAX_ATTEMPTS = 1_000;
/** Largest file of the host's that is read for the whole text of an output, in bytes. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const READ_CHUNK_BYTES = 1024 * 1024;

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "image/svg+xml": ".svg",
  "application/pdf": ".pdf",
  "application/json": ".json",
  "text/plain": ".txt",
  "text/markdown": ".md",
  "text/html": ".html",
};

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
    if (!file.url.startsWith("data:")) return { ...about, url: file.url };
    try {
      const bytes = await this.#redacted(bytesOfDataUrl(file.url), file.mime, redact);
      const name = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
      const extension = EXTENSIONS[file.mime] ?? "";
      const path = await this.#keep((attempt) => attachmentPath(sessionID, name, extension, attempt), bytes);
      return { ...about, path, bytes: bytes.byteLength };
    } catch (error) {
      return { ...about, missing: `It could not be kept (${reasonOf(error)}).` };
    }
  }

  /** The whole output, from the file where the host put it; undefined if it cannot be read. */
  async readHostOutput(path: string): Promise<string | undefined> {
    try {
      const { size } = await this.#options.fs.stat(path);
      if (size > MAX_OUTPUT_BYTES) return undefined;
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
      for (let at = 0; at < size; ) {
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
    if (!/^text\/|[/+](json|xml|yaml|toml|javascript)\b/.test(mime)) return bytes;
    return Buffer.from(await redact(Buffer.from(bytes).toString("utf8")), "utf8");
  }
}

/** The bytes in a `data:` URL (RFC 2397). */
function bytesOfDataUrl(url: string): Uint8Array {
  const comma = url.indexOf(",");
  if (comma < 0) throw new Error("The data: URL has no data.");
  const isBase64 = /;\s*base64\s*$/i.test(url.slice(0, comma));
  const body = url.slice(comma + 1);
  return isBase64 ? Buffer.from(body, "base64") : Buffer.from(decodeURIComponent(body), "utf8");
}
