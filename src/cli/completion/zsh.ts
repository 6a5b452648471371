import { allCommands, type CommandNode, choicesByOption } from './command-tree.ts';
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
