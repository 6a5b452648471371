/** Two pictures over each other with a line between them that is moved: a copy, an earlier record, or a file of one's own. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import { Button, Select } from '../parts/parts.tsx';
import type { ImageRecord } from '../parts/records.ts';
import { t } from '../texts/language.ts';
import { renditionPath, useRendition } from './use-rendition.ts';

export interface Compared {
  /** An identifier, or empty for a file of the reader's own. */
  identifier: string;
  name: string;
  /** Address of a file that this browser alone has; null for a record. */
  local: string | null;
}

interface ChoiceProps {
  record: ImageRecord;
  compared: Compared | null;
  onCompared: (compared: Compared | null) => void;
}

/** Which picture lies beside: earlier records of the same picture are offered, any file of the desk can be chosen. */
export function CompareChoice({ record, compared, onCompared }: ChoiceProps): JSX.Element {
  const earlier = record.seenBefore.map(({ identifier, name }) => ({
    identifier,
    local: null,
    name: name === '' ? identifier.slice(0, 12) : showText(name),
  }));
  const pick = (input: HTMLInputElement): void => {
    const [file] = input.files ?? [];
    if (file !== undefined) onCompared({ identifier: '', name: file.name, local: URL.createObjectURL(file) });
    input.value = '';
  };
  useEffect(() => {
    const local = compared?.local ?? null;
    return () => {
      if (local !== null) URL.revokeObjectURL(local);
    };
  }, [compared?.local]);
  return (
    <div class="compare-choice">
      {earlier.length > 0 && (
        <Select
          isInline
          label={t('compareWith')}
          value={compared?.identifier ?? ''}
          options={[['', '–'], ...earlier.map(({ identifier, name }) => [identifier, name] as const)]}
          onValue={(chosen) => onCompared(earlier.find(({ identifier }) => identifier === chosen) ?? null)}
        />
      )}
      <label class="button plain">
        {t('compareWithFile')}
        <input type="file" accept="image/*" class="unseen" onChange={(event) => pick(event.currentTarget)} />
      </label>
      <span class="quiet">{compared === null ? t('compareLead') : compared.name}</span>
      {compared !== null && (
        <Button kind="link" onPress={() => onCompared(null)}>
          {t('compareEnd')}
        </Button>
      )}
    </div>
  );
}

interface CompareProps {
  /** The record's picture, as it is shown. */
  source: string;
  name: string;
  width: number;
  height: number;
  compared: Compared;
}

/** The line is a slider, so that keys, touch and mouse move it. */
export function Compare({ source, name, width, height, compared }: CompareProps): JSX.Element {
  const [share, setShare] = useState(50);
  const { identifier, local } = compared;
  const rendition = useRendition(local === null ? renditionPath(identifier, 'picture.webp') : null);
  const other = local ?? (rendition.state === 'ready' ? rendition.source : null);
  return (
    <div
      class="compare"
      style={{
        aspectRatio: `${width} / ${height}`,
        width: `min(100%, calc(var(--stage) * ${width / height}))`,
      }}
    >
      {other !== null && <img src={other} alt={compared.name} draggable={false} />}
      <img src={source} alt={name} draggable={false} style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }} />
      <i class="compare-line" style={{ left: `${share}%` }} />
      <input
        type="range"
        min="0"
        max="100"
        aria-label={t('compareSlider', { name: compared.name })}
        value={share}
        onInput={(event) => setShare(Number(event.currentTarget.value))}
      />
      {other === null && (
        <p class="compare-note quiet" role="status">
          {rendition.state === 'failed' ? rendition.reason : t('loading')}
        </p>
      )}
    </div>
  );
}
