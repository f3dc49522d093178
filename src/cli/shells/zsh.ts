import { type Place, quoted, type Taken } from './completion-model.ts'

/** For zsh 5 with `compinit`; works sourced, and as a file named `_hv` in `fpath`. */
export function zsh(places: readonly Place[]): string {
  const cases = places.map(({ path, commands, options, operands }) => {
    const depth = path === '' ? 0 : path.split(' ').length
    if (commands.length > 0) {
      const described = commands.map(({ word, says }) => quoted(`${word}:${says}`)).join(' ')
      return `    ${quoted(path)}) (( CURRENT == ${depth + 2} )) && { local -a next=(${described}); _describe command next } ;;`
    }
    const specs = options.map(({ word, says, takes, multiple }) => {
      const value = takes === 'nothing' ? '' : `:${word.slice(2)}:${actionOf(takes)}`
      // Brackets and colons end an explanation in the language of _arguments.
      const explained = says.replaceAll(/[\\[\]:]/g, String.raw`\$&`)
      return quoted(`${multiple ? '*' : ''}${word}[${explained}]${value}`)
    })
    const last = operands === 'nothing' ? [] : [quoted(`*:operand:${actionOf(operands)}`)]
    return `    ${quoted(path)}) shift ${depth} words; (( CURRENT -= ${depth} )); _arguments ${[...specs, ...last].join(' ')} ;;`
  })
  const names = places.map(({ path }) => path).filter((path) => path !== '')
  return `#compdef hv human-verification
# zsh completion of hv (human-verification): source <(hv completion zsh)
_hv() {
  local at='' i
  for ((i = 2; i < CURRENT; i++)); do
    case "\${at:+$at }\${words[i]}" in
      ${names.map((name) => quoted(name)).join(' | ')}) at="\${at:+$at }\${words[i]}" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
}
if [[ "\${funcstack[1]}" == _hv ]]; then
  _hv "$@"
else
  compdef _hv hv human-verification
fi
`
}

function actionOf(takes: Exclude<Taken, 'nothing'>): string {
  if (takes === 'files') return '_files'
  return takes === 'anything' ? ' ' : `(${takes.join(' ')})`
}
