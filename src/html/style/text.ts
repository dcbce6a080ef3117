export const TEXT = `
h1 { margin: 0 0 1rem; font-size: clamp(1.35rem, 1rem + 1.6vw, 1.75rem); line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
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
time, .figures, .permalink, .number { font-variant-numeric: tabular-nums; }
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
