/** The few forms of Markdown that model cards use, as elements. Nothing of it is ever taken for HTML. */
import type { ComponentChildren, JSX } from 'preact';

/** Blocks are distinguished by their first characters; a paragraph is what is nothing else. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const blocks = text.replaceAll('\r\n', '\n').split(/\n{2,}/);
  return (
    <div class="card-text">{blocks.flatMap(splitHeading).map((block, index) => toBlock(block, index))}</div>
  );
}

/** A heading's next line begins a block of its own. */
function splitHeading(block: string): string[] {
  const [first = '', ...rest] = block.trim().split('\n');
  if (!/^#{1,6} /.test(first) || rest.length === 0) return block.trim() === '' ? [] : [block.trim()];
  return [first, ...splitHeading(rest.join('\n'))];
}

function toBlock(block: string, key: number): JSX.Element {
  const lines = block.split('\n');
  const [first = ''] = lines;
  const heading = /^(#{1,6}) (.*)$/.exec(first);
  if (heading !== null) return toHeading(heading[2] ?? '', heading[1]?.length ?? 1, key);
  if (first.startsWith('```')) return <pre key={key}>{lines.slice(1, -1).join('\n')}</pre>;
  if (first.startsWith('|')) return <CardTable key={key} {...{ lines }} />;
  if (/^[-*] /.test(first)) {
    return (
      <ul key={key}>
        {block.split(/\n(?=[-*] )/).map((item, index) => (
          <li key={index}>{toInline(item.replace(/^[-*] /, ''))}</li>
        ))}
      </ul>
    );
  }
  return <p key={key}>{toInline(block)}</p>;
}

/** The page has headings of the first and second level above the card's. */
function toHeading(text: string, level: number, key: number): JSX.Element {
  return level <= 2 ? <h3 key={key}>{toInline(text)}</h3> : <h4 key={key}>{toInline(text)}</h4>;
}

function CardTable({ lines }: { lines: readonly string[] }): JSX.Element {
  const rows = lines.filter((line) => !/^\|[\s:|-]+\|$/.test(line)).map(toCells);
  const [head = [], ...body] = rows;
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) =>
              cell === '' ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col">
                  {toInline(cell)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {body.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, index) => (
                <td key={index}>{toInline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function toCells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

/** `code`, **strong** and [links](…); of a link only the words are shown, since the box may have no network. */
function toInline(text: string): ComponentChildren {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((part, index) => {
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    if (part.startsWith('**')) return <strong key={index}>{part.slice(2, -2)}</strong>;
    return /^\[([^\]]+)\]\(/.exec(part)?.[1] ?? part;
  });
}
