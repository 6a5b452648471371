/** What is asked of a collection: where files come from, whose faces are swapped, what was edited. */
export const TASKS = ['origin', 'faces', 'tampering'] as const;
export type Task = (typeof TASKS)[number];
