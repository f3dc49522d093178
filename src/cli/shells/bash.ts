import type { Place } from './completion-model.ts'

/** For bash 4 and later, with or without the package bash-completion. */
export function bash(places: readonly Place[]): string {
  const names = places.map(({ path }) => path).filter((path) => path !== '')
  const values = places.flatMap(({ path, options }) =>
    options.flatMap(({ word, takes }) =>
      takes === 'nothing' ? [] : [`    '${path}:${word}') ${takes === 'anything' ? ':' : offer(takes)}; return ;;`],
    ),
  )
  const words = places.map(({ path, commands, options, operands }) => {
    const next = [...commands, ...options].map(({ word }) => word)
    if (operands === 'files') return `    '${path}') [[ $cur == -* ]] && ${offer(next)} || ${offer('files')} ;;`
    return `    '${path}') ${offer([...(operands === 'nothing' ? [] : operands), ...next])} ;;`
  })
  return `# bash completion of hv (human-verification): source <(hv completion bash)
_hv() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
      ${names.map((name) => `'${name}'`).join(' | ')}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at:$prev" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
}
complete -F _hv hv human-verification
`
}

/** Line by line, so that a name with a space in it stays one. */
const offer = (what: 'files' | readonly string[]): string =>
  what === 'files'
    ? '{ mapfile -t COMPREPLY < <(compgen -f -- "$cur"); compopt -o filenames 2>/dev/null || :; }'
    : `mapfile -t COMPREPLY < <(compgen -W '${what.join(' ')}' -- "$cur")`
