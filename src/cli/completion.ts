import { command, UsageError } from './command.ts'
import { EXIT } from './exit-codes.ts'
import { bash } from './shells/bash.ts'
import { fish } from './shells/fish.ts'
import { placesOf } from './shells/completion-model.ts'
import { zsh } from './shells/zsh.ts'

const SHELLS = { bash, zsh, fish }

/** `hv completion`: a script from the one table of commands, so that it can never name an option that is not there. */
export const completion = command(
  {
    name: 'completion',
    summary: 'prints the completion script for bash, zsh or fish',
    about:
      'Prints a script that makes your shell complete commands, options and files. Source it, or keep it where your shell looks.',
    operands: ['SHELL'],
    offers: Object.keys(SHELLS),
    options: {},
    examples: [
      'source <(hv completion bash)',
      'hv completion bash > ~/.local/share/bash-completion/completions/hv',
      'hv completion zsh > "${fpath[1]}/_hv"',
      'hv completion fish > ~/.config/fish/completions/hv.fish',
    ],
  },
  async (_given, io, [shell = '']) => {
    if (!Object.hasOwn(SHELLS, shell)) {
      throw new UsageError(`hv completion knows ${Object.keys(SHELLS).join(', ')}; got "${shell}"`)
    }
    // Read here alone: this table needs every command's file.
    const { TABLE } = await import('./commands.ts')
    io.out(SHELLS[shell as keyof typeof SHELLS](placesOf(TABLE)).trimEnd())
    return EXIT.done
  },
)
