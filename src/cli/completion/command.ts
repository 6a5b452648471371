import { Argument, type Command } from 'commander';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { allCommands, type CommandNode, choicesByOption, readCommandTree } from './command-tree.ts';
import { shellWord, shortText } from './shell-word.ts';

export function zshCompletion(root: CommandNode): string {
  const commands = allCommands(root);
  const [name = ''] = root.path;
  const known = commands.slice(1).map(({ path }) => shellWord(path.join(' ')));
  const values = choicesByOption(commands).map(
    ({ line, choices }) =>
      `    (${shellWord(line)}) compadd -- ${choices.map(shellWord).join(' ')}; return ;;`,
  );
  const found = commands.map(({ path, options, commands: inner }) => {
    const rows = [
      ...inner.map((command) => [command.path.at(-1) ?? '', command.description]),
      ...options.map(({ long, description }) => [long, description]),
    ].map(([word = '', text = '']) => shellWord(`${word}:${shortText(text)}`));
    return `    (${shellWord(path.join(' '))}) found=(${rows.join(' ')}) ;;`;
  });
  return `#compdef ${name}
# zsh completion of ${name}: source <(${name} completion zsh), or this file as _${name} in a folder of $fpath
_${name}() {
  local at=${name} word
  local -a found
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
      (${known.join(' | ')}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${found.join('\n')}
  esac
  _describe ${name} found
  _files
}
if [[ "\${zsh_eval_context[-1]}" == loadautofunc ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

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

/** Where no word of ours fits, bash completes file names. */
export function bashCompletion(root: CommandNode): string {
  const commands = allCommands(root);
  const [name = ''] = root.path;
  const known = commands.slice(1).map(({ path }) => shellWord(path.join(' ')));
  const values = choicesByOption(commands).map(
    ({ line, choices }) => `    ${shellWord(line)}) words=${shellWord(choices.join(' '))} ;;`,
  );
  const words = commands.map(({ path, options, commands: inner }) => {
    const all = [...inner.map((command) => command.path.at(-1) ?? ''), ...options.map(({ long }) => long)];
    return `      ${shellWord(path.join(' '))}) words=${shellWord(all.join(' '))} ;;`;
  });
  return `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at=${name} words= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$at \${COMP_WORDS[index]}" in
      ${known.join(' | ')}) at="$at \${COMP_WORDS[index]}" ;;
    esac
  done
  case "$at $before" in
${values.join('\n')}
    *)
      case "$at" in
${words.join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`;
}

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } satisfies Record<
  string,
  (root: CommandNode) => string
>;
type Shell = keyof typeof SHELLS;

const HELP = `
For this user, from the next shell on:
  bash   assay completion bash > ~/.local/share/bash-completion/completions/assay
  zsh    assay completion zsh > ~/.zfunc/_assay     (a folder of $fpath)
  fish   assay completion fish > ~/.config/fish/completions/assay.fish`;

export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action((shell: Shell) => printLine(terminal, SHELLS[shell](readCommandTree(program)).trimEnd()));
}
