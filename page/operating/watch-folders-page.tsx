/** Watched folders: what each does now, what failed in it and why, and a new one tested before it is watched. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  ADD_WATCH_FOLDER,
  type AllOfWatchFolder as Folder,
  PAUSE_WATCH_FOLDER,
  READ_FAILED_FILES,
  READ_WATCH_FOLDERS,
  REMOVE_WATCH_FOLDER,
  RESUME_WATCH_FOLDER,
  TEST_WATCH_FOLDER,
  type TestWatchFolderAnswer,
} from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { formatNumber } from '../parts/format.ts';
import { More, usePaged } from '../parts/paged.tsx';
import {
  Button,
  Empty,
  Fault,
  Field,
  Form,
  Loading,
  Notice,
  Panel,
  Select,
  Table,
  Time,
  Title,
} from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

const REFRESH_MS = 3000;
const DONE_ACTIONS = ['LEAVE', 'SIDECAR', 'MOVE'] as const;
type Check = Pick<TestWatchFolderAnswer['testWatchFolder'], 'findings' | 'unitLines'>;

export function WatchFoldersPage(): JSX.Element {
  const { data, error, isLoading, reload } = useQuery(READ_WATCH_FOLDERS, {}, REFRESH_MS);
  const [shown, setShown] = useState<Folder | null>(null);
  return (
    <>
      <Title>{t('navFolders')}</Title>
      <p class="quiet">{t('foldersLead')}</p>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      {data !== undefined && data.watchRoots.length === 0 && (
        <Empty title={t('foldersOff')}>
          <p>{t('foldersOffLead')}</p>
        </Empty>
      )}
      {data !== undefined && data.watchRoots.length > 0 && (
        <>
          <AddPanel roots={data.watchRoots} onAdded={() => void reload()} />
          {data.watchFolders.length === 0 ? (
            <p class="quiet">{t('noFolders')}</p>
          ) : (
            <Folders folders={data.watchFolders} onChanged={() => void reload()} onShow={setShown} />
          )}
        </>
      )}
      {shown !== null && <Failed key={shown.id} folder={shown} />}
    </>
  );
}

function AddPanel({ roots, onAdded }: { roots: readonly string[]; onAdded: () => void }): JSX.Element {
  const [path, setPath] = useState('');
  const [done, setDone] = useState<(typeof DONE_ACTIONS)[number]>('LEAVE');
  const [options, setOptions] = useState('');
  const [check, setCheck] = useState<Check | null>(null);
  const { isBusy, fault, run } = useWork();
  const test = (): Promise<boolean> => run(async () => setCheck(await change(TEST_WATCH_FOLDER, { path })));
  const add = (): Promise<boolean> =>
    run(async () => {
      const listed = options.split(',').map((one) => one.trim());
      const given = listed.filter((one) => one !== '');
      setCheck(await change(ADD_WATCH_FOLDER, { path, done, options: given }));
      setPath('');
      onAdded();
    });
  return (
    <Panel title={t('folderAdd')}>
      <Form onSend={() => void add()}>
        <Field
          label={t('folderPath')}
          hint={t('folderPathLead', { roots: roots.join(', ') })}
          name="path"
          isRequired
          value={path}
          onValue={setPath}
        />
        <Select
          label={t('folderDone')}
          value={done}
          options={DONE_ACTIONS.map((action) => [action, t(`done_${action}`)] as const)}
          onValue={setDone}
        />
        <Field
          label={t('folderOptions')}
          hint={t('folderOptionsLead')}
          name="options"
          value={options}
          onValue={setOptions}
        />
        <p class="actions">
          <Button kind="main" type="submit" {...{ isBusy }}>
            {t('folderAdd')}
          </Button>
          <Button {...{ isBusy }} isDisabled={path === ''} onPress={() => void test()}>
            {t('folderTest')}
          </Button>
        </p>
      </Form>
      <Fault error={fault} />
      {check !== null && <CheckResult {...{ check }} />}
    </Panel>
  );
}

function CheckResult({ check: { findings, unitLines } }: { check: Check }): JSX.Element {
  return (
    <>
      {findings.map(({ name, good, found }) => (
        <Notice key={name} kind={good ? 'good' : 'bad'}>
          {found}
        </Notice>
      ))}
      {unitLines.length > 0 && (
        <>
          <p>{t('folderUnit')}</p>
          <pre>{unitLines.join('\n')}</pre>
        </>
      )}
    </>
  );
}

interface FoldersProps {
  folders: readonly Folder[];
  onChanged: () => void;
  onShow: (folder: Folder) => void;
}

function Folders({ folders, onChanged, onShow }: FoldersProps): JSX.Element {
  const { isBusy, fault, run } = useWork(onChanged);
  return (
    <>
      <Fault error={fault} />
      <Table
        caption={t('navFolders')}
        head={[t('folder'), t('accountOf'), t('folderDone'), t('state'), t('folderCounts'), '']}
      >
        {folders.map((folder) => (
          <FolderRow key={folder.id} {...{ folder, isBusy, onShow }} onAct={(work) => void run(work)} />
        ))}
      </Table>
    </>
  );
}

interface FolderRowProps {
  folder: Folder;
  isBusy: boolean;
  onShow: (folder: Folder) => void;
  onAct: (work: () => Promise<unknown>) => void;
}

function FolderRow({ folder, isBusy, onShow, onAct }: FolderRowProps): JSX.Element {
  const { id, path, accountEmail, done, state, reason, obstacles } = folder;
  const { waiting, submitted, finished, failed, skipped } = folder;
  const counts = [waiting, submitted, finished, failed, skipped].map(formatNumber).join(' · ');
  return (
    <tr>
      <td class="long">{showText(path)}</td>
      <td>{showText(accountEmail)}</td>
      <td>{t(`done_${done}`)}</td>
      <td>
        {t(`watch_${state}`)}
        {[reason, ...obstacles]
          .filter((text) => text !== '')
          .map((text) => (
            <small key={text} class="quiet">
              {' '}
              {showText(text)}
            </small>
          ))}
      </td>
      <td class="figure">{counts}</td>
      <td>
        {failed > 0 && <Button onPress={() => onShow(folder)}>{t('folderShowFailed')}</Button>}
        {failed > 0 && (
          <Button
            {...{ isBusy }}
            onPress={() => onAct(() => change(RESUME_WATCH_FOLDER, { id, retryFailed: true }))}
          >
            {t('folderRetry')}
          </Button>
        )}
        {state === 'PAUSED' ? (
          <Button {...{ isBusy }} onPress={() => onAct(() => change(RESUME_WATCH_FOLDER, { id }))}>
            {t('folderResume')}
          </Button>
        ) : (
          <Button {...{ isBusy }} onPress={() => onAct(() => change(PAUSE_WATCH_FOLDER, { id }))}>
            {t('folderPause')}
          </Button>
        )}
        <Button {...{ isBusy }} onPress={() => onAct(() => change(REMOVE_WATCH_FOLDER, { id }))}>
          {t('folderRemove')}
        </Button>
      </td>
    </tr>
  );
}

function Failed({ folder: { id, path } }: { folder: Folder }): JSX.Element {
  const files = usePaged(READ_FAILED_FILES, { id }, ({ watchedFiles }) => watchedFiles);
  const title = t('folderFailed', { path: showText(path) });
  return (
    <section>
      <h2>{title}</h2>
      <Fault error={files.error} />
      {files.nodes.length === 0 && !files.isLoading && <p class="quiet">{t('folderNoneFailed')}</p>}
      {files.nodes.length > 0 && (
        <Table caption={title} head={[t('name'), t('reason'), t('when'), t('folderTriedAgain')]}>
          {files.nodes.map(({ path: name, reason, at, retryAt }) => (
            <tr key={name}>
              <td class="long">{showText(name)}</td>
              <td>{showText(reason)}</td>
              <td>
                <Time iso={at} />
              </td>
              <td>{retryAt === null ? t('notByItself') : <Time iso={retryAt} />}</td>
            </tr>
          ))}
        </Table>
      )}
      <More {...files} />
    </section>
  );
}
