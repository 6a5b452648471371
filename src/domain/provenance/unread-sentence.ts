/** One sentence on a manifest that could not be read, and why, so that silence is never taken for absence. */

import type { OuterReading } from './outer-reading.ts';
import type { Provenance } from './provenance.ts';
import { NOT_READABLE } from './reading-sentence.ts';
import type { Sentence } from './sentence.ts';

/** Null if the file holds no manifest, names none, and is of a format in which one could be read. */
export function unreadSentence(provenance: Provenance): Sentence | null {
  const { outer, fault, remoteManifestUrl, isFormatUnreadable } = provenance;
  if (outer !== undefined && outer.outcome !== 'embedded_speaks') return outerSentence(outer);
  if (fault !== null) return NOT_READABLE;
  if (remoteManifestUrl !== null) return NOT_FETCHED;
  return isFormatUnreadable === true ? FORMAT_UNREADABLE : null;
}

const NOT_FETCHED: Sentence = {
  en: 'The file names a manifest that lies elsewhere and was not fetched: nothing is known of it.',
  it: 'Il file indica un manifesto che si trova altrove e non è stato scaricato: non se ne sa nulla.',
};
const FORMAT_UNREADABLE: Sentence = {
  en: 'Manifests are not readable in this format: whether the file holds one is not known.',
  it: 'In questo formato i manifesti non sono leggibili: non si sa se il file ne contenga uno.',
};

function outerSentence({ source, outcome, host, reason }: OuterReading): Sentence {
  const isBeside = source === 'sidecar';
  switch (outcome) {
    case 'host_not_allowed':
      return {
        en: `The remote manifest at ${host} was not fetched: the host is not allowed. Nothing is known of it.`,
        it: `Il manifesto remoto su ${host} non è stato scaricato: l'host non è ammesso. Non se ne sa nulla.`,
      };
    case 'not_fetched':
      return {
        en: `The remote manifest at ${host} was not fetched (${reason}): nothing is known of it.`,
        it: `Il manifesto remoto su ${host} non è stato scaricato (${reason}): non se ne sa nulla.`,
      };
    case 'no_manifest':
      return {
        en: `What lies at the address that the file names (${host}) is no manifest.`,
        it: `Ciò che si trova all'indirizzo indicato dal file (${host}) non è un manifesto.`,
      };
    case 'format_not_readable':
      return isBeside
        ? {
            en: 'The manifest beside the file was not read: for this format it is not readable.',
            it: 'Il manifesto accanto al file non è stato letto: per questo formato non è leggibile.',
          }
        : {
            en: 'The fetched manifest was not read: for this format it is not readable.',
            it: 'Il manifesto scaricato non è stato letto: per questo formato non è leggibile.',
          };
    default:
      return isBeside
        ? {
            en: 'The manifest beside the file cannot be read: it is damaged, or no manifest.',
            it: 'Il manifesto accanto al file non si può leggere: è danneggiato, o non è un manifesto.',
          }
        : {
            en: 'The fetched manifest cannot be read: it is damaged, or no manifest.',
            it: 'Il manifesto scaricato non si può leggere: è danneggiato, o non è un manifesto.',
          };
  }
}
