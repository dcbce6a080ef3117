/** Style of the pages around a session. Uses the colours of `style.ts`. */
export const PAGES_STYLE = `
.bar { display: flex; align-items: baseline; gap: 1.75rem; margin: 0 0 2rem; padding: .7rem 0; border-bottom: 1px solid var(--line); }
.bar a { text-decoration: none; }
.brand { color: var(--text); font-weight: 650; letter-spacing: -.01em; }
.bar nav { display: flex; gap: 1.25rem; }
.bar nav a { padding: .25rem 0; color: var(--quiet); font-size: .9375rem; line-height: 1.6; }
.bar nav a:hover { color: var(--accent); }
.bar nav a[aria-current] { color: var(--text); box-shadow: 0 2px 0 var(--accent); }
.search { position: relative; flex: 1; max-width: 24rem; margin-left: auto; }
.search input { width: 100%; padding: .38rem 2rem .38rem .75rem; line-height: 1.5; }
.search kbd { position: absolute; right: .6rem; top: 50%; translate: 0 -50%; color: var(--quiet); pointer-events: none; }
.search input:focus + kbd { display: none; }
input, select, button { border: 1px solid var(--line); border-radius: 5px; background: var(--ground); color: var(--text); font: inherit; font-size: .875rem; }
select, button, input[type="date"] { height: 2rem; padding: 0 .55rem; }
button { background: var(--raised); cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }
h1 .quiet { font-weight: 400; font-size: 1rem; }
h1.error { font-size: 1.125rem; line-height: 1.4; }
h1.path { font: 600 1rem/1.4 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
.progress { margin: -1.25rem 0 1.5rem; padding: .35rem .75rem; border-radius: 5px; background: var(--accent-soft); font-size: .875rem; }
.nothing { margin: 3rem 0; color: var(--quiet); text-align: center; }
[hidden] { display: none !important; }
.foot { margin-top: 3rem; }
dialog { min-width: 20rem; padding: 1.25rem 1.5rem; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); color: var(--text); }
dialog::backdrop { background: rgb(0 0 0 / 35%); }
dialog h2 { padding: 0; border: 0; font-size: 1rem; }
dialog dl { margin: .75rem 0 1rem; }
dialog dl > div { display: grid; grid-template-columns: 4rem 1fr; align-items: baseline; margin-top: .35rem; }
dialog dd { margin: 0; font-size: .875rem; }
kbd { padding: 0 .35rem; border: 1px solid var(--line); border-radius: 3px; font: .75rem/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
.foot code { color: var(--text); }
.filters { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; margin-bottom: 1.5rem; color: var(--quiet); font-size: .875rem; }
.filters select { max-width: 7.25rem; }
.filters input[type="date"] { width: 7.9rem; padding-inline: .35rem; }
.filters.links { gap: .25rem 1rem; }
.filters.links [aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
.filters .check { display: flex; align-items: center; gap: .35rem; }

.sessions, .list { width: 100%; border-collapse: collapse; font-size: .9375rem; }
.sessions td, .sessions th, .list td, .list th { padding: .42rem .75rem; text-align: left; vertical-align: baseline; }
.sessions :is(td, th):first-child, .list :is(td, th):first-child { padding-left: 0; }
.sessions :is(td, th):last-child, .list :is(td, th):last-child { padding-right: 0; }
.sessions thead th, .list thead th { padding-block: 0 .35rem; color: var(--quiet); font-size: .75rem; font-weight: 400; text-align: right; white-space: nowrap; }
.sessions thead th:nth-child(-n + 2), .list thead th:first-child { text-align: left; }
.sessions .day th { padding: 1.4rem 0 .3rem; border-bottom: 1px solid var(--line); }
.sessions tbody:first-of-type .day th { padding-top: .25rem; }
.sessions h2 { display: block; padding: 0; border: 0; }
.sessions tbody tr + tr + tr, .list tbody tr + tr { border-top: 1px solid color-mix(in srgb, var(--line) 55%, transparent); }
.sessions tbody tr:not(.day):hover { background: var(--raised); }
.when { width: 1%; color: var(--quiet); font-size: .875rem; white-space: nowrap; }
.what { min-width: 0; }
.what .title { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; color: var(--text); font-weight: 500; text-decoration: none; }
.what .title:hover { color: var(--accent); text-decoration: underline; }
.what .title:visited { color: color-mix(in srgb, var(--text) 78%, var(--ground)); }
.about { display: flex; flex-wrap: wrap; gap: 0 .9rem; margin: 0; padding: 0; color: var(--quiet); font-size: .8125rem; font-weight: 400; }
.about a { color: inherit; text-decoration: none; }
.about a:hover { color: var(--accent); text-decoration: underline; }
.about .tag { padding: 0 .4rem; border-radius: 3px; background: var(--accent-soft); }
td.number, .list th.number { color: var(--quiet); font-size: .875rem; font-variant-numeric: tabular-nums; text-align: right !important; white-space: nowrap; }
td.number.failed { color: var(--failed); }
.list tbody th { font-weight: 400; }
.pages { display: flex; justify-content: space-between; margin: 1.5rem 0 0; font-size: .875rem; }

.hits, .failures, .plain-list { margin: 0; padding: 0; list-style: none; }
.hit { margin-top: 1.5rem; }
.hit h2 { display: flex; flex-wrap: wrap; justify-content: flex-start; align-items: baseline; gap: 0 .9rem; padding: 0; border: 0; font-size: 1rem; font-weight: 500; }
.hit h2 > a, .shares a { text-decoration: none; }
.hit h2 > a:hover, .shares a:hover { text-decoration: underline; }
.passage { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: 0 1rem; margin: .4rem 0 0; padding-left: .75rem; border-left: 2px solid var(--line); }
.passage .where { font-size: .8125rem; text-decoration: none; }
.passage .where .kind { display: block; }
.passage .where time { color: var(--quiet); }
.passage q { quotes: none; font-size: .9375rem; }
mark { border-radius: 2px; background: var(--mark); color: inherit; }
.failure { display: grid; grid-template-columns: 3.25rem minmax(0, 1fr); align-items: baseline; gap: .1rem .75rem; padding: .55rem 0; border-top: 1px solid var(--line); }
.failure:last-child { border-bottom: 1px solid var(--line); }
.failure .times { font-weight: 600; font-variant-numeric: tabular-nums; text-align: right; }
.failure .message { color: var(--text); font: .875rem/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; text-decoration: none; }
.failure .message:hover { color: var(--accent); text-decoration: underline; }
.failure .about { grid-column: 2; }
main > h2 { margin-top: 2rem; }
.fixes { margin: 0; padding: 0; list-style: none; }
.fixes > li { margin-top: .75rem; padding: .6rem .9rem; border: 1px solid var(--line); border-radius: 5px; }
.fixes p { margin: .25rem 0; }
.row { margin-top: 1.25rem; }
.row h2 { border: 0; }
.row:target pre { box-shadow: inset 3px 0 var(--accent); }
.plain-list li { margin-top: .35rem; }
.changed { margin-top: 1rem; border: 1px solid var(--line); border-radius: 5px; }
.changed > summary { display: flex; align-items: baseline; gap: .6rem; padding: .4rem .75rem; }
.changed > summary .target { color: var(--text); }
.changed > .inside { padding-top: 0; border-top: 1px solid var(--line); }
.changed .links { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.changed .diff { margin: 0 -.7rem; border-radius: 0; }
.lines { margin-left: auto; font-size: .8125rem; font-weight: 400; font-variant-numeric: tabular-nums; white-space: nowrap; }
.plus { color: var(--plus); }
.minus { color: var(--failed); }

.totals + .note { margin: -1.25rem 0 2rem; }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem 1.5rem; margin: 0 0 2rem; }
.totals dt { font-size: .8125rem; }
.totals dd { margin: 0; font-size: 1.375rem; font-weight: 600; letter-spacing: -.01em; font-variant-numeric: tabular-nums; }
figure { min-width: 0; margin: 0 0 2.5rem; }
figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem 1rem; margin-bottom: .6rem; font-size: .9375rem; font-weight: 600; }
figcaption .quiet { font-size: .8125rem; font-weight: 400; }
.legend { display: inline-flex; align-items: center; gap: .4rem; color: var(--quiet); font-size: .8125rem; font-weight: 400; }
.legend svg { width: 4.1rem; height: .82rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0 3rem; }
svg text { fill: var(--quiet); font-size: 11px; }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
.bars { display: block; width: 100%; height: auto; }
.bars line { stroke: var(--line); }
.bars rect { fill: var(--accent); }
.bars a:hover rect { fill: var(--text); }
.year { display: block; width: 100%; min-width: 44rem; height: auto; }
.year text { font-size: 8px; }
:is(.year, .legend) .l0 { fill: var(--empty); }
:is(.year, .legend) .l1 { fill: color-mix(in srgb, var(--accent) 25%, var(--ground)); }
:is(.year, .legend) .l2 { fill: color-mix(in srgb, var(--accent) 45%, var(--ground)); }
:is(.year, .legend) .l3 { fill: color-mix(in srgb, var(--accent) 70%, var(--ground)); }
:is(.year, .legend) .l4 { fill: var(--accent); }
.year a:hover rect { stroke: var(--text); }
.shares th[scope="row"] { position: relative; }
.share { position: absolute; inset: .2rem 0; z-index: -1; width: 100%; height: calc(100% - .4rem); }
.share rect { fill: var(--accent-soft); }
.shares { isolation: isolate; }
.shares tbody th[scope="row"] { padding-left: .4rem; }
:root { --mark: #fbe38e; --plus: #22662c; --empty: #eceae4; }
@media (prefers-color-scheme: dark) { :root { --mark: #57450c; --plus: #8fcf98; --empty: #262624; } }

.actions .tag { padding: 0 .4rem; border-radius: 3px; background: var(--accent-soft); text-decoration: none; }
.actions .resume { flex: 1 0 100%; color: var(--quiet); }
.actions .resume code { color: var(--text); }
.edit form { display: grid; gap: .5rem; max-width: 26rem; margin-top: .5rem; padding: .75rem; border: 1px solid var(--line); border-radius: 5px; }
.edit label:not(.check) { display: grid; gap: .15rem; color: var(--quiet); font-size: .8125rem; }
.edit, .edit label { min-width: 0; }
.edit input:not([type="checkbox"]) { width: 100%; padding: .3rem .55rem; }
.edit button { justify-self: start; }
.session .pages.before { margin: 2rem 0 0; }
.subagent.link { display: flex; flex-wrap: wrap; align-items: baseline; column-gap: .5rem; margin-top: .5rem; padding: .2rem .7rem; color: inherit; font-size: .875rem; text-decoration: none; }
.subagent.link:hover { background: var(--raised); }
.subagent.link .target { color: var(--accent); }
@media (max-width: 42rem) {
  .bar { flex-wrap: wrap; gap: .4rem 1.1rem; margin-bottom: 1.25rem; }
  .brand { display: none; }
  .bar nav { gap: 1.4rem; }
  .search { flex: 1 0 100%; max-width: none; }
  .search kbd { display: none; }
  .filters { display: grid; grid-template-columns: 1fr 1fr; }
  .filters select, .filters input[type="date"] { display: block; width: 100%; max-width: none; }
  :is(.sessions, .files) thead { display: none; }
  :is(.sessions, .files), :is(.sessions, .files) tbody, .sessions .day, .sessions .day th { display: block; }
  :is(.sessions, .files) tr:not(.day) { display: flex; flex-wrap: wrap; gap: 0 .9rem; padding: .6rem 0; }
  :is(.sessions, .files) td, :is(.sessions, .files) :is(td, th):first-child { padding: 0; }
  .sessions .what, .files tbody th { order: -1; flex: 1 0 100%; }
  .sessions .when, :is(.sessions, .files) td.number { width: auto; font-size: .8125rem; }
  :is(.sessions, .files) td.number:empty { display: none; }
  .sessions .day th, .sessions tbody:first-of-type .day th { padding: 1.25rem 0 .3rem; }
  :is(.sessions, .files) td[data-unit]:not(:empty)::after { content: " " attr(data-unit); }
  .list td, .list th { padding-inline: .3rem; }
  .files td.number, .files tbody th { padding: 0; }
  .list th .quiet { display: block; font-size: .8125rem; }
  .list td.number:last-child { white-space: normal; }
  .failure { grid-template-columns: 2.75rem minmax(0, 1fr); }
  .failure .times { text-align: left; }
  .passage, .passage .where { display: block; }
  .passage .where .kind { display: inline; }
  .totals { grid-template-columns: repeat(2, 1fr); }
}
@media print {
  .bar nav, .search, .filters, .pages { display: none; }
}
`;
