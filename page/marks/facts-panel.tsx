/** What the file says of how it was made, and what of that cannot be true together. */
import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import type { AllOfFileFact, FullRecord } from '../gen/documents.ts';
import { Fold } from '../parts/fold.tsx';
import { Notice, Table } from '../parts/parts.tsx';
import { language, t } from '../texts/language.ts';

export function FactsPanel({ record: { fileFacts } }: { record: FullRecord }): JSX.Element | null {
  if (fileFacts === null) return null;
  const { facts, contradictions } = fileFacts;
  return (
    <Fold anchor="facts" title={t('fileFacts')} isOpen={contradictions.length > 0}>
      {contradictions.map((sentence) => (
        <Notice key={sentence.en} kind="bad">
          {showText(sentence[language.get()])}
        </Notice>
      ))}
      {facts.length === 0 ? <p>{t('fileFactsNone')}</p> : <FactTable {...{ facts }} />}
    </Fold>
  );
}

function FactTable({ facts }: { facts: AllOfFileFact[] }): JSX.Element {
  return (
    <>
      <p class="quiet">
        {t('fileFactsUnsigned')} {t('fileFactsSeen')}
      </p>
      <Table caption={t('fileFacts')} head={[t('fact'), t('factValue'), t('factField')]}>
        {facts.map(({ kind, field, value, isSigned }) => (
          <tr key={`${kind}${value}`}>
            <th scope="row">{t(`fact_${kind}`)}</th>
            <td class="long">
              {showText(value)}
              {isSigned && <strong>, {t('factSigned')}</strong>}
            </td>
            <td class="long quiet" lang="en">
              {field}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
