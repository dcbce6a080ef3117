/** The switches, which work without a script, and other ways to look at the page. */
export const MODES = `
body:has(#show-calls:not(:checked)) :is(.call, .subagent, .only-calls) { display: none; }
body:has(#show-thinking:not(:checked)) :is(.thinking, .only-thinking) { display: none; }
body:has(#show-calls:not(:checked)):has(#show-thinking:not(:checked)) .only-work { display: none; }
@supports selector(::details-content) {
  body:has(#unfold:checked) main details::details-content { content-visibility: visible; }
  body:has(#unfold:checked) main summary::before { transform: rotate(45deg) translate(-1px, -1px); }
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
