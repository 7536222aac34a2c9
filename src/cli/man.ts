/** Manual pages, man(7), from the commands themselves. */
import type { Command, Option } from 'commander';
import { GLOBAL_EXAMPLES, type Program } from './program.js';
import { bold, roff, title } from './roff.js';

/** File name → content: `lbctl.1` and one page for each command. */
export function manPages(program: Program): Map<string, string> {
  const pages = new Map<string, string>();
  pages.set('lbctl.1', overview(program));
  const visit = (command: Command, path: string): void => {
    pages.set(`lbctl-${path.replaceAll(' ', '-')}.1`, page(program, command, path));
    for (const child of command.commands) visit(child, `${path} ${child.name()}`);
  };
  for (const command of program.root.commands) visit(command, command.name());
  return pages;
}

function optionList(options: readonly Option[]): string {
  return options
    .filter((option) => !option.hidden)
    .map((option) => {
      const choices = option.argChoices === undefined ? '' : `; one of ${option.argChoices.join(', ')}`;
      const standard =
        typeof option.defaultValue === 'string' || typeof option.defaultValue === 'number'
          ? `; default ${option.defaultValue}`
          : '';
      return `.TP\n${bold(option.flags)}\n${roff(`${option.description}${choices}${standard}`)}\n`;
    })
    .join('');
}

const exampleList = (samples: readonly string[]): string =>
  `.SH EXAMPLES\n.nf\n${samples.map((s) => `${roff(s)}\n`).join('')}.fi\n`;

function overview({ root }: Program): string {
  const list = (command: Command, path: string): string =>
    `.TP\n${bold(path)}\n${roff(command.description())}\n${command.commands.map((child) => list(child, `${path} ${child.name()}`)).join('')}`;
  return `${title('lbctl', 1)}.SH NAME
lbctl \\- ${roff(root.description())}
.SH SYNOPSIS
.B lbctl
[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]
.SH COMMANDS
${root.commands.map((command) => list(command, command.name())).join('')}.SH OPTIONS
Before or after the command.
${optionList(root.options)}.SH ENVIRONMENT
.TP
${bold('HPNN_API')}
${roff('agent to ask where --remote is not given')}
.TP
${bold('HPNN_TOKEN')}
${roff('token for changes over TCP')}
.TP
${bold('NO_COLOR')}
no colours on a terminal
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
${roff("wrong usage, or the agent can't be reached")}
.TP
.B 2
${roff('the agent refused; the configuration is wrong; diff-flows found a difference')}
.TP
.B 65
${roff("config apply --wait: the switch didn't confirm in time")}
${exampleList(GLOBAL_EXAMPLES)}.SH SEE ALSO
${root.commands.map((command) => `.BR ${roff(`lbctl-${command.name()}`)} (1)`).join(',\n')},
.BR ovs\\-ofctl (8),
.BR ovs\\-vsctl (8)
`;
}

function page({ root, examples }: Program, command: Command, path: string): string {
  const usage = command.registeredArguments
    .map((argument) => {
      const name = `\\fI${roff(argument.name())}\\fR${argument.variadic ? '...' : ''}`;
      return argument.required ? name : `[${name}]`;
    })
    .join(' ');
  const args = command.registeredArguments
    .map((argument) => {
      const choices = argument.argChoices === undefined ? '' : `; one of ${argument.argChoices.join(', ')}`;
      return `.TP\n\\fI${roff(argument.name())}\\fR\n${roff(`${argument.description}${choices}`)}\n`;
    })
    .join('');
  const children = command.commands
    .map((child) => `.TP\n${bold(child.name())}\n${roff(child.description())}\n`)
    .join('');
  return `${title(`lbctl-${path.replaceAll(' ', '-')}`, 1)}.SH NAME
${roff(`lbctl-${path.replaceAll(' ', '-')}`)} \\- ${roff(command.description())}
.SH SYNOPSIS
.B ${roff(`lbctl ${path}`)}
[\\fIoptions\\fR]${children === '' ? '' : ' \\fIcommand\\fR'}${usage === '' ? '' : ` ${usage}`}
${args === '' ? '' : `.SH ARGUMENTS\n${args}`}${children === '' ? '' : `.SH COMMANDS\n${children}`}${command.options.length === 0 ? '' : `.SH OPTIONS\n${optionList(command.options)}`}.SH COMMON OPTIONS
${optionList(root.options)}${exampleList(examples.get(command) ?? [])}.SH SEE ALSO
.BR lbctl (1)
`;
}
