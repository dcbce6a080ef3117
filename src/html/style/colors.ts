/** Two schemes, each with text of at least 4.5:1 on every ground that it stands on. One accent; red only for failures. */
export const COLORS = `
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
