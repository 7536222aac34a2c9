/** Completion for bash, from the commands themselves. */
import type { Command, Option } from 'commander';

const words = (options: readonly Option[]): string[] =>
  options
    .filter((o) => !o.hidden)
    .flatMap((o) => [o.short, o.long].filter((w) => w !== undefined && w !== null));

/** Completes commands, options, their choices, and names of tenants, pools and members that the agent knows. */
export function bashCompletion(root: Command): string {
  const help = ['-h', '--help'];
  const global = words(root.options);
  const branch = (path: string, command: Command): string[] => {
    const own = command.commands.map((child) => child.name());
    const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
    const list = [...own, ...choices, ...words(command.options), ...global, ...help].join(' ');
    return [
      `    '${path}') words='${list}' ;;`,
      ...command.commands.flatMap((child) => branch(`${path} ${child.name()}`, child)),
    ];
  };
  const nested = root.commands
    .filter((command) => command.commands.length > 0)
    .map((command) => command.name());
  const valued = [
    ...new Set(all(root).flatMap((c) => c.options.filter((o) => o.required).flatMap((o) => words([o])))),
  ];
  return `# bash completion for lbctl; made by "lbctl completion bash"
_lbctl() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${valued.join('|')}) ((i++)) ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command=\${COMP_WORDS[i]}
        elif [[ ' ${nested.join(' ')} ' == *" $command "* ]]; then command+=" \${COMP_WORDS[i]}"; fi ;;
    esac
  done
  case $prev in
    -f|--format) words='table json csv' ;;
    --kind) words='${choicesOf(root, '--kind').join(' ')}' ;;
    -t|--tenant) words=$(lbctl status -f csv --no-headings 2>/dev/null | cut -d, -f1) ;;
    -p|--pool) words=$(lbctl health -f csv --no-headings 2>/dev/null | cut -d, -f2 | sort -u) ;;
    --from) words=$(lbctl ports -f csv --no-headings 2>/dev/null | cut -d, -f3) ;;
    -o|--output) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  if [[ -z $words ]]; then case $command in
    '') words='${[...root.commands.map((c) => c.name()), 'help', ...global, ...help].join(' ')}' ;;
${root.commands.flatMap((command) => branch(command.name(), command)).join('\n')}
  esac; fi
  if [[ $command == drain || $command == enable ]] && [[ $cur != -* ]]; then
    words=$(lbctl health -f csv --no-headings 2>/dev/null | awk -F, '{ print $1 "/" $2 "/" $3 }')
  elif [[ ( $command == 'config check' || $command == 'config plan' ) && $cur != -* ]]; then
    COMPREPLY=($(compgen -d -- "$cur")); return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _lbctl lbctl
`;
}

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

function choicesOf(root: Command, long: string): readonly string[] {
  return all(root).flatMap((c) =>
    c.options.filter((o) => o.long === long).flatMap((o) => o.argChoices ?? []),
  );
}
