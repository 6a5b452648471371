/** The models of the box: which run, on which device, how often they err, and what their cards say. */

import type { JSX } from 'preact';
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
import { Markdown } from './markdown.tsx';

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
