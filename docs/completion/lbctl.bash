# bash completion for lbctl; made by "lbctl completion bash"
_lbctl() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --remote|-f|--format|-t|--tenant|-p|--pool|--limit|--table|--kind|--from|--segment|--ct-next|-o|--output|--class|--duration|--rate|--max-size|--since) ((i++)) ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command=${COMP_WORDS[i]}
        elif [[ ' config ' == *" $command "* ]]; then command+=" ${COMP_WORDS[i]}"; fi ;;
    esac
  done
  case $prev in
    -f|--format) words='table json csv' ;;
    --kind) words='node tenant segment listener pool member neighbours learned-mac learned-neighbour learned-answer' ;;
    -t|--tenant) words=$(lbctl status -f csv --no-headings 2>/dev/null | cut -d, -f1) ;;
    -p|--pool) words=$(lbctl health -f csv --no-headings 2>/dev/null | cut -d, -f2 | sort -u) ;;
    --from) words=$(lbctl ports -f csv --no-headings 2>/dev/null | cut -d, -f3) ;;
    -o|--output) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  if [[ -z $words ]]; then case $command in
    '') words='status health slots neigh fdb conns flows ports groups meters drops drain enable trace capture events config diff-flows log ofp-print completion help -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'status') words='--brief -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'health') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'slots') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'neigh') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'fdb') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'conns') words='--limit -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'flows') words='--table --kind --raw -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'ports') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'groups') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'meters') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'drops') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'drain') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'enable') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'trace') words='--from --segment --ct-next --tracked --json --raw -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'capture') words='-o --output --class --no-frames --duration --rate --max-size -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'events') words='--since -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'config') words='check plan apply show schema -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'config check') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'config plan') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'config apply') words='--wait -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'config show') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'config schema') words='node tenant -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'diff-flows') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'log') words='-V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'ofp-print') words='--json --roundtrip -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
    'completion') words='bash -V --version --remote -f --format --no-headings -t --tenant -p --pool --watch -h --help' ;;
  esac; fi
  if [[ $command == drain || $command == enable ]] && [[ $cur != -* ]]; then
    words=$(lbctl health -f csv --no-headings 2>/dev/null | awk -F, '{ print $1 "/" $2 "/" $3 }')
  elif [[ ( $command == 'config check' || $command == 'config plan' ) && $cur != -* ]]; then
    COMPREPLY=($(compgen -d -- "$cur")); return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _lbctl lbctl
