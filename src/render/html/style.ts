/** Two colour schemes with a contrast of at least 4.5:1 for all text. One accent; red only for failures. */
const COLORS = `
:root {
  color-scheme: light dark;
  --ground: #fcfcfa;
  --raised: #f4f3ef;
  --code: #f4f3ef;
  --text: #1d1d1b;
  --quiet: #62615c;
  --line: #dfddd6;
  --accent: #0a5a73;
  --accent-soft: #e4eff2;
  --failed: #a3261b;
  --added: #dcf0de;
  --removed: #f9e0dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #161615;
    --raised: #20201e;
    --code: #1e1e1c;
    --text: #e5e3de;
    --quiet: #a5a39c;
    --line: #373632;
    --accent: #7fc6da;
    --accent-soft: #16303a;
    --failed: #f2978c;
    --added: #17351d;
    --removed: #431f1b;
  }
}
@media print {
  :root {
    --ground: #fff;
    --raised: #fff;
    --code: #fff;
  }
}
`;

/**
 * One column; for a session, from 76rem on with the list of turns beside it. Speaker and time are in a margin, or above the entry on
 * narrow screens. Nothing is wider than the page: content that cannot wrap scrolls in its own box. Does not use
 * content-visibility, which makes links to entries miss them, or :has() on what a long page has many of.
 */
const LAYOUT = `
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  --margin: 6.5rem;
  --gap: 1.5rem;
  max-width: 68rem;
  margin: 0 auto;
  padding: 0 1.5rem 3rem;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere;
}
.alone { padding-top: 2.5rem; }
main, .nested { min-width: 0; }
.conversation, .nested { container-type: inline-size; }
:is(main, .conversation):focus { outline: none; }
.turn { margin-top: 3rem; }
.entry {
  display: grid;
  grid-template-columns: var(--margin) minmax(0, 1fr);
  column-gap: var(--gap);
  margin-top: 1.25rem;
}
.entry.again { margin-top: .5rem; }
.again:not(.work) { margin-top: 1rem; }
.content { min-width: 0; }
.nested { padding: .25rem 0 .5rem 1rem; border-left: 2px solid var(--line); }
.nested > .entry:first-child { margin-top: .25rem; }
:is(.conversation, .turn) > .subagent { margin: .5rem 0 0 calc(var(--margin) + var(--gap)); }
.scroll { overflow-x: auto; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.outline { margin-top: 2rem; }
.outline + .conversation > .turn:first-child { margin-top: 1.75rem; }
@media (min-width: 76rem) {
  body:has(> .session) { max-width: 76rem; }
  .session:has(> .outline) { display: grid; grid-template-columns: 16rem minmax(0, 1fr); column-gap: 3.5rem; align-items: start; }
  .session > * { grid-column: 2; }
  .session > .outline {
    grid-column: 1;
    grid-row: 1 / span 40;
    position: sticky;
    top: 1.5rem;
    max-height: calc(100vh - 3rem);
    margin: 0;
    padding: 0 .5rem 2rem 0;
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
  body { padding: 0 1rem 2rem; }
  .alone { padding-top: 1.25rem; }
  .nested { padding-left: .6rem; }
  .turn { margin-top: 2rem; }
  .conversation > .subagent { margin-left: 0; }
}
`;

