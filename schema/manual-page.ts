/** The manual page of the command line in roff, from its commands: `man docs/assay.1`. */
import { allCommands, type CommandNode } from '../src/cli/completion/command-tree.ts';

export function describeManual(
  root: CommandNode,
  { version, epilogue }: { version: string; epilogue: string },
): string {
  const [name = ''] = root.path;
  const commands = allCommands(root).filter(({ commands: inner }) => inner.length === 0);
  return [
    `.TH ${name.toUpperCase()} 1 "" "${name} ${version}" "User Commands"`,
    '.SH NAME',
    `${name} \\- ${plain(root.description)}`,
    '.SH SYNOPSIS',
    `.B ${name}`,
    '.I COMMAND',
    '.RI [ OPTION ...]',
    '.SH COMMANDS',
    ...commands.flatMap(describeCommand),
    '.SH ENVIRONMENT AND EXIT STATUS',
    '.nf',
    ...epilogue.trim().split('\n').map(plain),
    '.fi',
    '',
  ].join('\n');
}

function describeCommand({ path, description, arguments: args, options }: CommandNode): string[] {
  const usage = [...path, ...args.map((argument) => argument.usage)].join(' ');
  const rows = [
    ...args.map(({ usage: flags, description: text }) => [flags, text]),
    ...options.map(({ flags, description: text }) => [flags, text]),
  ];
  return [
    `.SS "${plain(usage)}"`,
    plain(description),
    ...rows.flatMap(([flags = '', text = '']) => ['.TP', `.B ${plain(flags)}`, plain(text)]),
  ];
}

/** Hyphens that are typed, backslashes, lines that would be requests, and what is not ASCII by its number. */
function plain(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
    .replaceAll(
      /[^ -~\n]/gu,
      (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}
