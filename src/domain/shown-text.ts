/** Shows people texts that somebody else chose. Stored texts and answers to programs stay as sent. */

/** Fills `{name}`; `{name:one|more}` takes the word that fits a number, in English and Italian alike. */
export function fillText(text: string, filling: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, more = '') => {
    const value = filling[name];
    if (value === undefined) return whole;
    return one === undefined ? String(value) : String(value) === '1' ? one : more;
  });
}

/** Matches what `fillText` makes of a text; `takenBy` gives the pattern of a gap's filling. */
export function filledPattern(text: string, takenBy: (gap: string) => string): RegExp {
  const escaped = text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${escaped.replaceAll(/\{(\w+)\}/g, (_, gap: string) => `(?<${gap}>${takenBy(gap)})`)}$`,
  );
}

/** A number of things: `1 record`, `2 records`. */
export function counted(count: number | bigint, one: string, more = `${one}s`): string {
  return `${count} ${String(count) === '1' ? one : more}`;
}

/** A person by name and number, since two may have one name; by number alone if the name is gone; without one the appliance. */
export function personLabel(id: number | bigint | undefined, name: string): string {
  if (id === undefined) return 'appliance';
  return name === '' ? `account ${id}` : `${name} (account ${id})`;
}

/** A foreign text on one line, without characters that a terminal would obey. */
export function onOneLine(text: string, charactersMax: number): string {
  return text
    .slice(0, charactersMax * 2)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, charactersMax)
    .toWellFormed();
}

/** Controls, line separators, and the marks that turn the direction of what follows: `gpj.exe` reads as `exe.jpg`. */
const DECEIVING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces characters that move, hide or turn others by their escapes: `\u202e`. */
export function showText(text: string): string {
  return text.replace(DECEIVING, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  });
}
