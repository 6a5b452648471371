import { allCommands, type CommandNode, choicesByOption } from './command-tree.ts';
import { shellWord } from './shell-word.ts';

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
