import type { EVIDENCE_EN } from './evidence-en.ts';

export const EVIDENCE_IT: Readonly<Record<keyof typeof EVIDENCE_EN, string>> = {
  evidence: 'Pacchetto di prova',
  evidenceLead:
    'Uno zip firmato con il file, le sue cifre e una relazione, che altri possono verificare senza Assay.',
  evidenceOfMany: 'Tutte le schede scelte diventano un caso con una sola relazione.',
  evidenceTitle: 'Titolo della relazione',
  evidenceNotes: 'Le tue note',
  evidenceNotesHint: 'La relazione le mostra come parole tue.',
  evidenceLanguage: 'Lingua della relazione',
  evidenceMake: 'Prepara il pacchetto',
  evidenceProgress: '{files} di circa {total} file',
  evidenceReady: 'Pronto: {size}. Si può scaricare per un’ora.',
  evidenceFailed: 'Nessun pacchetto: {reason}',
  evidenceKey: 'Chiave che firma le prove',
  evidenceKeyLead:
    'Pubblica questa impronta dove altri la cercano: confrontano con essa la chiave di un pacchetto.',
  evidenceKeyUntil: 'fino al {time}',
  evidenceKeySigns: 'firma',
  exportedAt: 'Esportato in un pacchetto di prova; allora diceva: {reading}',
  stampedAt: 'Marcato da {authority}: {time} secondo il suo orologio',
  stampWaiting: 'In attesa di una marca temporale di {authority}. {reason}',
  stampFailed: 'Non marcato da {authority}: {reason}',
  exportReading: '{state}, probabilità di IA: {share}',
  exportReadsOtherwise:
    'Un pacchetto di prova del {time} dava un’altra lettura delle stesse cifre: {reading} (versione delle regole {rules}). Valgono entrambe; dillo a chi lo possiede.',
};
