import { COLORS } from "./style/colors.ts";
import { ENTRIES } from "./style/entries.ts";
import { LAYOUT } from "./style/layout.ts";
import { MODES } from "./style/modes.ts";
import { OVERVIEW } from "./style/overview.ts";
import { TEXT } from "./style/text.ts";

/** The page's style sheet. It must not contain `</style`. */
export const STYLE = COLORS + LAYOUT + TEXT + OVERVIEW + ENTRIES + MODES;
