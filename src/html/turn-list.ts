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
    h(SwitchNames, {}),
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

const SWITCHES = [
  { id: "show-calls", name: "Tool calls", isOn: true },
  { id: "show-thinking", name: "Thinking", isOn: true },
  { id: "unfold", name: "Unfold all", isOn: false },
];

/**
 * What changes how the conversation is shown. The style sheet does it, for what stands after a switch: they are children
 * of the body, and only their names are in the list of turns.
 */
export function switches(): JSX.Element[] {
  return SWITCHES.map(({ id, isOn }) =>
    h("input", { class: "switch", type: "checkbox", id, checked: isOn, autocomplete: "off" }),
  );
}

function SwitchNames(): JSX.Element {
  return h("div", { class: "switches" }, ...SWITCHES.map(({ id, name }) => h("label", { for: id }, name)));
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
