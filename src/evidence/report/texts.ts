/** Texts of the report alone, in its languages; sentences about a result come from the page. */
import { EN, type Texts } from '../../../page/texts/en.ts';
import { IT } from '../../../page/texts/it.ts';
import { fillText } from '../../domain/shown-text.ts';
import type { ReportLanguage } from './language.ts';

export const REPORT_EN = {
  report: 'Report on the origin of media',
  reportOf: 'Report on {name}',
  lead: 'This report says what the appliance “Assay” of {box} found in the files named here, by which means, and how often such findings are wrong. It is made by a program and was read by nobody. It speaks of the files with exactly the SHA-256 that stand here, and of no copy of them.',
  made: 'Made',
  packedBy: 'Asked for by',
  box: 'Box',
  program: 'Program',
  programVersion: 'Assay {version}, rules version {rules}',
  signedWith: 'Signed with the key',
  notes: 'Notes of the person who asked for it',
  overview: 'The files of this case',
  number: 'No.',
  file: 'File',
  finding: 'Finding',
  probability: 'Probability of an artificial origin',
  notJudged: 'The analysis ended without a result: {reason}',
  figures: 'The figures',
  likelihoodRatio: 'Likelihood ratio',
  ratioFor: '{ratio} in favour of “{side}” ({band})',
  model: 'Model',
  score: 'Artificial',
  errorRatesTitle: 'How often the models err',
  errorRatesLead:
    'Measured on whole files of sources that the models had not seen. Quality names what was done to them before: “{clean}” is as found.',
  outsideSet: 'Outside, used for no choice: {set}',
  insideSet: 'Owners left out in training',
  quality: 'Quality',
  falseAlarms: 'Human-made called artificial',
  found: 'Artificial found',
  auc: 'AUC (95 %)',
  sample: 'Files',
  noRates: 'No error rates are known of {model}.',
  kindsTitle: 'By kind of picture, as found',
  kindOf: 'Kind',
  called: 'Called artificial',
  range: '95 %',
  modelsTitle: 'Models that were asked',
  weights: 'SHA-256 of the weights',
  licence: 'Licence',
  trainedOn: 'Trained on',
  cardAt: 'What it was trained on and where it fails is in {member}.',
  notInstalled: 'This version is not installed any more; its weights cannot be named.',
  bounds:
    'Between {low} and {high} the answer is inconclusive; “cautious” calls it artificial from {cautious} on.',
  mapsTitle: 'Maps',
  mapCaption_origin:
    'Where it looks artificial to the model (red) or human-made (blue). A red part alone proves nothing.',
  mapCaption_tampering: 'Where it looks edited to the model. It does not see who edited it, nor why.',
  mapCaption_tampering_reliability:
    'Where the map of edits can be trusted (light) and where it is often wrong (dark).',
  pictureCaption: 'The picture, reduced for this report. The file itself is in {member}.',
  pictureGone:
    'The file is not kept on the box any more; its SHA-256 below shows whether a copy is the same.',
  framesLead: 'Each was judged by itself; the upper fifth of them decides.',
  sheetCaption:
    'Contact sheet: analysed frames in the order of the film ({count}), each with its time and probability.',
  sheetMoment: 'The most suspicious is at {time} ({share}).',
  time: 'Time',
  clipsLead: 'Each part of the speech was judged by itself.',
  clipsMoment:
    'The most suspicious begins at {time} ({share}): a single false sentence hardly moves the figure of the whole.',
  transcriptLead:
    'Written by a machine ({model}, language: {language}); it may be wrong and decides nothing. {shown} of {count} {count:line|lines}; all are in figures.json.',
  seconds: 'Seconds',
  channel: 'Channel',
  settings: 'Settings that mattered',
  settingsNone: 'None but the defaults.',
  chosenWay: '{name} (chosen)',
  asked: 'asked for',
  falseAlarmsEdited: 'Untouched called edited',
  foundEdited: 'Edited found',
  calledEdited: 'Called edited',
  whoWhatWhen: 'Who did what, when',
  handedIn: '{origin} ({via})',
  handedInKey: '{origin} ({via}, key “{key}”)',
  analysedBy: 'Analysed by {models}',
  saidByPerson: '{who} marked it: {classification}{reason}',
  exportedBefore: 'Exported in package {package}; it said: {reading}',
  exportedNow: 'Packed for this report',
  custodyAt:
    'The box’s own custody log says more: its entries about this file are in {member}, each with the proof that it lies under the signed head beside it.',
  readOtherwise:
    'An earlier package of this record gave another reading of the same figures: {before} (rules version {rules}, {when}). By the rules of today it reads: {now}.',
  reading: '{state}, {probability} chance of AI',
  declarations: 'Unsigned metadata',
  absenceOfMark: 'That a mark is absent is no evidence for either origin.',
  howToCheck: 'How to check this report',
  howToCheckLead:
    'The package that holds this report is signed. VERIFY.txt beside it says how to check it with sha256sum, openssl and ssh-keygen, without Assay and without a network. The key must have this fingerprint, which the newsroom publishes elsewhere too:',
  page: 'Page {page} of {pages}',
  rescore: 'What the present models say of earlier findings',
  rescoreLead:
    'The box {box} analysed records of before again with its present models. Nothing was stored and no record was changed: this says what would be answered otherwise, and why.',
  rescoreCounts:
    'Analysed again: {records}. {changes} would be answered otherwise, {failed} could not be analysed.',
  rescoreChanges: 'What would be answered otherwise',
  rescoreFailed: 'What could not be analysed again',
  rescoreBefore: 'Was',
  rescoreAfter: 'Would be',
  rescoreWhy: 'Why',
  rescoreModels: 'Models: {come} instead of {gone}.',
  rescoreRules: 'Measured under rules version {before}, now {after}.',
  rescoreSame: 'The same models and rules: figures at a bound that differ in the last digits.',
  fileType: 'Type',
} as const;

