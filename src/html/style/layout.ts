/**
 * One column; from 76rem on with the list of turns beside it. Entries have a margin for who spoke and when, which moves
 * above them where there is little room. Nothing is wider than the page: what cannot wrap scrolls in its own box.
 * No content-visibility, which makes links to entries miss them, and no :has(), which browsers weigh anew for each
 * element of a long page that they read.
 */
export const LAYOUT = `
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  --margin: 6.5rem;
  --gap: 1.5rem;
  max-width: calc(46rem + var(--margin) + var(--gap));
  margin: 0 auto;
  padding: 2.5rem 1.25rem;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere;
}
main, .nested { min-width: 0; container-type: inline-size; }
main:focus { outline: none; }
.turn { margin-top: 3rem; }
.entry {
  display: grid;
  grid-template-columns: var(--margin) minmax(0, 1fr);
  column-gap: var(--gap);
  margin-top: 1.25rem;
}
.entry.again { margin-top: .5rem; }
.again:not(.only-calls, .only-thinking, .only-work) { margin-top: 1rem; }
.content { min-width: 0; }
.nested { padding: .25rem 0 .5rem 1rem; border-left: 2px solid var(--line); }
.nested > .entry:first-child { margin-top: .25rem; }
main > .subagent, .turn > .subagent { margin: .5rem 0 0 calc(var(--margin) + var(--gap)); }
.scroll { overflow-x: auto; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); }
nav { margin-top: 2rem; }
@media (min-width: 76rem) {
  body {
    display: grid;
    grid-template-columns: 17rem minmax(0, 1fr);
    column-gap: 4rem;
    max-width: calc(46rem + var(--margin) + var(--gap) + 21rem + 2.5rem);
    padding-top: 0;
  }
  header, main, footer { grid-column: 2; }
  .overview { margin-top: 3rem; }
  nav {
    grid-column: 1;
    grid-row: 1 / span 3;
    position: sticky;
    top: 0;
    align-self: start;
    max-height: 100vh;
    margin: 0;
    padding: 3rem .5rem 2rem 0;
    overflow-y: auto;
    scrollbar-width: thin;
  }
}
@container (max-width: 36rem) {
  .entry, .entry.again { display: block; }
  .entry.again { margin-top: .75rem; }
  .entry > .stamp { display: flex; gap: .6rem; align-items: baseline; padding-top: 0; line-height: 1.6rem; }
  .stamp .permalink { order: 1; margin-left: auto; }
  .turn > .subagent { margin-left: 0; }
}
@media (max-width: 42rem) {
  body { padding: 1.25rem 1rem; }
  .nested { padding-left: .6rem; }
  .turn { margin-top: 2rem; }
  main > .subagent { margin-left: 0; }
}
`;
