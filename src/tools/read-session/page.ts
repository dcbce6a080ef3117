/** Fills a page with entries until its tokens are used up, in two forms of which neither takes more. */
import type { ShownEntry } from "./entry-text.ts";
import type { Entry, Unit } from "../../queries/session-units.ts";
import { countTokens, fitting } from "../tokens.ts";
import { cursorAt, type Cursor } from "./entry-cursor.ts";

/** One entry of a page, for programs. Fields that do not apply are left out. */
export interface EntryRow {
  line_number: number;
  /** Counted from 1; 0 before the first prompt. */
  turn: number;
  timestamp?: string;
  role: string;
  block_type: string;
  /** Subagent that the entry belongs to, in the file of the session that started it. */
  agent_id?: string;
  tool_name?: string;
  tool_use_id?: string;
  status?: string;
  text: string;
  /** Number of its characters shown on an earlier page. */
  chars_before?: number;
  /** Number of its characters after this page. */
  chars_left?: number;
  rest_cursor?: string;
}

export type PageSettings = Pick<Cursor, "withTools" | "withThinking" | "isRest" | "untilTurn">;

/** Minimum number of tokens for which the beginning of an entry is worth showing. */
const MIN_PIECE_TOKENS = 300;
/** Approximate tokens for the heading of an entry and the note about a cut. */
const NOTE_TOKENS = 100;

export class Page {
  readonly rows: EntryRow[] = [];
  readonly texts: string[] = [];
  readonly #places: { unit: Unit; entry: Entry; offset: number }[] = [];
  readonly #settings: PageSettings;
  /** Tokens for the entries in each of the two forms. */
  readonly budget: number;
  #text = 0;
  #json = 0;
  #day = "";
  /** Start of the next page; undefined at the end of the requested range. */
  next: string | undefined;

  readonly #countsData: boolean;

  /** `countsData`: the form for programs must fit the budget too. */
  constructor(budget: number, settings: PageSettings, countsData: boolean) {
    this.budget = budget;
    this.#settings = settings;
    this.#countsData = countsData;
  }

  /**
   * Adds an entry. Returns false if there is no room, with `next` pointing to it. `offset`: characters of it already
   * shown.
   */
  add(unit: Unit, { entry, text }: ShownEntry, offset: number): boolean {
    const { isRest } = this.#settings;
    const room = this.budget - Math.max(this.#text, this.#json);
    const isFirst = this.rows.length === 0;
    const piece = this.#whole(unit, entry, text, offset);
    const longest = isFirst && isRest ? room : Math.floor(this.budget * shareOf(entry));
    this.#places.push({ unit, entry, offset });
    const cost = piece?.cost ?? Number.POSITIVE_INFINITY;
    if (piece && cost <= room && (cost <= longest || isFirst)) return this.#take(piece);
    if (!isFirst && (cost <= longest || room < Math.min(longest, MIN_PIECE_TOKENS))) {
      this.#places.pop();
      return this.#full(unit, entry, offset);
    }
    const cut = this.#piece(unit, entry, text, offset, Math.min(room, Math.max(longest, MIN_PIECE_TOKENS)));
    this.#take(cut);
    return !isRest || this.#full(unit, entry, offset + cut.row.text.length);
  }

  /** Removes the last entry and leaves it to the next page. */
  dropLast(): void {
    const place = this.#places.pop();
    this.rows.pop();
    this.texts.pop();
    if (place !== undefined) this.#full(place.unit, place.entry, place.offset);
  }

  #full(unit: Unit, entry: Entry, offset: number): false {
    this.next = cursorAt(unit, entry, { ...this.#settings, offset });
    return false;
  }

  #take({ row, shown, text, json }: Piece): true {
    this.rows.push(row);
    this.texts.push(shown);
    this.#text += text;
    this.#json += json;
    if (row.timestamp !== undefined) this.#day = row.timestamp.slice(0, 10);
    return true;
  }

  /** Returns the entry to its end; undefined if that takes more than a page. */
  #whole(unit: Unit, entry: Entry, text: string, offset: number): Piece | undefined {
    const { chars } = fitting(text, this.budget, offset);
    return offset + chars < text.length ? undefined : this.#piece(unit, entry, text, offset, Number.POSITIVE_INFINITY);
  }

