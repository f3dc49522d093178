# press-tab.zsh SCRIPT LINE: types LINE into an interactive zsh that has sourced SCRIPT, asks what can follow, and prints what it draws.
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; stty columns 200 rows 100; autoload -U compinit; compinit -u -D; LISTMAX=10000; source $1"
# A widget of its own, so that the end of the list is known.
zpty -w z 'choices() { zle list-choices; zle -R; zle -I; print -rn -- "<e""nd>" }; zle -N choices; bindkey "^X" choices; print "<rea""dy>"'
zpty -r z seen '*<ready>*'
zpty -w -n z "$2"$'\x18'
zpty -r z seen '*<end>*'
print -r -- "${seen//[$'\r\a']/ }"
zpty -d z
