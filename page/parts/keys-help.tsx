/** `?` shows which keys do what, on every page. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';
import { Button, Dialog, Facts } from './parts.tsx';
import { isTyping } from './typing.ts';

const KEYS: readonly (readonly [place: TextKey, keys: readonly (readonly [key: string, does: TextKey])[]])[] =
  [
    [
      'records',
      [
        ['j · k', 'keyNextRow'],
        ['Enter', 'keyOpen'],
        ['o', 'keyOpenBeside'],
        ['x', 'keyChoose'],
      ],
    ],
    [
      'keysResult',
      [
        ['j · →', 'keyNext'],
        ['k · ←', 'keyPrevious'],
        ['Esc', 'keyBack'],
      ],
    ],
    [
      'picture',
      [
        ['Enter', 'keyWhole'],
        ['+ · −', 'keyZoom'],
        ['← · → · ↑ · ↓', 'keyMove'],
        ['0', 'wholePicture'],
      ],
    ],
    ['keysEverywhere', [['?', 'keyHelp']]],
  ];

export function KeysHelp(): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key === '?' && !isTyping(event)) setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title={t('keys')} onClose={() => setOpen(false)}>
      {KEYS.map(([place, keys]) => (
        <section key={place}>
          <h3>{t(place)}</h3>
          <Facts rows={keys.map(([key, does]) => [key, t(does)] as const)} />
        </section>
      ))}
      <p class="actions">
        <Button onPress={() => setOpen(false)}>{t('close')}</Button>
      </p>
    </Dialog>
  );
}
