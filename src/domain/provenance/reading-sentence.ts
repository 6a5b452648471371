/** One sentence on a manifest, in the languages of the page. It never says more than the answers do. */
import type { Readings } from './readings.ts';
import { both, type Sentence } from './sentence.ts';

/** `hasBrokenIngredient`: an ingredient's manifest fails, beneath one that does not. */
export function sentenceOf(readings: Readings, hasBrokenIngredient: boolean): Sentence {
  const parts = [unchangedPart(readings), signerPart(readings), timePart(readings), whoPart(readings)];
  if (readings.state === 'broken') parts.splice(2);
  if (hasBrokenIngredient) {
    parts.push(
      both('the manifest of one of its ingredients is broken', 'il manifesto di un suo ingrediente è rotto'),
    );
  }
  if (readings.notes.length > 0) parts.push(notesPart(readings));
  const said = parts.filter((part) => part !== null);
  return both(toSentence(said.map(({ en }) => en)), toSentence(said.map(({ it }) => it)));
}

export const NOT_READABLE: Sentence = both(
  'The file holds a manifest that cannot be read: it is damaged, or no manifest.',
  'Il file contiene un manifesto illeggibile: è danneggiato, o non è un manifesto.',
);

function toSentence(parts: readonly string[]): string {
  const text = parts.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function unchangedPart({ unchanged }: Readings): Sentence {
  switch (unchanged) {
    case 'yes':
      return both('nothing was changed since it was signed', 'nulla è stato cambiato dopo la firma');
    case 'changed':
      return both('it was changed after it was signed', 'è stato cambiato dopo la firma');
    case 'nothing_bound':
      return both('the manifest is bound to no file', 'il manifesto non è legato ad alcun file');
    case 'not_checkable':
      return both('the file itself is not here to be compared', 'il file stesso non è qui per il confronto');
    case 'unclear':
      return both('whether it was changed cannot be judged', 'non si può giudicare se sia stato cambiato');
  }
}

function signerPart({ signedBy }: Readings): Sentence {
  const { answer, product, assuranceLevel, lists } = signedBy;
  const name = nameOf(signedBy);
  const level = assuranceLevel === null ? '' : ` (${assuranceLevel})`;
  switch (answer) {
    case 'on_list': {
      const list = lists.map((voucher) => voucher.list).join(', ');
      const of =
        product === ''
          ? both('', '')
          : both(
              `, conforming product, assurance level${level}`,
              `, prodotto conforme, livello di garanzia${level}`,
            );
      return both(
        `signed by ${name}${of.en}, on the list ${list}`,
        `firmato da ${name}${of.it}, nella lista ${list}`,
      );
    }
    case 'on_no_list':
      return both(
        `signed in the name of ${name}, which no trust list vouches for`,
        `firmato a nome di ${name}, di cui nessuna lista di fiducia risponde`,
      );
    case 'revoked':
      return both(`the certificate of ${name} was revoked`, `il certificato di ${name} è stato revocato`);
    case 'wrong_use':
      return both(
        `the certificate of ${name} is not meant for this`,
        `il certificato di ${name} non è destinato a questo uso`,
      );
    case 'signature_fails':
      return both('the signature does not fit the manifest', 'la firma non corrisponde al manifesto');
    case 'unclear':
      return both('who signed cannot be judged', 'non si può giudicare chi abbia firmato');
  }
}

/** With the organisation, if the certificate's name does not contain it: `Truepic Lens CLI in ChatGPT (OpenAI)`. */
export function nameOf({ name, organisation }: Pick<Readings['signedBy'], 'name' | 'organisation'>): string {
  if (name === '') return organisation === '' ? '?' : organisation;
  return organisation === '' || name.includes(organisation) ? name : `${name} (${organisation})`;
}

function timePart({ inTime: { answer, stampedAt } }: Readings): Sentence {
  const day = stampedAt === null ? '' : new Date(stampedAt / 1000).toISOString().slice(0, 10);
  switch (answer) {
    case 'stamped':
      return both(
        `a time stamp shows that it was signed on ${day}`,
        `una marca temporale mostra che è stato firmato il ${day}`,
      );
    case 'valid_now':
      return both(
        'the certificate was valid when the file was read',
        'il certificato era valido quando il file è stato letto',
      );
    case 'expired':
      return both(
        'the certificate has expired and nothing shows when it was signed',
        'il certificato è scaduto e nulla mostra quando sia stato firmato',
      );
    case 'outside':
      return both(
        'it was signed when the certificate was not valid',
        'è stato firmato quando il certificato non era valido',
      );
    case 'unclear':
      return both('when it was signed cannot be judged', 'non si può giudicare quando sia stato firmato');
  }
}

function whoPart({ who: { answer, names } }: Readings): Sentence | null {
  const named = names.join(', ');
  switch (answer) {
    case 'nobody':
      return null;
    case 'verified':
      return both(
        `the person or organisation is verified: ${named}`,
        `la persona o l'organizzazione è verificata: ${named}`,
      );
    case 'not_checkable':
      return both(
        `who the person is cannot be checked here (it says ${named})`,
        `chi sia la persona non si può verificare qui (dichiara ${named})`,
      );
    case 'failed':
      return both(
        `what it says of the person fails (it says ${named})`,
        `ciò che dichiara della persona non regge (dichiara ${named})`,
      );
  }
}

function notesPart({ notes }: Readings): Sentence {
  const codes = notes.map(({ code }) => code).join(', ');
  return both(`not judged as fine: ${codes}`, `non giudicato in regola: ${codes}`);
}
