import { h, type JSX } from "preact";
import type { ParsedContentBlock } from "../parse/model.ts";
import { oneLine } from "./excerpt.ts";
import type { PageImage, PageSession } from "./page-session.ts";
import { compact } from "./quantities.ts";

/** Pictures only. SVG is a document, which may hold links and styles of its own. */
const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
/** Of a picture that goes into the page. */
export const MAX_IMAGE_BYTES = 1_000_000;
const MAX_NAME_CHARS = 300;

/** The picture itself if its bytes are at hand and not too many; else a sentence that says what is not shown. */
export async function imageView(block: ParsedContentBlock, session: PageSession): Promise<JSX.Element> {
  const name = nameOf(block);
  let image: PageImage | undefined;
  try {
    image = await session.readImage?.(block);
  } catch {
    return note(`${name}, which could not be read.`);
  }
  if (image === undefined) return note(`${name}, not kept in this page.`);
  if (!TYPES.has(image.mediaType)) return note(`${name}, of a kind that this page does not show.`);
  if (image.bytes.length > MAX_IMAGE_BYTES) {
    return note(`${name}, too large for this page: ${compact(image.bytes.length)} bytes.`);
  }
  return h("img", { class: "picture", src: dataUrl(image), alt: name, loading: "lazy" });
}

/** A document is never shown, but named. */
export function documentNote(block: ParsedContentBlock): JSX.Element {
  return note(`${nameOf(block)}, not kept in this page.`);
}

/** What it is, and where our transcripts keep it, or the host had it. */
function nameOf({ block_type: type, metadata }: ParsedContentBlock): string {
  const { media_type: mediaType, filename, path, url, missing } = metadata;
  const parts = [mediaType ?? "of unknown type", filename, path ?? url, missing].filter(
    (part) => typeof part === "string",
  );
  return `${type === "image" ? "Image" : "Document"} (${oneLine(parts.join(", "), MAX_NAME_CHARS)})`;
}

function dataUrl({ mediaType, bytes }: PageImage): string {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return `data:${mediaType};base64,${base64}`;
}

function note(text: string): JSX.Element {
  return h("p", { class: "note" }, text);
}
