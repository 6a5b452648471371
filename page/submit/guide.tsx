/** The first steps on a new box, each with what can be seen of it from here. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { MEDIA_KINDS } from '../../src/domain/media/media.ts';
import { showText } from '../../src/domain/shown-text.ts';
import { READ_MODEL_FIGURES, READ_PLANS, READ_PUBLIC_URL, UPDATE_PLAN } from '../gen/documents.ts';
import { DeviceTest } from '../operating/device-test.tsx';
import { C2PA_POLICIES } from '../operating/plan-dialog.tsx';
import { change } from '../parts/api.ts';
import { Button, Fault, Notice, Panel, Select, Title } from '../parts/parts.tsx';
import { PATHS, resultPath } from '../parts/paths.ts';
import { MailState } from '../parts/setting-note.tsx';
import { figuresOf, statedErrors } from '../parts/stated-errors.ts';
import { useQuery, useWork } from '../parts/use-query.ts';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { addUploads, uploads } from './uploads.ts';

/** Each model that was measured on outside media. */
function ModelErrors(): JSX.Element {
  const { data } = useQuery(READ_MODEL_FIGURES, {});
  return (
    <ul>
      {data?.appliance.models.map((model) => {
        const measured = figuresOf(model).filter(({ outside }) => outside !== undefined);
        const errors = statedErrors(measured, MEDIA_KINDS);
        return (
          errors !== null && (
            <li key={`${model.id} ${model.version}`}>
              {model.name}: {errors}
            </li>
          )
        );
      })}
    </ul>
  );
}

/** For the administrator: no one else can follow them. */
export function GuidePage(): JSX.Element {
  return (
    <>
      <Title>{t('guide')}</Title>
      <Steps />
    </>
  );
}

function Steps(): JSX.Element {
  return (
    <ol class="guide">
      <li>
        <Panel title={t('guidePassword')}>
          <p>{t('guidePasswordLead')}</p>
          <Link href={PATHS.account}>{t('menuAccount')}</Link>
        </Panel>
      </li>
      <li>
        <AddressStep />
      </li>
      <li>
        <DeviceTest />
      </li>
      <li>
        <SignatureStep />
      </li>
      <li>
        <Panel title={t('guideModels')}>
          <p>{t('guideModelsLead')}</p>
          <ModelErrors />
          <p>
            <code>npx assay models add sieve</code>
          </p>
          <Link href={PATHS.models}>{t('models')}</Link>
        </Panel>
      </li>
      <li>
        <Panel title={t('guideUsers')}>
          <p>{t('guideUsersLead')}</p>
          <MailState />
          <Link href={PATHS.users}>{t('navUsers')}</Link>
        </Panel>
      </li>
      <li>
        <Panel title={t('guideBox')}>
          <p>{t('guideBoxLead')}</p>
          <Link href={PATHS.appliance}>{t('navAppliance')}</Link>
        </Panel>
      </li>
      <li>
        <SampleStep />
      </li>
    </ol>
  );
}

function AddressStep(): JSX.Element {
  const { data, error } = useQuery(READ_PUBLIC_URL, {});
  const url = data?.appliance.publicUrl;
  const isHere = url !== undefined && new URL(url).origin === location.origin;
  return (
    <Panel title={t('guideAddress')}>
      <p>{t('guideAddressLead')}</p>
      <Fault {...{ error }} />
      {url !== undefined && (
        <Notice kind={isHere ? 'good' : 'info'}>
          {t(isHere ? 'guideAddressGood' : 'guideAddressOther', { url, here: location.origin })}
        </Notice>
      )}
    </Panel>
  );
}

