export const OVERVIEW = `
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: .3rem 2rem; margin: 0; font-size: .875rem; }
.facts > div { display: flex; gap: .75rem; }
.facts dt { flex: none; width: 5.5rem; }
.facts dd { min-width: 0; margin: 0; }
.tables { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin-top: .75rem; }
.tables > details { max-width: 100%; }
.tables > details[open] { flex-basis: 100%; }
.figures { border-collapse: collapse; font-size: .8125rem; overflow-wrap: normal; }
.figures :is(th, td) { padding: .2rem 1.25rem .2rem 0; border-bottom: 1px solid var(--line); text-align: right; font-weight: 400; vertical-align: top; }
.figures :is(th:first-child, td:last-child:nth-child(2)) { text-align: left; }
.figures thead th { color: var(--quiet); }

.switch { position: fixed; top: 0; left: 0; opacity: 0; pointer-events: none; }
.switches { display: flex; flex-wrap: wrap; gap: .15rem 1rem; font-size: .8125rem; }
.switches label { display: flex; align-items: center; gap: .4rem; min-height: 1.5rem; border-radius: 2px; cursor: pointer; }
.switches label::before {
  content: "";
  flex: none;
  width: .875rem;
  height: .875rem;
  border: 1px solid var(--quiet);
  border-radius: 2px;
  font: 700 .6875rem/.75rem system-ui, sans-serif;
  text-align: center;
}
#show-calls:checked ~ nav label[for="show-calls"]::before,
#show-thinking:checked ~ nav label[for="show-thinking"]::before,
#unfold:checked ~ nav label[for="unfold"]::before { content: "✓" / ""; border-color: var(--accent); background: var(--accent); color: var(--ground); }
#show-calls:focus-visible ~ nav label[for="show-calls"],
#show-thinking:focus-visible ~ nav label[for="show-thinking"],
#unfold:focus-visible ~ nav label[for="unfold"] { outline: 2px solid var(--accent); outline-offset: 2px; }
.turns { margin-top: 1rem; font-size: .875rem; }
.turns > summary { display: flex; align-items: baseline; gap: .5rem; font-weight: 600; }
.turns ol { margin: .5rem 0 0; padding: 0; list-style: none; }
.turns li { padding: .4rem 0; border-top: 1px solid var(--line); line-height: 1.4; }
.turns a { display: flex; gap: .6rem; color: inherit; text-decoration: none; }
.turns a:hover .title { color: var(--accent); text-decoration: underline; }
.turns .title { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; }
.number { flex: none; min-width: 1.4rem; color: var(--quiet); }
.about { display: flex; gap: .6rem; padding-left: 2rem; font-size: .75rem; }
`;