export type ReportKey = keyof typeof REPORT_EN;

export const REPORT_IT: Readonly<Record<ReportKey, string>> = {
  report: 'Relazione sull’origine di file multimediali',
  reportOf: 'Relazione su {name}',
  lead: 'Questa relazione dice che cosa l’apparecchio “Assay” di {box} ha trovato nei file qui indicati, con quali mezzi e quanto spesso simili risultati sono sbagliati. È fatta da un programma e non è stata letta da nessuno. Parla dei file con esattamente gli SHA-256 qui riportati, e di nessuna loro copia.',
  made: 'Fatta il',
  packedBy: 'Richiesta da',
  box: 'Apparecchio',
  program: 'Programma',
  programVersion: 'Assay {version}, versione delle regole {rules}',
  signedWith: 'Firmata con la chiave',
  notes: 'Note di chi l’ha richiesta',
  overview: 'I file di questo caso',
  number: 'N.',
  file: 'File',
  finding: 'Risultato',
  probability: 'Probabilità di un’origine artificiale',
  notJudged: 'L’analisi è finita senza risultato: {reason}',
  figures: 'Le cifre',
  likelihoodRatio: 'Rapporto di verosimiglianza',
  ratioFor: '{ratio} a favore di “{side}” ({band})',
  model: 'Modello',
  score: 'Artificiale',
  errorRatesTitle: 'Quanto spesso i modelli sbagliano',
  errorRatesLead:
    'Misurato su file interi di fonti che i modelli non avevano visto. La qualità dice che cosa è stato fatto loro prima: “{clean}” è come trovati.',
  outsideSet: 'Fuori, mai usati per una scelta: {set}',
  insideSet: 'Autori esclusi dall’addestramento',
  quality: 'Qualità',
  falseAlarms: 'Umani detti artificiali',
  found: 'Artificiali trovati',
  auc: 'AUC (95 %)',
  sample: 'File',
  noRates: 'Di {model} non si conoscono tassi di errore.',
  kindsTitle: 'Per genere di immagine, come trovate',
  kindOf: 'Genere',
  called: 'Dette artificiali',
  range: '95 %',
  modelsTitle: 'Modelli interpellati',
  weights: 'SHA-256 dei pesi',
  licence: 'Licenza',
  trainedOn: 'Addestrato su',
  cardAt: 'Su che cosa è stato addestrato e dove sbaglia è in {member}.',
  notInstalled: 'Questa versione non è più installata; i suoi pesi non si possono indicare.',
  bounds: 'Tra {low} e {high} la risposta è incerta; “prudente” la dice artificiale da {cautious} in su.',
  mapsTitle: 'Mappe',
  mapCaption_origin:
    'Dove al modello sembra artificiale (rosso) o umana (blu). Una parte rossa da sola non prova nulla.',
  mapCaption_tampering: 'Dove al modello sembra ritoccata. Non vede chi l’ha ritoccata, né perché.',
  mapCaption_tampering_reliability:
    'Dove la mappa dei ritocchi è affidabile (chiaro) e dove spesso sbaglia (scuro).',
  pictureCaption: 'L’immagine, ridotta per questa relazione. Il file stesso è in {member}.',
  pictureGone:
    'Il file non è più conservato sull’apparecchio; lo SHA-256 qui sotto dice se una copia è la stessa.',
  framesLead: 'Ognuno è stato giudicato da solo; decide il quinto più alto.',
  sheetCaption:
    'Foglio di provini: fotogrammi analizzati nell’ordine del video ({count}), ognuno con tempo e probabilità.',
  sheetMoment: 'Il più sospetto è a {time} ({share}).',
  time: 'Tempo',
  clipsLead: 'Ogni parte del parlato è stata giudicata da sola.',
  clipsMoment:
    'La più sospetta comincia a {time} ({share}): una sola frase falsa sposta appena il valore dell’insieme.',
  transcriptLead:
    'Scritto da una macchina ({model}, lingua: {language}); può contenere errori e non decide nulla. {shown} {shown:riga|righe} su {count}; tutte sono in figures.json.',
  seconds: 'Secondi',
  channel: 'Canale',
  settings: 'Impostazioni che hanno contato',
  settingsNone: 'Nessuna oltre a quelle predefinite.',
  chosenWay: '{name} (scelto)',
  asked: 'richiesto',
  falseAlarmsEdited: 'Intatti detti ritoccati',
  foundEdited: 'Ritoccati trovati',
  calledEdited: 'Dette ritoccate',
  whoWhatWhen: 'Chi ha fatto che cosa, e quando',
  handedIn: '{origin} ({via})',
  handedInKey: '{origin} ({via}, chiave “{key}”)',
  analysedBy: 'Analizzato da {models}',
  saidByPerson: '{who} l’ha segnato: {classification}{reason}',
  exportedBefore: 'Esportato nel pacchetto {package}; diceva: {reading}',
  exportedNow: 'Impacchettato per questa relazione',
  custodyAt:
    'Il registro di custodia dell’apparecchio dice di più: le sue registrazioni su questo file sono in {member}, ognuna con la prova che sta sotto la testa firmata accanto.',
  readOtherwise:
    'Un pacchetto precedente di questo record dava un’altra lettura delle stesse cifre: {before} (versione delle regole {rules}, {when}). Con le regole di oggi si legge: {now}.',
  reading: '{state}, probabilità di IA: {probability}',
  declarations: 'Metadati non firmati',
  absenceOfMark: 'Che un marchio manchi non è una prova per nessuna delle due origini.',
  howToCheck: 'Come verificare questa relazione',
  howToCheckLead:
    'Il pacchetto che contiene questa relazione è firmato. VERIFY.txt, accanto, dice come verificarlo con sha256sum, openssl e ssh-keygen, senza Assay e senza rete. La chiave deve avere questa impronta, che la redazione pubblica anche altrove:',
  page: 'Pagina {page} di {pages}',
  rescore: 'Che cosa dicono i modelli presenti dei risultati passati',
  rescoreLead:
    'L’apparecchio {box} ha analizzato di nuovo schede passate con i modelli presenti. Nulla è stato salvato e nessuna scheda è cambiata: qui sta che cosa si direbbe altrimenti, e perché.',
  rescoreCounts:
    'Schede analizzate di nuovo: {records}. {changes} si direbbero altrimenti, {failed} non si sono potute analizzare.',
  rescoreChanges: 'Che cosa si direbbe altrimenti',
  rescoreFailed: 'Che cosa non si è potuto analizzare di nuovo',
  rescoreBefore: 'Era',
  rescoreAfter: 'Sarebbe',
  rescoreWhy: 'Perché',
  rescoreModels: 'Modelli: {come} invece di {gone}.',
  rescoreRules: 'Misurato con la versione {before} delle regole, ora {after}.',
  rescoreSame: 'Stessi modelli e regole: cifre su un limite che differiscono nelle ultime posizioni.',
  fileType: 'Tipo',
};

