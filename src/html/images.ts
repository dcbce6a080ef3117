import { h, type JSX } from "preact";
import type { ParsedContentBlock } from "../parse/model.ts";
import type { PageImage, PageSession } from "./page-session.ts";
import { compact } from "./quantities.ts";

/** Pictures only. SVG is a document, which may hold links and styles of its own. */
const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
const MAX_BYTES = 1_000_000;

/** The picture itself if its bytes are at hand and not too many; else a sentence that says what is not shown. */
export async function imageView(block: ParsedContentBlock, session: PageSession): Promise<JSX.Element> {
  const type = block.metadata.media_type ?? "image";
  let image: PageImage | undefined;
  try {
    image = await session.readImage?.(block);
  } catch {
    return note(`Image (${type}), which could not be read.`);
  }
  if (image === undefined) return note(`Image (${type}), not kept in this page.`);
  if (!TYPES.has(image.mediaType)) return note(`Image (${image.mediaType}), of a kind that this page does not show.`);
  if (image.bytes.length > MAX_BYTES) {
    return note(`Image (${image.mediaType}, ${compact(image.bytes.length)} bytes), too large for this page.`);
  }
  return h("img", { class: "picture", src: dataUrl(image), alt: `Image (${image.mediaType})`, loading: "lazy" });
}

function dataUrl({ mediaType, bytes }: PageImage): string {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return `data:${mediaType};base64,${base64}`;
}

function note(text: string): JSX.Element {
  return h("p", { class: "note" }, text);
}
