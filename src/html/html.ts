/** Renders a session as one HTML page. */
export { MAX_IMAGE_BYTES } from "./block-view.ts";
export type { PageImage, PageSession } from "./outline.ts";
export { renderPage, type PageOptions } from "./render-page.ts";
