/** A person at a browser whose clicks are counted, and who drops files on a page. */
import type { Desk, TestBrowser } from './browser.ts';
import type { DeskDaemon } from './desk-daemon.ts';

export interface Person extends Desk {
  clicks: number;
}

/** In the page. */
declare function countClick(): void;

export async function openPerson(browser: TestBrowser, { http }: DeskDaemon): Promise<Person> {
  const desk = await browser.open(http, { permissions: ['clipboard-read', 'clipboard-write'] });
  const person = { ...desk, clicks: 0 };
  await desk.page.exposeFunction('countClick', () => {
    person.clicks += 1;
  });
  // A button that is pressed by a key gets a click, too, of no detail.
  await desk.page.addInitScript(() => {
    addEventListener('click', ({ isTrusted, detail }) => isTrusted && detail > 0 && countClick(), true);
  });
  return person;
}

export interface NamedBytes {
  name: string;
  bytes: Buffer;
}

/** On the middle of whatever page is shown, as a hand would. */
export async function dropAnywhere({ page }: Desk, files: readonly NamedBytes[]): Promise<void> {
  const encoded = files.map(({ name, bytes }) => [name, bytes.toString('base64')] as const);
  await page.evaluate(async (given) => {
    const transfer = new DataTransfer();
    for (const [name, text] of given) {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type: 'image/jpeg' }));
    }
    const at = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
    const send = (kind: string): boolean =>
      at.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    // A page that was just opened listens only once its code has run: a drop before that would be lost.
    while (send('dragover')) await new Promise(requestAnimationFrame);
    send('drop');
  }, encoded);
}