/** Each plan has a rule by which signatures make older programs read `artificial`; the administrator chooses it here. */
function SignatureStep(): JSX.Element {
  const { data, error, reload } = useQuery(READ_PLANS, {});
  const { fault, run } = useWork();
  return (
    <Panel title={t('signatureRule')}>
      <p>{t('signatureRuleLead')}</p>
      <ul>
        {C2PA_POLICIES.map((policy) => (
          <li key={policy}>
            <strong>{t(`signatureRule_${policy}`)}</strong>: {t(`signatureRuleDoes_${policy}`)}
          </li>
        ))}
      </ul>
      <Fault error={error ?? fault} />
      {data?.plans.map(({ id, name, c2paPolicy }) => (
        <Select
          key={id}
          label={t('signatureRuleOf', { plan: showText(name) })}
          value={c2paPolicy}
          options={C2PA_POLICIES.map((policy) => [policy, t(`signatureRule_${policy}`)] as const)}
          onValue={(policy) =>
            void run(async () => {
              await change(UPDATE_PLAN, { id, input: { c2paPolicy: policy } });
              await reload();
            })
          }
        />
      ))}
    </Panel>
  );
}

/** A picture drawn here, submitted as any other; the way leads to its result. */
function SampleStep(): JSX.Element {
  const [isSent, setSent] = useState(false);
  const { isBusy, fault, run } = useWork();
  const [, navigate] = useLocation();
  const sent = useCell(uploads);
  const upload = isSent ? sent[0] : undefined;
  useEffect(() => {
    if (upload?.identifier != null) navigate(resultPath(upload.identifier));
  }, [upload?.identifier]);
  const send = (): void => {
    void run(async () => {
      const file = await drawSample();
      addUploads([{ file, name: file.name }], {
        refId: '',
        noCache: false,
        deskId: '',
        options: { withHeatmap: true },
      });
      setSent(true);
    });
  };
  return (
    <Panel title={t('guideSample')}>
      <p>{t('guideSampleLead')}</p>
      <p class="actions">
        <Button isBusy={isBusy || (isSent && upload?.state !== 'refused')} onPress={send}>
          {t('guideSampleStart')}
        </Button>
        <Link href={PATHS.submit}>{t('guideSubmit')}</Link>
      </p>
      <Fault error={fault} />
      {upload?.state === 'refused' && <Notice kind="bad">{upload.fault}</Notice>}
    </Panel>
  );
}

/** A picture to try the box with, drawn by the browser: nothing of anybody's is needed for it. */

const WIDTH = 960;
const HEIGHT = 640;
const CIRCLES = 60;
const HUE_STEP = 137.5;

/** Amplitude of the grain, of 255, and what its numbers are made by: the same picture everywhere. */
const GRAIN = 28;
const SEED = 20_261_101;
const FACTOR = 1_664_525;
const STEP = 1_013_904_223;

/** Flat colours leave a model nothing to look at. */
function addGrain(context: CanvasRenderingContext2D): void {
  const pixels = context.getImageData(0, 0, WIDTH, HEIGHT);
  let random = SEED;
  for (let at = 0; at < pixels.data.length; at += 4) {
    random = (Math.imul(random, FACTOR) + STEP) >>> 0;
    const grain = (random / 2 ** 32 - 0.5) * GRAIN;
    for (let channel = at; channel < at + 3; channel += 1) {
      pixels.data[channel] = (pixels.data[channel] ?? 0) + grain;
    }
  }
  context.putImageData(pixels, 0, 0);
}

async function drawSample(): Promise<File> {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser draws no pictures');
  const sky = context.createLinearGradient(0, 0, 0, HEIGHT);
  sky.addColorStop(0, '#6c8fb8');
  sky.addColorStop(1, '#e9d9c0');
  context.fillStyle = sky;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  for (let index = 0; index < CIRCLES; index += 1) {
    context.fillStyle = `hsl(${index * HUE_STEP} 45% 55% / 0.35)`;
    context.beginPath();
    context.arc((index * 211) % WIDTH, (index * 157) % HEIGHT, 20 + ((index * 29) % 70), 0, 2 * Math.PI);
    context.fill();
  }
  addGrain(context);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.9));
  if (blob === null) throw new Error('this browser writes no JPEG');
  return new File([blob], 'sample-drawing.jpg', { type: 'image/jpeg' });
}
