/** What the file says of its own origin, mark by mark: found, absent, broken or not checkable. */
import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import type { AllOfMark, FullRecord } from '../gen/documents.ts';
import { Fold } from '../parts/fold.tsx';
import { Table } from '../parts/parts.tsx';
import { t } from '../texts/language.ts';

export function MarksPanel({ record: { marks } }: { record: FullRecord }): JSX.Element {
  if (marks === null) {
    return (
      <Fold anchor="marks" title={t('marks')}>
        <p>{t('marksUnknown')}</p>
      </Fold>
    );
  }
  return (
    <Fold anchor="marks" title={t('marks')}>
      <p class="quiet">{t('marksLead')}</p>
      <Table caption={t('marks')} head={[t('mark'), t('markState'), t('markFound')]}>
        {marks.map((mark) => (
          <MarkRow key={`${mark.kind}${mark.field}${mark.value}`} {...{ mark }} />
        ))}
      </Table>
    </Fold>
  );
}

function MarkRow({ mark: { kind, state, strength, field, value } }: { mark: AllOfMark }): JSX.Element {
  return (
    <tr>
      <th scope="row">{t(`mark_${kind}`)}</th>
      <td>
        {state === 'FOUND' ? <strong>{t('markState_FOUND')}</strong> : t(`markState_${state}`)}
        {strength !== 'NONE' && <span class="quiet">, {t(`markStrength_${strength}`)}</span>}
      </td>
      <td class="long" lang="en">
        {[field, showText(value)].filter((part) => part !== '').join(': ')}
      </td>
    </tr>
  );
}
