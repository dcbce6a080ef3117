/** What a question about snippets asks for, as conditions of SQL with their values. */
import { exactFold } from "../exact-fold.ts";
import { POSTGRES_SNIPPET_TEXT } from "../index-texts.ts";
import type { PositionSet } from "../position-set.ts";
import type { SnippetConditions } from "../snippet-values.ts";

/** Up to so many positions are looked up one by one. */
const FEW = 300;

export class Conditions {
  /** For `$1` and so on. */
  readonly values: unknown[] = [];
  readonly #conditions: string[] = [];

  /** The place of a value in the statement. */
  value(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  where(): string {
    return this.#conditions.length === 0 ? "" : `WHERE ${this.#conditions.join(" AND ")}`;
  }

  /** What lists tell: type, tags and keyword. */
  addListed({ snippet_type, tags, keyword }: SnippetConditions): this {
    if (snippet_type !== undefined) this.#conditions.push(`snippet_type = ${this.value(snippet_type)}`);
    if (tags.length > 0) this.#conditions.push(`tags @> ${this.value(JSON.stringify(tags))}::jsonb`);
    if (keyword !== undefined) this.#conditions.push(this.#has(keyword));
    return this;
  }

  /** What indexes tell: session, project and dates. */
  addColumns({ session_id, project, start, end }: SnippetConditions): this {
    if (session_id !== undefined) this.#conditions.push(`session_id = ${this.value(session_id)}`);
    if (project !== undefined) {
      const named = `project = ${this.value(project)} OR project_name = ${this.value(project.toLowerCase())}`;
      this.#conditions.push(`session_id IN (SELECT session_id FROM sessions WHERE ${named})`);
    }
    if (start !== undefined) this.#conditions.push(`created_at >= ${this.value(start)}::timestamptz`);
    if (end !== undefined) this.#conditions.push(`created_at <= ${this.value(end)}::timestamptz`);
    return this;
  }

  /** With a keyword: also looks whether it is in the text, of these snippets alone. */
  addPositions(positions: PositionSet, keyword?: string): this {
    const isOne = this.#isOneOf(positions);
    this.#conditions.push(
      keyword === undefined ? isOne : `CASE WHEN ${isOne} THEN ${this.#has(keyword)} ELSE false END`,
    );
    // Within the other condition no index would be seen.
    if (keyword !== undefined && positions.size <= FEW) this.#conditions.push(isOne);
    return this;
  }

  /** Few are looked up. Of many, indexes have the position with each snippet. */
  #isOneOf(positions: PositionSet): string {
    if (positions.size <= FEW) return `position = ANY (${this.value([...positions])}::bigint[])`;
    const { first, bits } = positions.bitmap();
    const [start, end] = [this.value(first), this.value(first + bits.length * 8)];
    const bit = `get_bit(${this.value(Buffer.from(bits))}::bytea, position - ${start}::bigint)`;
    return `CASE WHEN position >= ${start}::bigint AND position < ${end}::bigint THEN ${bit} = 1 ELSE false END`;
  }

  #has(keyword: string): string {
    return `${POSTGRES_SNIPPET_TEXT} LIKE ${this.value(likePattern(exactFold(keyword)))}`;
  }
}

/** A folded term with anything around it, its wildcards taken literally. */
export function likePattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
