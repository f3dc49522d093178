/**
 * Builds the documentation as a site in build/site/ (`npm run docs:site`), from the pages that a code host shows. The folder
 * works without a network and without a server: open build/site/index.html. A link that leads nowhere fails the build.
 * `--serve` then serves it, `--port N` on another port than 8083.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import markdownIt from 'markdown-it'
import { layout } from './layout.mjs'
import { serve } from './serve.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = join(root, 'build/site')
/** Files that go with the pages when a page links to them; others stay names of files in the repository. */
const CARRIED = /\.(png|webp|svg|json|ya?ml)$/

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) => /^(docs\/|config\/|bench\/results\/|examples\/|[A-Z]+\.md$)/.test(file) && existsSync(join(root, file)),
  )
const isPage = new Set(pages)

/** `docs/README.md` → `docs/index.html`. */
const target = (file) => file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')
const text = (tokens) =>
  tokens
    .map(({ type, content, children }) => (children ? text(children) : /break$/.test(type) ? ' ' : content))
    .join('')
/** The anchor that a code host gives a heading. */
const slug = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
const escapeHtml = (words) =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The title of each page: on the site, a link that is called `csp.md` is called by the page's title. */
const titles = new Map(
  pages.map((file) => [
    file,
    /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1].replaceAll('`', '') ?? file,
  ]),
)

const markdown = markdownIt({ html: true })
const carried = new Set()
const wrong = []
const links = []

/** The address on the site of a link of a page; undefined: a file of the repository that the site does not have. */
function resolve(file, href) {
  if (/^[a-z]+:/.test(href)) return href
  const [path, anchor] = href.split('#')
  let found = path === '' ? file : posix.join(posix.dirname(file), decodeURI(path)).replace(/\/$/, '')
  if (!isPage.has(found) && isPage.has(`${found}/README.md`)) found = `${found}/README.md`
  if (!isPage.has(found)) {
    if (!existsSync(join(root, found))) wrong.push(`${file}: ${href} does not exist`)
    else if (!CARRIED.test(found) || statSync(join(root, found)).isDirectory()) return undefined
    else carried.add(found)
  }
  links.push({ file, href, found, anchor })
  const relative = posix.relative(posix.dirname(file), isPage.has(found) ? target(found) : found)
  return anchor === undefined ? relative : `${relative}#${anchor}`
}

/** Links of the running text, images too; where a file is not on the site, its link becomes its name. */
function relink(file, tokens) {
  let names = 0
  for (const [i, token] of tokens.entries()) {
    if (token.children) relink(file, token.children)
    if (token.type === 'image') token.attrSet('src', resolve(file, token.attrGet('src')))
    if (token.type === 'link_open') {
      const name = tokens[i + 1]
      const title = titles.get(posix.join(posix.dirname(file), token.attrGet('href').split('#')[0]))
      if (title !== undefined && /^[\w/-]+\.md$/.test(name.content)) name.content = title
      const href = resolve(file, token.attrGet('href'))
      if (href !== undefined) token.attrSet('href', href)
      else {
        names++
        token.tag = 'span'
        token.attrs = [['title', token.attrGet('title') ?? token.attrGet('href')]]
      }
    }
    if (token.type === 'link_close' && names > 0) {
      names--
      token.tag = 'span'
    }
  }
}

/** Blocks of code that follow each other in different languages become tabs. */
function codeBlocks(tokens) {
  const html = []
  for (let i = 0; i < tokens.length; i++) {
    let end = i
    while (tokens[end + 1]?.type === 'fence' && tokens[end + 1].info !== tokens[i].info) end++
    if (tokens[i].type !== 'fence' || end === i) {
      html.push(tokens[i])
      continue
    }
    html.push(block('<div class="tabs">'), ...tokens.slice(i, end + 1), block('</div>'))
    i = end
  }
  return html
}
const block = (content) => ({ type: 'html_block', content })

markdown.renderer.rules.fence = (tokens, i) => {
  const { info, content } = tokens[i]
  const language = info.trim().split(' ')[0] || 'text'
  // A block that is wider than the page scrolls, by keyboard too.
  return `<pre tabindex="0" data-language="${escapeHtml(language)}"><code>${escapeHtml(content)}</code></pre>\n`
}
markdown.renderer.rules.table_open = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>'
markdown.renderer.rules.table_close = () => '</table></div>'

