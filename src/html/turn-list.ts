import { h, type JSX } from "preact";
import type { Clock } from "./clock.ts";
import { Time } from "./entry-view.ts";
import type { Turn } from "./outline.ts";
import { counted } from "./quantities.ts";

interface TurnListProps {
  turns: readonly Turn[];
  clock: Clock;
}

/** The way to each turn, and what is to be seen of them. */
export function TurnList({ turns, clock }: TurnListProps): JSX.Element {
  return h(
    "nav",
    { "aria-label": "Turns" },
    h(Switches, {}),
    turns.length === 0
      ? null
      : h(
          "details",
          { class: "turns" },
          h("summary", null, counted(turns.length, "turn")),
          h("ol", null, ...turns.map((turn) => h(TurnLink, { turn, clock }))),
        ),
  );
}

/** What they do is in the style sheet: the page runs no script. */
function Switches(): JSX.Element {
  return h(
    "fieldset",
    { class: "switches" },
    h("legend", null, "Show"),
    h(Switch, { id: "show-calls", name: "Tool calls", isOn: true }),
    h(Switch, { id: "show-thinking", name: "Thinking", isOn: true }),
    h(Switch, { id: "unfold", name: "Unfold all", isOn: false }),
  );
}

function Switch({ id, name, isOn }: { id: string; name: string; isOn: boolean }): JSX.Element {
  return h("label", { for: id }, h("input", { type: "checkbox", id, checked: isOn, autocomplete: "off" }), name);
}

function TurnLink({ turn, clock }: { turn: Turn; clock: Clock }): JSX.Element {
  const { number, title, timestamp, calls, failures } = turn;
  return h(
    "li",
    null,
    h(
      "a",
      { href: `#turn-${number}` },
      h("span", { class: "number" }, `${number}`),
      h("span", { class: "title" }, title),
    ),
    h(
      "div",
      { class: "about" },
      timestamp === null ? null : h(Time, { timestamp, clock }),
      calls === 0 ? null : h("span", null, counted(calls, "call")),
      failures === 0 ? null : h("span", { class: "failed" }, `${failures} failed`),
    ),
  );
}
