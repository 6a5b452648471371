/** The models of the box: which run, on which device, how often they err, and what their cards say. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { describeSet, type FigureRow, foundOf } from '../../src/domain/packs/measured-figures.ts';
import { type Model, READ_MODEL_CARD, READ_MODELS } from '../gen/documents.ts';
import { formatNumber, formatPercent } from '../parts/format.ts';
import { Button, Dialog, Empty, Facts, Fault, Loading, Notice, Panel, Title } from '../parts/parts.tsx';
import { figuresOf } from '../parts/stated-errors.ts';
import { useQuery } from '../parts/use-query.ts';
import { findText, t } from '../texts/language.ts';
import { isFused, tierName } from '../texts/names.ts';
import { DeviceTest } from './device-test.tsx';

const REFRESH_MS = 10_000;

export function ModelsPage({ isAdmin }: { isAdmin: boolean }): JSX.Element {
  const { data, error, isLoading } = useQuery(READ_MODELS, {}, REFRESH_MS);
  const models = data?.appliance.models;
  return (
    <>
      <Title>{t('models')}</Title>
      <p class="quiet">{t('modelsLead')}</p>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      {models?.length === 0 && (
        <Empty title={t('noModels')}>
          <p>{t('repairNoModels')}</p>
        </Empty>
      )}
      {isAdmin && <DeviceTest />}
      {models !== undefined && <Together {...{ models }} />}
      <div class="columns">
        {models?.map((model) => (
          <ModelPanel key={`${model.id} ${model.version}`} {...{ model }} />
        ))}
      </div>
    </>
  );
}

function ModelPanel({ model }: { model: Model }): JSX.Element {
  const { id, version, name, task, provider, fault, licence, source, weight } = model;
  const [isReading, setReading] = useState(false);
  const own = figuresOf(model).filter(({ tier }) => !isFused(tier));
  return (
    <Panel title={name}>
      {fault !== null && <Notice kind="bad">{t('repairModel', { id, fault })}</Notice>}
      <Facts
        rows={[
          [t('identifier'), <code key="id">{`${id} ${version}`}</code>],
          [t('task'), findText(`task_${task}`) ?? task],
          [t('device'), provider ?? t('outOfService')],
          ...(weight === 0 ? [] : [[t('weight'), formatNumber(weight, 2)] as const]),
          [t('licence'), licence],
          [t('modelSource'), source],
        ]}
      />
      {own.length > 0 && <FiguresTable {...{ name }} figures={own} />}
      <Button onPress={() => setReading(true)} label={`${t('readCard')}: ${name}`}>
        {t('readCard')}
      </Button>
      {isReading && <Card {...{ id, name }} onClose={() => setReading(false)} />}
    </Panel>
  );
}

/** The figures that count if all models of a task answer. */
function Together({ models }: { models: readonly Model[] }): JSX.Element {
  const byTask = Map.groupBy(
    models.filter((model) => figuresOf(model).some(({ tier }) => isFused(tier))),
    ({ task }) => task,
  );
  return (
    <>
      {[...byTask].map(([task, [first]]) => (
        <Panel key={task} title={t('together', { task: findText(`task_${task}`) ?? task })}>
          <FiguresTable
            name={task}
            figures={first === undefined ? [] : figuresOf(first).filter(({ tier }) => isFused(tier))}
          />
        </Panel>
      ))}
    </>
  );
}

const setOf = ({ outside }: FigureRow): string =>
  outside === undefined ? t('insideSet') : describeSet(outside);

/** A table for each set, those of outside media first, as the pack has them. */
function FiguresTable({ name, figures }: { name: string; figures: readonly FigureRow[] }): JSX.Element {
  const percent = (share: number | undefined) => (share === undefined ? '–' : formatPercent(share));
  return (
    <>
      {[...Map.groupBy(figures, setOf)].map(([set, rows]) => (
        <table class="plain figures" key={`${name} ${set}`}>
          <caption>{set}</caption>
          <thead>
            <tr>
              <th scope="col">{t('tier')}</th>
              <th scope="col">AUC</th>
              <th scope="col">{t('found')}</th>
              <th scope="col">{t('falseAlarms')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.tier}>
                <th scope="row">{tierName(row.tier)}</th>
                <td class="figure">{row.auc === undefined ? '–' : formatNumber(row.auc, 3)}</td>
                <td class="figure">{percent(foundOf(row))}</td>
                <td class="figure">{percent(row.falseAlarmRateBalanced)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </>
  );
}

function Card({ id, name, onClose }: { id: string; name: string; onClose: () => void }): JSX.Element {
  const { data, error, isLoading } = useQuery(READ_MODEL_CARD, { id });
  return (
    <Dialog title={name} {...{ onClose }}>
      {isLoading && <Loading />}
      <Fault {...{ error }} />
      {data !== undefined && (
        <div lang="en">
          <Markdown text={data.modelCard} />
        </div>
      )}
      <p class="actions">
        <Button onPress={onClose}>{t('close')}</Button>
      </p>
    </Dialog>
  );
}

/**
 * The few forms of Markdown that model cards use, as elements. Nothing of it is ever taken for HTML. Blocks are
 * distinguished by their first characters; a paragraph is what is nothing else.
 */
function Markdown({ text }: { text: string }): JSX.Element {
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
