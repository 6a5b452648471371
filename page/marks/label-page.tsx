/** The label helper: three questions on a piece that is published, and what follows from the answers. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  type AiPart,
  type LabelledKind,
  type LabelQuestionInput,
  READ_LABEL_ADVICE,
} from '../gen/documents.ts';
import { Facts, Fault, Loading, Panel, Select, Title } from '../parts/parts.tsx';
import { useQuery } from '../parts/use-query.ts';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';

const KINDS = ['IMAGE', 'VIDEO', 'AUDIO', 'TEXT'] as const satisfies readonly LabelledKind[];
const PARTS = ['GENERATED', 'MODIFIED'] as const satisfies readonly AiPart[];
const ANSWERS = ['yes', 'no'] as const;
type Answer = (typeof ANSWERS)[number];

export function LabelPage(): JSX.Element {
  const [kind, setKind] = useState<LabelledKind>('IMAGE');
  const [part, setPart] = useState<AiPart>('GENERATED');
  const [reality, setReality] = useState<Answer>('yes');
  const [artistic, setArtistic] = useState<Answer>('no');
  const [editorial, setEditorial] = useState<Answer>('no');
  const isText = kind === 'TEXT';
  const input: LabelQuestionInput = isText
    ? { kind, part, hasEditorialControl: editorial === 'yes' }
    : { kind, part, resemblesReality: reality === 'yes', isArtistic: artistic === 'yes' };
  return (
    <>
      <Title>{t('labelTitle')}</Title>
      <p>{t('labelLead')}</p>
      <Panel title={t('labelPiece')}>
        <Select
          label={t('labelKind')}
          value={kind}
          options={KINDS.map((one) => [one, t(`labelKind_${one}`)])}
          onValue={setKind}
        />
        <Select
          label={t('labelPart')}
          value={part}
          options={PARTS.map((one) => [one, t(`labelPart_${one}`)])}
          onValue={setPart}
        />
        {isText && <Question text="labelEditorial" answer={editorial} onAnswer={setEditorial} />}
        {!isText && <Question text="labelReality" answer={reality} onAnswer={setReality} />}
        {!isText && reality === 'yes' && (
          <Question text="labelArtistic" answer={artistic} onAnswer={setArtistic} />
        )}
      </Panel>
      <Advice {...{ input }} />
    </>
  );
}

interface QuestionProps {
  text: TextKey;
  answer: Answer;
  onAnswer: (answer: Answer) => void;
}

function Question({ text, answer, onAnswer }: QuestionProps): JSX.Element {
  const options = ANSWERS.map((one): [Answer, string] => [one, t(one === 'yes' ? 'labelYes' : 'labelNo')]);
  return <Select label={t(text)} value={answer} {...{ options }} onValue={onAnswer} />;
}

function Advice({ input }: { input: LabelQuestionInput }): JSX.Element {
  const { data, error } = useQuery(READ_LABEL_ADVICE, { input });
  const advice = data?.labelAdvice;
  if (error !== undefined) return <Fault error={error} />;
  if (advice === undefined) return <Loading />;
  const rows: [string, string][] = [
    [t('labelWording'), advice.wording],
    [t('labelPlace'), saySentence(advice.place)],
    [t('labelIptc'), advice.sourceType],
  ];
  return (
    <Panel title={t('labelAsk')}>
      <p role="status">
        <strong>{t(`labelDuty_${advice.duty}`)}</strong> {saySentence(advice.reason)}
      </p>
      <Facts rows={rows.filter(([, value]) => value !== '')} />
      <h3>{t('labelSources')}</h3>
      <ul>
        {advice.sources.map(({ title, rank, supports }) => (
          <li key={title}>
            {saySentence(title)} ({t(`labelRank_${rank}`)}): {saySentence(supports)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
