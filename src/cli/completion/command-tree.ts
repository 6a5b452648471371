/** The commands as data: completion, the manual page and their tests are made from them, so that none can drift. */
import type { Command, Option } from 'commander';

export interface OptionNode {
  /** `--kind <kind>`. */
  flags: string;
  /** `--kind`. */
  long: string;
  description: string;
  /** Whether a value follows it. */
  takesValue: boolean;
  /** The words it takes; empty if it takes other values. */
  choices: readonly string[];
}

export interface ArgumentNode {
  /** `<file...>`, `[dir]`. */
  usage: string;
  name: string;
  description: string;
}

export interface CommandNode {
  /** Words from the program's name on: `assay models add`. */
  path: readonly string[];
  description: string;
  options: readonly OptionNode[];
  arguments: readonly ArgumentNode[];
  commands: readonly CommandNode[];
}

const HELP: OptionNode = {
  flags: '-h, --help',
  long: '--help',
  description: 'what the command does and takes',
  takesValue: false,
  choices: [],
};

export function readCommandTree(command: Command, above: readonly string[] = []): CommandNode {
  const path = [...above, command.name()];
  return {
    path,
    description: command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(toOption), HELP],
    arguments: command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
      const usage = argument.required ? `<${name}>` : `[${name}]`;
      return { usage, name: argument.name(), description: argument.description };
    }),
    commands: command.commands.map((inner) => readCommandTree(inner, path)),
  };
}

/** All commands, each before those below it. */
export function allCommands(root: CommandNode): CommandNode[] {
  return [root, ...root.commands.flatMap(allCommands)];
}

/** Every option with a choice of words, under the words before it on the line: `assay list --kind`. */
export function choicesByOption(
  commands: readonly CommandNode[],
): { line: string; choices: readonly string[] }[] {
  return commands.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ long, choices }) => ({ line: [...path, long].join(' '), choices })),
  );
}

function toOption({ flags, long, description, required, optional, argChoices }: Option): OptionNode {
  const takesValue = required || optional;
  return { flags, long: long ?? flags, description, takesValue, choices: argChoices ?? [] };
}