const TEXT = `
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
h2 {
  display: flex;
  justify-content: space-between;
  gap: 1rem;
  margin: 0;
  padding-top: .6rem;
  border-top: 1px solid var(--line);
  font-size: .875rem;
  font-weight: 600;
  scroll-margin-top: 0;
}
h2 .quiet { font-weight: 400; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
time, .permalink, .number { font-variant-numeric: tabular-nums; }
code, pre, .target, .value, .typed .name, .reference { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: .8125rem; }
.quiet, .note, .stamp, .about, dt, footer { color: var(--quiet); }
.note, footer { margin: .25rem 0; font-size: .8125rem; }
.note { white-space: pre-line; }
.event { color: var(--text); }
.failed { color: var(--failed); font-weight: inherit; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .25rem .75rem; background: var(--ground); }

.prose :where(p, ul, ol, pre, blockquote, .scroll) { margin: .75rem 0; }
.prose > :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: 0; }
.prose li > :is(ul, ol) { margin: .15rem 0; }
.prose :is(ul, ol) { padding-left: 1.4rem; }
.prose li + li { margin-top: .15rem; }
.prose :is(h3, h4, h5, h6) { margin: 1.5rem 0 .5rem; line-height: 1.3; font-weight: 650; font-size: 1rem; }
.prose h3 { font-size: 1.2rem; }
.prose h4 { font-size: 1.075rem; }
.prose code { padding: .1em .3em; border-radius: 3px; background: var(--code); font-size: .8438em; }
.prose pre { padding: .75rem .9rem; overflow-x: auto; border-radius: 5px; background: var(--code); line-height: 1.5; overflow-wrap: normal; }
.prose pre code { padding: 0; background: none; font-size: .8125rem; }
/* Each paragraph has the direction of its own words; code goes from left to right, whatever it begins with. */
.prose :is(p, li, h3, h4, h5, h6, th, td), pre.text { unicode-bidi: plaintext; }
:is(.prose pre, .prose code, pre.command, pre.output) { direction: ltr; unicode-bidi: isolate; text-align: left; }
.prose blockquote { margin-left: 0; padding-left: 1rem; border-left: 2px solid var(--line); color: var(--quiet); }
.prose hr { margin: 1.5rem 0; border: 0; border-top: 1px solid var(--line); }
.prose table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; }
.prose :is(th, td) { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.prose .right { text-align: right; }
.prose .center { text-align: center; }
.dead-link { text-decoration: underline dotted; }
.plain { white-space: pre-wrap; }
:is(.by-user, .by-prompt) .prose p { white-space: pre-line; }
`;

const OVERVIEW = `
.up { margin: 0 0 .25rem; font-size: .875rem; }
.gist a { color: inherit; }
:is(.about, .gist) a.failed { color: var(--failed); }
.gist { display: flex; flex-wrap: wrap; gap: 0 1.1rem; margin: 0 0 .35rem; color: var(--quiet); font-size: .875rem; }
.actions { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem 1.25rem; font-size: .8125rem; }
.actions > details { min-width: 0; }
.actions > details[open] { flex: 1 0 100%; max-width: 100%; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: .3rem 2rem; margin: .5rem 0 0; font-size: .875rem; }
.facts > div { display: flex; gap: .75rem; }
.facts dt { flex: none; width: 5.5rem; }
.facts dd { min-width: 0; margin: 0; }
.turns { font-size: .875rem; }
.turns > summary { display: flex; align-items: baseline; gap: .5rem; font-weight: 600; }
.turns ol { margin: .5rem 0 0; padding: 0; list-style: none; }
.turns li { padding: .4rem 0; border-top: 1px solid var(--line); line-height: 1.4; }
.turns a { display: flex; gap: .6rem; color: inherit; text-decoration: none; }
.turns a:hover .title { color: var(--accent); text-decoration: underline; }
.turns .title { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; }
.number { flex: none; min-width: 1.4rem; color: var(--quiet); }
.turns .about { display: flex; gap: .6rem; padding-left: 2rem; font-size: .75rem; }
`;

