export const ENTRIES = `
.stamp { font-size: .8125rem; line-height: 1.6rem; }
.who { display: block; color: var(--text); font-weight: 600; }
.again .who { display: none; }
.model { display: block; font-size: .75rem; line-height: 1.35; }
.permalink { margin-left: .5rem; color: var(--quiet); text-decoration: none; }
.permalink:hover { color: var(--accent); text-decoration: underline; }
.only-calls.again .stamp { line-height: 1.9rem; }
.by-user > .content > :is(.prose, .plain) { padding: .75rem 1rem; border-radius: 6px; background: var(--accent-soft); }
.by-prompt > .content > :is(.prose, .plain) { padding: .75rem 1rem; border-radius: 6px; background: var(--raised); }
:is(.by-user, .by-prompt):not(.command) > .stamp { padding-top: .75rem; }
.content > * + * { margin-top: .5rem; }
.content > .prose + *, .content > * + .prose { margin-top: .75rem; }
.picture { display: block; max-width: 100%; max-height: 40rem; height: auto; border: 1px solid var(--line); }
.by-api-error > .content > .prose { color: var(--failed); }
:is(.inside, .result):target { scroll-margin-top: 5rem; box-shadow: inset 3px 0 var(--accent); }
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
.diff > ins { background: var(--added); }
.diff > del { background: var(--removed); }
.reference { margin: .6rem 0 0; font-size: .75rem; }
.reference, .reference a { color: var(--quiet); }
`;
