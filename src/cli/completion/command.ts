import { Argument, type Command } from 'commander';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { bashCompletion } from './bash.ts';
import { type CommandNode, readCommandTree } from './command-tree.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

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