const ENTRIES = `
.stamp { font-size: .8125rem; line-height: 1.6rem; white-space: nowrap; }
.who { display: block; color: var(--text); font-weight: 600; }
.again .who { display: none; }
.model { display: block; white-space: normal; font-size: .75rem; line-height: 1.35; }
.permalink { margin-left: .5rem; color: var(--quiet); text-decoration: none; }
@media (hover: hover) {
  .entry:not(:hover, :focus-within, :target) > .stamp .permalink { opacity: 0; }
}
.permalink:hover { color: var(--accent); text-decoration: underline; }
.calls.again .stamp { line-height: 1.9rem; }
.by-user > .content > :is(.prose, .plain) { padding: .75rem 1rem; border-radius: 6px; background: var(--accent-soft); }
.by-prompt > .content > :is(.prose, .plain) { padding: .75rem 1rem; border-radius: 6px; background: var(--raised); }
:is(.by-user, .by-prompt):not(.command) > .stamp { padding-top: .75rem; }
.content > * + * { margin-top: .5rem; }
.content > .prose + *, .content > * + .prose { margin-top: .75rem; }
.picture { display: block; max-width: 100%; max-height: 40rem; height: auto; border: 1px solid var(--line); }
.by-api-error > .content > .prose { color: var(--failed); }
:is(.inside, .result):target { scroll-margin-top: 5rem; box-shadow: -6px 0 0 -3px var(--accent); }
.entry:target > .stamp .permalink { color: var(--accent); font-weight: 600; text-decoration: underline; }

summary { cursor: pointer; list-style: none; }
summary:focus-visible { outline-offset: -2px; }
summary::-webkit-details-marker { display: none; }
summary::before {
  content: "";
  flex: none;
  width: .38rem;
  height: .38rem;
  margin: 0 .2rem .1rem .1rem;
  border: solid var(--quiet);
  border-width: 0 1.5px 1.5px 0;
  transform: rotate(-45deg);
}
details[open] > summary::before { transform: rotate(45deg) translate(-1px, -1px); }
.call, .subagent { border: 1px solid var(--line); border-radius: 5px; }
.call > summary, .subagent > summary {
  display: flex;
  flex-wrap: wrap;
  align-items: baseline;
  column-gap: .5rem;
  padding: .2rem .7rem;
  border-radius: 4px;
  font-size: .875rem;
}
.call > summary:hover, .subagent > summary:hover { background: var(--raised); }
.tool { flex: none; max-width: 100%; font-weight: 600; }
.target { flex: 1 1 8rem; min-width: 0; overflow: hidden; color: var(--quiet); text-overflow: ellipsis; white-space: nowrap; }
.call[open] > summary > .target { white-space: normal; }
.ending { color: var(--quiet); font-size: .8125rem; }
.call > summary > .reasoned { flex: 1 0 100%; padding-left: 1.2rem; }
.error > summary .ending { color: var(--failed); }
.ending strong { font-weight: 600; }
.error { border-color: color-mix(in srgb, var(--failed) 45%, var(--line)); }
.inside { padding: .35rem .7rem .7rem; }
.call > .inside { border-top: 1px solid var(--line); }
.subagent > .nested { margin: .25rem .7rem .7rem; }
.closed > summary { display: flex; align-items: baseline; column-gap: .5rem; color: var(--quiet); font-size: .8125rem; line-height: 1.9; }
.closed > summary:hover { color: var(--accent); }
.closed .preview { flex: 1 1 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; opacity: 1; }
.closed[open] > summary .preview { visibility: hidden; }
.closed > .inside { padding: .25rem 0 .25rem 1.1rem; border-left: 2px solid var(--line); }
.thinking .prose { color: var(--quiet); font-size: .9375rem; }
.typed > summary { color: var(--text); }
.typed .name { font-size: .875rem; font-weight: 600; }

.fields { margin: .35rem 0; }
.fields > div { display: flex; align-items: baseline; gap: .6rem; margin-top: .15rem; line-height: 1.5; }
.fields > .wide { display: block; margin-top: .4rem; }
.fields dt, .label { flex: none; margin: 0; color: var(--quiet); font-size: .8125rem; }
.fields dd { min-width: 0; margin: 0; }
.tasks { margin: .25rem 0; padding: 0; list-style: none; font-size: .875rem; }
.result { margin-top: .6rem; }
pre { margin: .25rem 0; }
pre:is(.command, .output, .text, .diff) { padding: .6rem .75rem; border-radius: 4px; background: var(--code); line-height: 1.5; white-space: pre-wrap; tab-size: 4; }
pre.command::before { content: "$ "; color: var(--quiet); }
.error .result pre { border-left: 2px solid var(--failed); }
.diff > * { display: block; margin: 0 -.75rem; padding: 0 .75rem 0 1.75rem; text-indent: -1rem; text-decoration: none; }
.diff > .hunk { color: var(--quiet); }
.diff > ins { background: var(--added); }
.diff > del { background: var(--removed); }
.reference { margin: .6rem 0 0; font-size: .75rem; }
.reference, .reference a { color: var(--quiet); }
`;

/** The list of turns beside a conversation is always open. */
const MODES = `
@supports selector(::details-content) {
  @media (min-width: 76rem) {
    .turns::details-content { content-visibility: visible; }
    .turns > summary { pointer-events: none; }
    .turns > summary::before { display: none; }
  }
}
@media (prefers-reduced-motion: no-preference) {
  summary::before { transition: transform .12s; }
}
@media (forced-colors: active) {
  .call, .subagent, pre { border: 1px solid; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .skip, .reference, footer { display: none; }
  .session { display: block; }
  .by-user > .content > .prose, .prose pre, pre:is(.command, .output, .text, .diff) { border: 1px solid var(--line); }
  .prose pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  h1, h2, h3, h4, summary { break-after: avoid; }
  h2, summary, tr, img { break-inside: avoid; }
}
`;

/** Style sheet of the page. Must not contain `</style`. */
export const STYLE = COLORS + LAYOUT + TEXT + OVERVIEW + ENTRIES + MODES;
