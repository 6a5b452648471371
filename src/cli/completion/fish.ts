import { allCommands, type CommandNode } from './command-tree.ts';
import { shortText } from './shell-word.ts';

export function fishCompletion(root: CommandNode): string {
  const commands = allCommands(root);
  const [name = ''] = root.path;
  const known = commands.slice(1).map(({ path }) => fishWord(path.join(' ')));
  const lines = commands.flatMap(({ path, options, commands: inner }) => {
    const here = `complete -c ${name} -n ${fishWord(`__${name}_at ${path.join(' ')}`)}`;
    return [
      ...inner.map(
        (command) =>
          `${here} -f -a ${fishWord(command.path.at(-1) ?? '')} -d ${fishWord(shortText(command.description))}`,
      ),
      ...options.map(({ long, description, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${fishWord(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `${here} -l ${long.slice(2)}${value} -d ${fishWord(shortText(description))}`;
      }),
    ];
  });
  return `# fish completion of ${name}: ${name} completion fish | source
set -g __${name}_commands ${known.join(' ')}
function __${name}_at
  set -l at ${name}
  for word in (commandline -opc)[2..]
    if contains -- "$at $word" $__${name}_commands
      set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
${lines.join('\n')}
`;
}

/** Within single quotes fish knows two escapes. */
const fishWord = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
