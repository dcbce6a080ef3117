/** What the tools' thread does besides tools: nobody is offered it. */

/** Takes `{ session }` and stores what it suggests as snippets, each once. */
export const STORE_SUGGESTIONS = "store_suggestions";
