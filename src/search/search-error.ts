/** What is wrong with a query. */

export type SearchErrorCode =
  /** The term is empty, or no word stands in it. */
  | "empty_term"
  /** It was not made by this program, or for another query. */
  | "bad_cursor";

export class SearchError extends Error {
  override readonly name = "SearchError";
  readonly code: SearchErrorCode;
  /** The field of the query that is at fault. */
  readonly field: "term" | "cursor";

  /** `problem` and `next`: whole sentences, what is wrong and what to do now. */
  constructor(code: SearchErrorCode, field: "term" | "cursor", problem: string, next: string, options?: ErrorOptions) {
    super(`${problem} ${next}`, options);
    this.code = code;
    this.field = field;
  }
}
