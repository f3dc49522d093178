/** The documentation as a site (`npm run docs:site`): the pages that a code host shows, with search, in `build/site/`. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Folders of the repository without a page for readers. */
const OTHERS = [
  '.github',
  'build',
  'deploy',
  'docs/site',
  'examples',
  'lab',
  'packages',
  'src',
  'test',
  'widget',
]

const titleOf = (page) =>
  /^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8'))[1].replaceAll('`', '')
const isPage = (file) =>
  file.endsWith('.md') &&
  existsSync(join(root, file)) &&
  !OTHERS.some((other) => file.startsWith(other))

const asIndex = (path) => path.replace(/README\.md\b/, 'index.md')

/**
 * The theme's label of a block's language is too pale to read, and its tables are too wide: names may break, and what a reader
 * reads gets the room.
 */
const style = `
html:root { --vp-code-lang-color: var(--vp-c-text-2) }
.vp-doc :is(th, td) { padding: 6px 10px; vertical-align: top }
.vp-doc td code { overflow-wrap: anywhere }
.vp-doc td:has(code) { min-width: 8.5rem }
.vp-doc td:last-child:not(:first-child) { min-width: 11rem }
`

/** The groups of docs/README.md, each with the pages that it links to. */
const sidebar = readFileSync(join(root, 'docs/README.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((part) => {
    const links = [...part.matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, href]) =>
      posix.join('docs', href),
    )
    const items = [...new Set(links)].map((page) => ({
      text: titleOf(page),
      link: `/${asIndex(page)}`,
    }))
    return { text: part.split('\n')[0], items }
  })

/** Shows fenced blocks with `[labels]` that follow each other as tabs. */
const tabs = (state) => {
  state.src = state.src.replaceAll(
    /(?:^```\w+ \[.+\n(?:(?!```).*\n)*```\n\n?){2,}/gm,
    (blocks) => `::: code-group\n\n${blocks}\n:::\n\n`,
  )
}

/** Names a heading as the code host does, so that links to it work in both. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/** Turns links to files of the repository that the site does not have into their text, and a README into an index. */
const onlyPages = (state) => {
  const from = dirname(relative(root, state.env.path))
  for (const { children } of state.tokens) {
    let isFile = false
    for (const token of children ?? []) {
      const href = token.type === 'link_open' ? token.attrGet('href').split('#')[0] : ''
      if (token.type === 'link_open')
        isFile = !/^(?:[a-z]+:|$)/.test(href) && !isPage(join(from, href))
      if (isFile && token.type.startsWith('link_')) [token.tag, token.attrs] = ['span', []]
      else if (token.type === 'link_open') token.attrSet('href', asIndex(token.attrGet('href')))
    }
  }
}

/** The pages as Markdown beside the others, and `llms.txt`, their index for programs that read (llmstxt.org). */
function buildEnd({ pages, outDir }) {
  for (const page of pages) cpSync(join(root, page), join(outDir, page))
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [title, about] = readme.split('\n\n', 2)
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8').replace(/^# .*\n\n.*\n/, '')
  const links = index.replaceAll(
    /\]\((?!\w+:)([^)#]+)/g,
    (_, href) => `](/${posix.join('docs', href)}`,
  )
  writeFileSync(join(outDir, 'llms.txt'), `${title}\n\n> ${about}\n${links}`)
}

export default defineConfig({
  title: 'human-verification',
  buildEnd,
  description: 'Human verification that you run yourself',
  srcDir: '../..',
  outDir: '../../build/site',
  cacheDir: '../../build/vitepress',
  srcExclude: OTHERS.map((folder) => `${folder}/**`),
  rewrites: asIndex,
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, style],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    languageAlias: { acl: 'ini', 'acl-sentinel': 'ini', 'acl-cluster': 'ini', csp: 'ini' },
    config(md) {
      md.core.ruler.before('block', 'tabs', tabs)
      md.core.ruler.after('inline', 'only-pages', onlyPages)
    },
  },
  // The pages lie outside this folder, and so outside what its packages are found from.
  vite: {
    resolve: {
      alias: {
        'vue/server-renderer': fileURLToPath(import.meta.resolve('vue/server-renderer')),
        vue: fileURLToPath(import.meta.resolve('vue/dist/vue.runtime.esm-bundler.js')),
      },
    },
  },
  // It has no parts to list beside it, and a wide table.
  transformPageData: ({ relativePath }) =>
    relativePath === 'config/index.md' && { frontmatter: { aside: false } },
  themeConfig: { sidebar, search: { provider: 'local' }, outline: 'deep' },
})