/** The page that has a live widget, below its first example. */
const LIVE = 'docs/widget/widget.md'
const LIVE_WIDGET = `<section class="live" aria-label="The widget, live">
<p><strong>Try it.</strong> Start a service that protects nothing, <code>npx hv test-server</code>, and this site with
<code>npm run docs:site -- --serve</code>: a widget works on <code>127.0.0.1</code>, not in a folder.</p>
<form id="live">
<label>Address of the service <input name="service" value="http://127.0.0.1:8082/"></label>
<button type="submit">Show the widget</button>
</form>
<output form="live"></output>
</section>`
function withLive(tokens) {
  const at = tokens.findIndex(({ type }) => type === 'fence')
  return [...tokens.slice(0, at + 1), block(LIVE_WIDGET), ...tokens.slice(at + 1)]
}

/** A page as HTML, with its headings, and the text below each of them for the search. */
function render(file) {
  const tokens = markdown.parse(readFileSync(join(root, file), 'utf8'), {})
  relink(file, tokens)
  const anchors = new Set()
  const sections = []
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = text(tokens[i + 1].children).replaceAll(/<[^>]*>/g, '')
      const base = slug(heading)
      const before = sections.filter(({ base: other }) => other === base).length
      const anchor = before === 0 ? base : `${base}-${before}`
      token.attrSet('id', anchor)
      anchors.add(anchor)
      sections.push({ heading, anchor, base, level: Number(token.tag.slice(1)), text: '' })
    } else if (['inline', 'fence'].includes(token.type) && tokens[i - 1]?.type !== 'heading_open') {
      const words = token.children ? text(token.children) : token.content
      if (sections.length > 0) sections.at(-1).text += ` ${words.replaceAll(/<[^>]*>/g, '').replaceAll('\n', ' ')}`
    }
  }
  const rest = file === LIVE ? withLive(tokens) : tokens
  const html = markdown.renderer.render(codeBlocks(rest), markdown.options, {})
  for (const [, id] of html.matchAll(/<a id="([^"]+)">/g)) anchors.add(id)
  return { file, html, anchors, sections, title: sections[0]?.heading ?? file }
}

/** Groups of the index (docs/README.md), each with the pages that it links to. */
function contents(rendered) {
  const parts = readFileSync(join(root, 'docs/README.md'), 'utf8').split(/^## /m).slice(1)
  return parts
    .map((part) => {
      const found = [...part.matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, href]) => posix.join('docs', href))
      const unique = [...new Set(found)].filter((file) => isPage.has(file))
      return { group: part.split('\n')[0], pages: unique.map((file) => ({ file, title: rendered.get(file).title })) }
    })
    .filter(({ group, pages: linked }) => linked.length > 0 && !/questions/i.test(group))
}

rmSync(out, { recursive: true, force: true })
const rendered = new Map(pages.map((file) => [file, render(file)]))
const index = contents(rendered)
for (const { file, href, found, anchor } of links) {
  if (isPage.has(found) && anchor !== undefined && !rendered.get(found).anchors.has(anchor))
    wrong.push(`${file}: ${href} has no such heading`)
}
if (wrong.length > 0) throw new Error(`links that lead nowhere:\n${wrong.join('\n')}`)

const write = (file, content) => {
  mkdirSync(dirname(join(out, file)), { recursive: true })
  writeFileSync(join(out, file), content)
}
for (const page of rendered.values()) {
  const up = posix.relative(posix.dirname(page.file), '.') || '.'
  write(target(page.file), layout({ ...page, index, up, target }))
}
for (const file of carried) {
  mkdirSync(dirname(join(out, file)), { recursive: true })
  copyFileSync(join(root, file), join(out, file))
}
for (const asset of ['site.css', 'site.js']) copyFileSync(new URL(asset, import.meta.url), join(out, asset))
const entries = [...rendered.values()].flatMap(({ file, title, sections }) =>
  sections.map(({ heading, anchor, text: words }) => [target(file), anchor, title, heading, words.trim()]),
)
write('search.js', `window.SEARCH = ${JSON.stringify(entries)}\n`)
console.log(
  `${rendered.size} pages, ${links.length} links, ${entries.length} sections to search: build/site/index.html`,
)

if (process.argv.includes('--serve')) {
  const port = process.argv.includes('--port') ? Number(process.argv[process.argv.indexOf('--port') + 1]) : 8083
  console.log(`serving ${await serve(out, port)}`)
}
