/** The switches, which work without a script because they stand before what they change, and other ways to look at the page. */
export const MODES = `
#show-calls:not(:checked) ~ main :is(.call, .subagent, .only-calls),
#show-thinking:not(:checked) ~ main :is(.thinking, .only-thinking),
#show-calls:not(:checked) ~ #show-thinking:not(:checked) ~ main .only-work { display: none; }
@supports selector(::details-content) {
  #unfold:checked ~ main details::details-content { content-visibility: visible; }
  #unfold:checked ~ main summary::before { transform: rotate(45deg) translate(-1px, -1px); }
  @media (min-width: 76rem) {
    .turns::details-content { content-visibility: visible; }
    .turns > summary { pointer-events: none; }
    .turns > summary::before { display: none; }
  }
}
@supports not selector(::details-content) {
  label[for="unfold"] { display: none; }
}
@media (prefers-reduced-motion: no-preference) {
  summary::before { transition: transform .12s; }
}
@media (forced-colors: active) {
  .call, .subagent, pre { border: 1px solid; }
}
@media print {
  body { display: block; max-width: none; padding: 0; font-size: 10pt; }
  nav, .skip, .reference, footer { display: none; }
  .overview { margin-top: 0; }
  .by-user > .content > .prose, .prose pre, pre:is(.command, .output, .text, .diff) { border: 1px solid var(--line); }
  .prose pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  h1, h2, h3, h4, summary { break-after: avoid; }
  h2, summary, tr, img { break-inside: avoid; }
}
`;
