/**
 * One column; from 76rem on with the list of turns beside it. Entries have a margin for who spoke and when, which moves
 * above them where the page is narrow. Nothing is wider than the page: what cannot wrap scrolls in its own box.
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
main { min-width: 0; }
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
.nested { --margin: 5rem; --gap: 1rem; padding: .25rem 0 .5rem 1rem; border-left: 2px solid var(--line); }
.nested .nested { --margin: 0rem; --gap: 0rem; }
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
@media (max-width: 42rem) {
  body { padding: 1.25rem 1rem; }
  .entry, .entry.again { display: block; }
  .entry.again { margin-top: .75rem; }
  .stamp { display: flex; gap: .6rem; align-items: baseline; }
  .stamp .permalink { margin-left: auto; }
  .nested { padding-left: .6rem; }
  .turn { margin-top: 2rem; }
}
`;
