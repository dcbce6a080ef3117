/** A session as one page of HTML. */
export { MAX_IMAGE_BYTES } from "./images.ts";
export { pageSession, type PageEntry, type PageImage, type PageSession } from "./page-session.ts";
export { renderPage, type PageOptions } from "./render-page.ts";