  /** Returns as much of the entry as fits into `maxTokens`, and its cost. */
  #piece(unit: Unit, entry: Entry, text: string, offset: number, maxTokens: number): Piece {
    const settings = { ...this.#settings, isRest: true, untilTurn: undefined };
    const made = (chars: number): Piece => {
      const left = text.length - offset - chars;
      const rest = cursorAt(unit, entry, { ...settings, offset: offset + chars });
      const row: EntryRow = {
        ...rowOf(entry),
        text: text.slice(offset, offset + chars),
        ...(offset > 0 ? { chars_before: offset } : {}),
        ...(left > 0 ? { chars_left: left, rest_cursor: rest } : {}),
      };
      return pieceOf(row, this.#day, this.#settings.isRest, this.#countsData);
    };
    let chars = fitting(text, maxTokens - NOTE_TOKENS, offset).chars;
    for (let piece = made(chars); ; piece = made(chars)) {
      if (piece.cost <= maxTokens || chars === 0) return piece;
      chars = wholeCharacters(text, offset, Math.floor((chars * maxTokens * 0.9) / piece.cost));
    }
  }
}

interface Piece {
  row: EntryRow;
  shown: string;
  text: number;
  json: number;
  cost: number;
}

/** Words of people and models may take more of a page than tool output. */
function shareOf({ role, block }: Entry): number {
  return role === "tool" || block.block_type === "thinking" ? 0.25 : 0.6;
}

function wholeCharacters(text: string, offset: number, chars: number): number {
  const code = text.charCodeAt(offset + chars);
  return chars > 0 && code >= 0xdc00 && code <= 0xdfff ? chars - 1 : chars;
}

function rowOf({ message, block, turn, role, tool }: Entry): Omit<EntryRow, "text"> {
  const id = block.tool_use_id ?? block.tool_result_id;
  const status = block.status ?? (block.is_error === true ? "error" : null);
  return {
    line_number: block.line_number,
    turn,
    ...(message.timestamp === null ? {} : { timestamp: message.timestamp }),
    role,
    block_type: block.block_type,
    ...(message.is_sidechain && message.agent_id !== null ? { agent_id: message.agent_id } : {}),
    ...(tool === null ? {} : { tool_name: tool }),
    ...(id === null ? {} : { tool_use_id: id }),
    ...(block.block_type === "tool_result" && status !== null ? { status } : {}),
  };
}

function pieceOf(row: EntryRow, day: string, isRestPage: boolean, countsData: boolean): Piece {
  const shown = entryText(row, day, isRestPage);
  const text = countTokens(shown) + 1;
  const json = countsData ? countTokens(JSON.stringify(row)) + 1 : 0;
  return { row, shown, text, json, cost: Math.max(text, json) };
}

/** Returns `[12] user, turn 3, 2026-01-31 10:11:12` and the text. */
function entryText(row: EntryRow, day: string, isRestPage: boolean): string {
  const { line_number: line, turn, timestamp, text, chars_before: before, chars_left: left } = row;
  const facts = [speaker(row)];
  if (row.role === "user" && turn > 0) facts.push(`turn ${turn}`);
  if (timestamp !== undefined) facts.push(clock(timestamp, day));
  if (before !== undefined) facts.push(`from character ${before} on`);
  const cut =
    left === undefined || isRestPage
      ? ""
      : `\n[cut: ${left} more characters, read_session {"session": …, "cursor": ${JSON.stringify(row.rest_cursor)}}]`;
  return `[${line}] ${facts.join(", ")}${text === "" ? "" : `\n${text}`}${cut}\n`;
}

function speaker({ role, block_type, tool_name, status, agent_id }: EntryRow): string {
  const of = agent_id === undefined ? "" : ` of subagent ${agent_id}`;
  const tool = tool_name === undefined ? "" : ` ${tool_name}`;
  if (block_type === "tool_use") return `call${tool}${of}`;
  if (block_type === "tool_result") return `result${tool}${of}${status === undefined ? "" : ` (${status})`}`;
  return `${block_type === "thinking" || block_type === "redacted_thinking" ? "thinking" : role}${of}`;
}

/** Returns the time in UTC, without the day if it equals the previous entry's. */
function clock(timestamp: string, day: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  const iso = time.toISOString();
  return timestamp.startsWith(day) && day !== "" ? iso.slice(11, 19) : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}
