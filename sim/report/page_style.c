// How the page looks: on light and on dark screens, and on paper.
#include "sim/report/page_parts.h"

// Blue and orange are told apart with every kind of colour blindness, and differ in brightness.
static const char colours[] = ":root { --paper: #ffffff; --ink: #1b2430; --dim: #566473; --line: #d8e0e8; --box: #f3f6f9;\n"
                              "  --in: #0b62bd; --in-fill: #a9cdf2; --out: #a84a00; --out-fill: #f6c08d; --wait: #e3e8ee; "
                              "--good: #14693d; --bad: #b3151b;\n"
                              "  color-scheme: light; }\n"
                              "@media screen and (prefers-color-scheme: dark) {\n"
                              "  :root { --paper: #10161d; --ink: #e8edf2; --dim: #a3b2c1; --line: #2b3846; --box: #19222c;\n"
                              "    --in: #7dbbff; --in-fill: #1f4e80; --out: #ffae66; --out-fill: #7a4312; --wait: #2a3541; "
                              "--good: #62d79c; --bad: #ff8f8f;\n"
                              "    color-scheme: dark; } }\n";

static const char words[] =
    "body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 960px; background: var(--paper); color: var(--ink);\n"
    "  font: 15px/1.5 system-ui, -apple-system, \"Segoe UI\", Roboto, \"Noto Sans\", \"DejaVu Sans\", sans-serif; }\n"
    "h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 1.1rem; line-height: 1.35; margin: 2.4rem 0 .2rem; }\n"
    "h3 { font-size: .95rem; margin: 1.2rem 0 .2rem; }\n"
    "p { margin: .2rem 0; }\n"
    ".verdict { font-size: 1.1rem; font-weight: 600; }\n"
    ".good { color: var(--good); } .bad { color: var(--bad); }\n"
    ".setting, .reading, .note { color: var(--dim); }\n"
    ".reading { max-width: 46rem; margin-bottom: .6rem; }\n"
    ".again { font-size: .85rem; color: var(--dim); }\n"
    "code, .mismatches { font-family: ui-monospace, \"DejaVu Sans Mono\", monospace; font-size: .85rem; overflow-wrap: anywhere; "
    "}\n"
    ".mismatches { margin: .6rem 0; padding: .5rem .5rem .5rem 2rem; background: var(--box); }\n"
    ".empty { padding: .8rem 1rem; background: var(--box); border-radius: 6px; }\n"
    "dl.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .5rem; margin: 1rem 0 0; }\n"
    "dl.figures div { background: var(--box); border-radius: 6px; padding: .4rem .7rem; }\n"
    "dl.figures dt { color: var(--dim); font-size: .8rem; }\n"
    "dl.figures dd { margin: 0; font-size: 1.1rem; font-variant-numeric: tabular-nums; }\n"
    "table { border-collapse: collapse; margin: .4rem 0; width: 100%; font-size: .9rem; }\n"
    "th { text-align: left; font-weight: 600; color: var(--dim); }\n"
    "th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }\n"
    "td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    "td.name { white-space: nowrap; } td.bar { width: 26%; min-width: 7rem; }\n"
    "td.bar svg { height: 12px; margin-top: 5px; }\n"
    "details { margin-top: .6rem; } summary { cursor: pointer; color: var(--dim); }\n"
    ".wide { overflow-x: auto; }\n"
    ".legend { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; font-size: .85rem; margin: 0 0 .4rem; padding: 0; list-style: "
    "none; }\n"
    ".legend svg { display: inline-block; width: 26px; height: 14px; vertical-align: -2px; margin-right: .4rem; }\n"
    "dl.terms dt { font-weight: 600; margin-top: .5rem; } dl.terms dd { margin: 0; color: var(--dim); max-width: 46rem; }\n";

static const char pictures[] =
    "svg { display: block; width: 100%; height: auto; }\n"
    "svg text { fill: var(--ink); font-size: 12px; font-family: inherit; }\n"
    "svg .tick, svg .unit, svg .dim, svg .tiny { fill: var(--dim); font-size: 11px; } svg .tiny { font-size: 9px; }\n"
    "svg .mid { text-anchor: middle; } svg .end { text-anchor: end; } svg .bold { font-weight: 600; }\n"
    ".grid { stroke: var(--line); stroke-width: 1; fill: none; }\n"
    ".zero { stroke: var(--dim); stroke-width: 1; fill: none; }\n"
    ".limit { stroke: var(--dim); stroke-width: 1; stroke-dasharray: 5 4; fill: none; }\n"
    ".peak { stroke: var(--ink); stroke-width: 1; fill: none; }\n"
    ".in { fill: var(--in-fill); stroke: var(--in); stroke-width: 1; }\n"
    ".out { fill: var(--out-fill); stroke: var(--out); stroke-width: 1; }\n"
    ".wait { fill: var(--wait); stroke: none; }\n"
    ".hatch { stroke: var(--out); stroke-width: 1.5; }\n"
    ".kept { fill: url(#hatched); stroke: var(--out); stroke-width: 1; }\n"
    ".drop { fill: var(--out); }\n"
    ".mark { stroke: var(--ink); stroke-width: 1.5; fill: none; }\n"
    ".left { fill: var(--ink); }\n"
    ".heat { fill: var(--in); } .hot { fill: var(--out); } .row { fill: var(--box); }\n"
    ".way { stroke: var(--in); fill: none; } .idle { stroke: var(--line); fill: none; stroke-width: 1; }\n"
    ".place { fill: var(--paper); stroke: var(--ink); stroke-width: 1; }\n";

static const char paper[] =
    "@media print {\n"
    "  body { max-width: none; padding: 0; font-size: 9.5pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }\n"
    "  svg, tr, .figures div { break-inside: avoid; } h2, h3, .reading, .legend, tr.heading { break-after: avoid; }\n"
    "  h2 { margin-top: 1.4rem; } details:not([open]) { display: none; }\n"
    "}\n";

void page_style(FILE *file) {
  fputs("<style>\n", file);
  fputs(colours, file);
  fputs(words, file);
  fputs(pictures, file);
  fputs(paper, file);
  fputs("</style>\n", file);
}
