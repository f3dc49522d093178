const escapeHtml = (words) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A whole page: contents, the text, and its headings. */
export function layout({ file, html, title, sections, index, up, target }) {
  const isOpen = ({ pages }) => pages.some((page) => page.file === file)
  const groups = index.map((each) => {
    const items = each.pages.map(({ file: other, title: name }) => {
      const here = other === file ? ' aria-current="page"' : ''
      return `<li><a href="${up}/${target(other)}"${here}>${escapeHtml(name)}</a></li>`
    })
    return `<details${isOpen(each) ? ' open' : ''}><summary>${escapeHtml(each.group)}</summary><ul>${items.join('')}</ul></details>`
  })
  const headings = sections
    .filter(({ level }) => level === 2)
    .map(({ heading, anchor }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`)
  const onPage =
    headings.length < 2
      ? ''
      : `<nav class="on-page" aria-label="On this page"><h2>On this page</h2><ul>${headings.join('')}</ul></nav>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · human-verification</title>
<link rel="stylesheet" href="${up}/site.css">
<script src="${up}/site.js" data-root="${up}"></script>
</head>
<body>
<a class="skip" href="#text">To the text</a>
<header>
<a class="name" href="${up}/index.html">human-verification</a>
<div class="search" role="search">
<input type="search" id="query" placeholder="Search  ( / )" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<ol id="results" aria-label="Results" hidden></ol>
</div>
<button type="button" id="theme">Theme</button>
<button type="button" id="menu" aria-expanded="false" aria-controls="contents">Contents</button>
</header>
<div class="columns">
<nav id="contents" aria-label="Contents">
<a href="${up}/docs/index.html">All pages</a>
${groups.join('\n')}
</nav>
<main id="text">
${html}
</main>
${onPage}
</div>
</body>
</html>
`
}
