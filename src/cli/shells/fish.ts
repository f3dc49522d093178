import { type Place, quoted, type Taken } from './completion-model.ts'

/** For fish 3 and later. */
export function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, operands }) => {
    const next = commands.map(({ word }) => word)
    const here = quote(path === '' ? '__fish_use_subcommand' : conditionOf(path, next))
    return [
      ...commands.map(({ word, says }) => `-n ${here} -a ${quote(word)} -d ${quote(says)}`),
      ...(operands === 'nothing'
        ? []
        : [`-n ${here} ${operands === 'files' ? '-F' : `-a ${quote(operands.join(' '))}`}`]),
      ...options.map(({ word, says, takes }) => `-n ${here} -l ${word.slice(2)}${valueOf(takes)} -d ${quote(says)}`),
    ]
  })
  return `# fish completion of hv (human-verification): hv completion fish | source
for program in hv human-verification
    complete -c $program -f
${lines.map((line) => `    complete -c $program ${line}`).join('\n')}
end
`
}

/** After the words of the path; where more commands can follow, only while none of them is there. */
function conditionOf(path: string, next: readonly string[]): string {
  const conditions = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
  return [...conditions, ...(next.length > 0 ? [`not __fish_seen_subcommand_from ${next.join(' ')}`] : [])].join(
    '; and ',
  )
}

function valueOf(takes: Taken): string {
  if (takes === 'nothing') return ''
  if (takes === 'files') return ' -r -F'
  return takes === 'anything' ? ' -x' : ` -x -a ${quote(takes.join(' '))}`
}

const quote = (text: string): string => quoted(text.replaceAll('\\', '\\\\'), String.raw`\'`)
