/** The fenced blocks of a page in `docs/`, so that what a customer reads is what runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './projects.ts'

export type Block =
  /** `file=…`: goes into a file of that name. */
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** `ts [Label]` without a file: is compiled with the framework's own types. */
  | { readonly kind: 'typed'; readonly label: string; readonly text: string }
  /** `sh`: is run; `background` goes on while the page is tried, `expect=N` is its exit code, 0 otherwise. */
  | { readonly kind: 'command'; readonly background: boolean; readonly exit: number; readonly text: string }
  /** `text output`: what the command before it prints. */
  | { readonly kind: 'output'; readonly text: string }

/** @throws {Error} for a block that nobody would run: whatever stands in a page is run. */
export function blocksOf(page: string): Block[] {
  const source = readFileSync(join(ROOT, 'docs', page), 'utf8')
  return [...source.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, head = '', text = '']) => {
    const [language = '', ...words] = head.trim().split(/\s+/)
    const word = (name: string): string | undefined =>
      words.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
    const name = word('file')
    if (name !== undefined) return { kind: 'file', name, text }
    if (language === 'ts') return { kind: 'typed', label: words.join(' '), text }
    if (language === 'text' && words.includes('output')) return { kind: 'output', text }
    if (language === 'sh') {
      return { kind: 'command', background: words.includes('background'), exit: Number(word('expect') ?? 0), text }
    }
    throw new Error(`${page}: nobody runs a block that begins with \`\`\`${head}`)
  })
}