const PAGE_TEXTS: Readonly<Record<ReportLanguage, Texts>> = { en: EN, it: IT };
const REPORT_TEXTS: Readonly<Record<ReportLanguage, Readonly<Record<ReportKey, string>>>> = {
  en: REPORT_EN,
  it: REPORT_IT,
};

type Filling = Readonly<Record<string, string | number>>;

/** The sentences of one language, with its number format. */
export interface Speaker {
  language: ReportLanguage;
  /** A sentence of the page. */
  say: (key: keyof Texts, filling?: Filling) => string;
  /** A sentence of the report. */
  text: (key: ReportKey, filling?: Filling) => string;
  /** For keys derived from a record's values. */
  find: (key: string) => string | undefined;
  number: (value: number, digits?: number) => string;
  percent: (share: number, digits?: number) => string;
  bytes: (bytes: number) => string;
  /** Microseconds since 1970 UTC; in UTC, since a report has no zone. */
  time: (microseconds: number) => string;
}

export function speakerOf(language: ReportLanguage): Speaker {
  const locale = language === 'it' ? 'it-IT' : 'en-GB';
  const page = PAGE_TEXTS[language];
  const fill = (text: string, filling: Filling = {}) => fillText(text, filling);
  const number = (value: number, digits = 0) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
  return {
    language,
    say: (key, filling) => fill(page[key], filling),
    text: (key, filling) => fill(REPORT_TEXTS[language][key], filling),
    find: (key) => (page as Readonly<Record<string, string>>)[key],
    number,
    percent: (share, digits = 0) => {
      const bounds = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      return `${new Intl.NumberFormat(locale, bounds).format(100 * share)}\u00a0%`;
    },
    bytes: (bytes) => {
      const units = ['B', 'KB', 'MB', 'GB', 'TB'];
      const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log(bytes) / Math.log(1024)));
      return `${number(bytes / 1024 ** power, power === 0 ? 0 : 1)} ${units[power]}`;
    },
    time: (microseconds) =>
      `${new Date(microseconds / 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  };
}
