/**
 * The daemon's English sentences in Italian. `{a}` to `{d}` take any text, which is then said in Italian,
 * too; `{n}` and `{m}` a number. The first row that fits is used.
 */
import { filledPattern, fillText } from '../../../src/domain/shown-text.ts';
import { language } from '../language.ts';
import { LABEL_ROWS } from './label-it.ts';

const ROWS: readonly (readonly [english: string, italian: string])[] = [
  // What the doctor measures.
  ['runs on {a} in full precision ({b})', 'gira su {a} a precisione piena ({b})'],
  ['runs on {a} in half precision', 'gira su {a} a mezza precisione'],
  ['runs on {a}', 'gira su {a}'],
  ['models run on {a}', 'i modelli girano su {a}'],
  ['nothing yet', 'niente, per ora'],
  ['not tested yet', 'non ancora provato'],
  [
    "differs from the CPU's golden outputs by {a} (at most {b} is allowed)",
    'differisce di {a} dalle risposte di riferimento della CPU (al massimo {b})',
  ],
  ['being prepared: {a}', 'in preparazione: {a}'],
  ['none ({a})', 'nessuna ({a})'],
  ['nvidia-smi is not there', 'nvidia-smi non c’è'],
  ['nvidia-smi does not answer', 'nvidia-smi non risponde'],
  ['nvidia-smi fails ({a})', 'nvidia-smi non funziona ({a})'],
  ['the NATS server is not reached', 'il server NATS non si raggiunge'],
  ['reached by TLS', 'raggiunto con TLS'],
  ['reached on this box', 'raggiunto su questa macchina'],
  ['it asks for keys', 'chiede le chiavi'],
  [
    'it lets anybody in, as nats.allow_unauthenticated allows',
    'fa entrare chiunque, come permette nats.allow_unauthenticated',
  ],
  ['drained: it takes no more work and has none', 'svuotata: non prende più lavoro e non ne ha'],
  ['drained: it takes no more work and {a}', 'svuotata: non prende più lavoro e {a}'],
  ['finishes {n}', 'ne finisce {n}'],
  ['not heard of lately', 'da un po’ non si fa sentire'],
  ['{n} of {m} running', '{n} di {m} in corso'],
  ['{n} done', '{n} fatti'],
  ['{n} failed', '{n} falliti'],
  ['draining', 'si sta svuotando'],
  ['its clock is {a} s off', 'il suo orologio è sbagliato di {a} s'],
  ['stamps', 'firma'],
  ['{n} packages wait for tokens', '{n} pacchetti aspettano una marca temporale'],
  ['no mail server is set: mail is not sent', 'nessun server di posta è impostato: i messaggi non partono'],
  ['{a} lie in {b}', '{a} sono in {b}'],
  ['the mail server answers and lets Assay in', 'il server di posta risponde e fa entrare Assay'],
  ['the mail server refuses: {a}', 'il server di posta rifiuta: {a}'],
  ['the certificate ends {a}', 'il certificato scade {a}'],
  ['none is on that vouches for signers', 'non è attivo nessuno che garantisca per i firmatari'],
  ['{n} waiting', '{n} in attesa'],
  ['{n} running', '{n} in corso'],
  ['not started', 'non avviato'],
  ['read a picture and a sound in {a} ms', 'hanno letto un’immagine e un suono in {a} ms'],
  ['the {a} was taken for {b}', '{a}: preso per {b}'],
  ['{a} decoders may take {b} of {c}', '{a} decodificatori possono occupare {b} su {c}'],
  ['{a} files and connections may be open', '{a} file e collegamenti possono essere aperti'],
  ['{a} takes connections', '{a} accetta collegamenti'],
  ['{a} takes no connection', '{a} non accetta collegamenti'],
  ['it is {a} s behind what was written before', 'è indietro di {a} s rispetto a quanto scritto prima'],
  ['it was set by {a} s since the start', 'è stato spostato di {a} s dall’avvio'],
  ['not set since the start', 'non è stato spostato dall’avvio'],
  ['synchronised', 'sincronizzato'],
  ['systemd-timesyncd has not synchronised it', 'systemd-timesyncd non lo ha sincronizzato'],
  ['{n} GB free', '{n} GB liberi'],
  ['work is refused below {a} GB', 'sotto {a} GB il lavoro viene rifiutato'],
  ['a flush takes {a} ms', 'una scrittura su disco richiede {a} ms'],
  ['{n} % of it free', 'liberi per il {n} %'],
  ['may grow by {a} GB', 'possono crescere di {a} GB'],
  [
    '{a} damaged values and {b} records that cannot be shown met since the start',
    'dall’avvio {a} valori danneggiati e {b} schede che non si possono mostrare',
  ],
  ['none reads an old state of the records', 'nessuno legge uno stato vecchio delle schede'],
  ['the oldest has been behind for {a} s', 'il più vecchio è indietro da {a} s'],
  ['{n} transactions', '{n} transazioni'],
  ['none was found changed since the start', 'dall’avvio nessuno risulta cambiato'],
  ['{a} stored files are not what was submitted', '{a} file conservati non sono quelli inviati'],
  ['the log names them by hash', 'il registro ne dice l’hash'],
  ['none is made', 'non se ne fanno'],
  ['none yet in {a}', 'ancora nessuna in {a}'],
  ['none yet', 'ancora nessuna'],
  ['last good one {a} in {b}', 'ultima buona {a} in {b}'],
  ['last good one {a}', 'ultima buona {a}'],
  ['the last try failed: {a}', 'l’ultimo tentativo è fallito: {a}'],
  ['the index of answers is being made', 'l’indice delle risposte è in preparazione'],
  [
    '{a} records were compared with the indexes of their lists',
    '{a} schede confrontate con gli indici dei loro elenchi',
  ],
  ['{a} are not where a list looks: {b}', '{a} non sono dove un elenco le cerca: {b}'],
  ['the last verification found {a} faults', 'l’ultima verifica ha trovato {a} difetti'],
  ['{n} entries', '{n} voci'],
  ['signed up to {a}', 'firmate fino alla {a}'],
  ['a segment begins at entry {a}: {b}', 'un tratto comincia alla voce {a}: {b}'],
  ['the head and the last entry disagreed', 'la testa e l’ultima voce non concordavano'],
  [
    '{a} pictures and frames are found by a part ({b})',
    '{a} immagini e fotogrammi si trovano da un ritaglio ({b})',
  ],
  ['{a} MiB in a file', '{a} MiB in un file'],
  ['{a} earlier ones were described since the start', 'dall’avvio ne sono state descritte {a} precedenti'],
  ['{n} are found as a whole only', '{n} si trovano solo intere'],
  ['their files are not kept', 'i loro file non sono più conservati'],
  ['{n} could not be decoded', '{n} non si sono potute decodificare'],
  ['no analysis has ended yet', 'nessuna analisi è ancora finita'],
  ['{a} of {b} analyses were looked through', '{a} analisi su {b} sono state esaminate'],
  ['{a} rows are damaged and left out', '{a} righe sono danneggiate ed escluse'],
  ['no file could be written for the index: {a}', 'non si è potuto scrivere il file dell’indice: {a}'],

  // Why an analysis failed.
  [
    'the file is {a} without picture or sound that can be decoded',
    'il file è {a} senza immagini né suono decodificabili',
  ],
  ['the file is {a} that holds {b}; accepted are {c}', 'il file è {a} che contiene {b}; si accettano {c}'],
  ['no sample of it is left at {n} Hz', 'a {n} Hz non ne resta nessun campione'],
  ['the file lasts {n} seconds', 'il file dura {n} secondi'],
  ['{a}; renditions are made of at most {b}', '{a}; si fanno versioni di al massimo {b}'],
  [
    'the file packs more than {n} samples of sound into a byte',
    'il file mette più di {n} campioni di suono in un byte',
  ],
  [
    'the HEIF picture lies in a `mini` box, which is not read',
    'l’immagine HEIF sta in un riquadro «mini», che non viene letto',
  ],
  ['the HEIF data lacks a part of the picture', 'ai dati HEIF manca una parte dell’immagine'],
  ['the HEIF data lacks its decoder settings', 'ai dati HEIF mancano le impostazioni del decodificatore'],
  ['what the file holds cannot be decoded ({a})', 'il contenuto del file non si può decodificare ({a})'],
  ['given up after {a} attempt: {b}', 'rinunciato dopo {a} tentativo: {b}'],
  ['given up after {a} attempts: {b}', 'rinunciato dopo {a} tentativi: {b}'],
  ['the analysis took longer than {a} seconds', 'l’analisi ha richiesto più di {a} secondi'],
  [
    'a worker process ended while it analysed the file',
    'un processo di lavoro è finito mentre analizzava il file',
  ],
  [
    'the analysis failed inside the appliance; its log says why',
    'l’analisi è fallita dentro la macchina; il registro dice perché',
  ],
  [
    'two decoders took longer than {a} s each to look at the file; it is not looked at again',
    'due decodificatori hanno impiegato più di {a} s ciascuno per leggere il file; non si riprova',
  ],
  ['too many files are being checked', 'troppi file sono in verifica'],
  ['the appliance is stopping', 'la macchina si sta fermando'],
  [
    'the file was not looked at in time by two decoders; try again',
    'due decodificatori non hanno letto il file in tempo; riprova',
  ],
  [
    'the file cannot be read: the decoder ended over it',
    'il file non si può leggere: il decodificatore si è fermato',
  ],
  ['the file changed while it was analysed', 'il file è cambiato durante l’analisi'],
  ['the analysis of this record is missing', 'manca l’analisi di questa scheda'],
  ['what it was to be added to is gone', 'ciò a cui andava aggiunto non c’è più'],
  ['cancelled', 'interrotto'],
  ['the address took longer than {a} seconds', 'l’indirizzo ha richiesto più di {a} secondi'],
  ['the download took longer than {a} seconds', 'lo scaricamento ha richiesto più di {a} secondi'],
  ['the address could not be fetched ({a})', 'l’indirizzo non si è potuto scaricare ({a})'],
  ['the account has no pricing plan', 'l’account non ha un piano'],
  ['{a}: the host {b} has no address', '{a}: l’host {b} non ha un indirizzo'],
  ['{a}: the host {b} cannot be resolved ({c})', '{a}: l’host {b} non si può risolvere ({c})'],
  ['{a}: the address leads to {b}', '{a}: l’indirizzo porta a {b}'],
  ['which may not be fetched from', 'da cui non si può scaricare'],
  ['which may not be delivered to', 'a cui non si può consegnare'],
  ['no installed model analyses {a} ({b})', 'nessun modello installato analizza {a} ({b})'],
  [
    'the file is {a}, which is none of the accepted types of pictures, video and sound',
    'il file è {a}: non è tra i tipi accettati di immagini, video e suono',
  ],
  ['the file is a TIFF with samples {a}', 'il file è un TIFF con campioni {a}'],
  ['the file is {a}', 'il file è {a}'],
  ['accepted are {a}', 'si accettano {a}'],
  ['of a type that is not known here', 'di un tipo sconosciuto'],
  ['the picture has no pixels', 'l’immagine non ha pixel'],
  ['the picture is {a} × {b} pixels', 'l’immagine è di {a} × {b} pixel'],
  ['the picture has {a} pixels ({b} × {c})', 'l’immagine ha {a} pixel ({b} × {c})'],
  ["the video's frames have {a} pixels ({b} × {c})", 'i fotogrammi del video hanno {a} pixel ({b} × {c})'],
  ['a side may have at most {a}', 'un lato può averne al massimo {a}'],
  ['at most {a} are accepted', 'se ne accettano al massimo {a}'],
  ['the {a} header is damaged', 'l’intestazione {a} è danneggiata'],
  ['the {a} data ends early or is damaged', 'i dati {a} finiscono troppo presto o sono danneggiati'],
  ['the {a} data is damaged or ends early', 'i dati {a} sono danneggiati o finiscono troppo presto'],
  ['the {a} data is damaged', 'i dati {a} sono danneggiati'],
  ['the {a} data holds no picture', 'i dati {a} non contengono immagini'],
  [
    'the {a} data is of a kind that is not read here ({b})',
    'i dati {a} sono di un tipo che qui non si legge ({b})',
  ],
  ['the HEIF data names no picture', 'i dati HEIF non indicano un’immagine'],
  ['the HEIF picture has more than {n} parts', 'l’immagine HEIF ha più di {n} parti'],
  ['the HEIF picture is made of itself', 'l’immagine HEIF contiene sé stessa'],
  ['the HEIF data does not say how large it is', 'i dati HEIF non dicono quanto è grande'],
  ['{n} × {m} pixels, and says {b} × {c}', '{n} × {m} pixel, mentre dice {b} × {c}'],
  ['a part of the HEIF picture has {a}', 'una parte dell’immagine HEIF ha {a}'],
  ['the HEIF picture is cropped to nothing', 'il ritaglio dell’immagine HEIF è vuoto'],
  [
    'the TIFF data is damaged (its directories overlap)',
    'i dati TIFF sono danneggiati (gli indici si sovrappongono)',
  ],
  ['the texts of the PNG unpack to more than {n} bytes', 'i testi del PNG superano {n} byte'],
  ['{a} has more than {n} {b}', '{a}: più di {n} {b}'],
  ['the picture has {n} pixels of 32-bit samples', 'l’immagine ha {n} pixel con campioni a 32 bit'],
  ['no frame of the video can be decoded', 'nessun fotogramma del video si può decodificare'],
  ['no sound in the file can be decoded', 'nessun suono del file si può decodificare'],
  ['the sound in the file is too short: {a}', 'il suono del file è troppo breve: {a}'],
  [
    'the recording lasts {a}; at most {b} are accepted',
    'la registrazione dura {a}; se ne accettano al massimo {b}',
  ],
  ['more than {a} seconds', 'più di {a} secondi'],
  ['{n} seconds', '{n} secondi'],
  [
    'the video needs a height of at least {n} pixels, found {m}',
    'il video deve essere alto almeno {n} pixel, trovati {m}',
  ],
  [
    'the model {a} needs a short side of at least {n} pixels, found {m}',
    'il modello {a} vuole un lato corto di almeno {n} pixel, trovati {m}',
  ],
  [
    'the file is {a} without picture or sound that can be decoded',
    'il file è {a} senza immagini né suono che si possano decodificare',
  ],
  ['found {a}, which the pricing plan does not take', 'trovato {a}, che il piano non accetta'],
  ['not {a} file: found {b}', 'non è un file {a}: trovato {b}'],
  ['expected {a} and the like', 'previsto {a} e simili'],

  // Why a value is refused.
  ['found {a} ({b})', 'trovato {a} ({b})'],
  [
    'expected true, 1, on, false, 0 or nothing, found {a}',
    'previsto: true, 1, on, false, 0 o niente, trovato: {a}',
  ],
  ['expected human or artificial, found {a}', 'previsto: «human» o «artificial», trovato: {a}'],
  ['expected a cursor from an earlier page', 'previsto: il segno di una pagina precedente'],
  [
    'expected kind, outcome, search, text, since, until, desk_id or waits_for_me, found nothing that narrows a list',
    'previsto: kind, outcome, search, text, since, until, desk_id o waits_for_me; nulla restringe l’elenco',
  ],
  [
    'expected the SHA-256 of a package’s signed list of files, 64 hex digits',
    'previsto: lo SHA-256 dell’elenco firmato di un pacchetto, 64 cifre esadecimali',
  ],
  [
    "expected a size from 0 to {n}, the log's own, found {a}",
    'previsto: una dimensione da 0 a {n}, quella del registro, trovato: {a}',
  ],
  [
    'expected {a} (the setting backup.dir) or a folder in it, found {b}',
    'previsto: {a} (impostazione backup.dir) o una cartella al suo interno, trovato: {b}',
  ],
  [
    '{a} is licensed under {b}, which forbids some uses; read it at {c} and name it; found {d}',
    'la licenza di {a} è {b}, che vieta alcuni usi: leggila su {c} e indicala; trovato: {d}',
  ],
  ['expected a catalogue_name beside it', 'previsto: anche un catalogue_name'],
  ['expected one file, the model; found another', 'previsto: un solo file, il modello; ce n’è un altro'],
  [
    'expected the model file, or download; found neither',
    'previsto: il file del modello o «download»; mancano tutti e due',
  ],
  [
    'expected the e-mail address of this account; an administrator may name any',
    'previsto l’indirizzo e-mail di questo account; un amministratore può indicarne altri',
  ],
  ['expected true: the terms of service must be accepted', 'bisogna accettare le condizioni d’uso'],
  [
    'expected letters or digits: the name has none to make it of',
    'previste lettere o cifre: il nome non ne ha',
  ],
  ['expected at least -{n}, the balance, found {b}', 'previsto: almeno -{n}, il saldo; trovato: {b}'],
  ['expected image, video or audio, found {a}', 'previsto: image, video o audio; trovato: {a}'],
  [
    'a transcript of a video needs its sound: expected audio_track as well',
    'per la trascrizione di un video serve il suono: aggiungi audio_track',
  ],
  [
    'of a video it needs with_audio, which was not asked for',
    'per un video serve with_audio, che non è stato chiesto',
  ],
  ['it needs with_transcript, which was not asked for', 'serve with_transcript, che non è stato chiesto'],
  [
    'expected a partner account, for an account of the role user',
    'previsto un account partner, per un account del ruolo utente',
  ],
  ['expected {a}, found {b}', 'previsto: {a}, trovato: {b}'],
  ['expected {a}; {b}', 'previsto: {a}; {b}'],
  ['expected {a}: {b}', 'previsto: {a}: {b}'],
  ['expected {a}', 'previsto: {a}'],
  ['nothing', 'niente'],
  ['none', 'niente'],
  ['text', 'un testo'],
  ['a name', 'un nome'],
  ['at most {a} characters', 'al massimo {a} caratteri'],
  ['{n} to {m} characters', 'da {n} a {m} caratteri'],
  ['one line', 'una sola riga'],
  ['control characters', 'caratteri di controllo'],
  ['one line of at most {a} characters', 'una riga di al massimo {a} caratteri'],
  ['a whole number from {a} to {b}', 'un numero intero da {a} a {b}'],
  ['a whole number other than 0', 'un numero intero diverso da 0'],
  ['a whole number', 'un numero intero'],
  ['one of the catalogue ({a})', 'uno del catalogo ({a})'],
  ['one of {a}', 'uno fra {a}'],
  ['of {a} one of {b}', 'per {a} uno fra {b}'],
  ['of {a}', 'fra {a}'],
  ['a list, or text separated by commas', 'un elenco, o testi separati da virgole'],
  ['at most {a} entries', 'al massimo {a} voci'],
  ['at most {a} files', 'al massimo {a} file'],
  ['at most {a} bytes', 'al massimo {a} byte'],
  ['more', 'di più'],
  ['interactive or batch', 'interactive o batch'],
  ['the size of the file in bytes', 'la dimensione del file in byte'],
  ['a value of type {a}', 'un valore di tipo {a}'],
  ['{n} bytes that are none', '{n} byte che non lo sono'],
  ['{n} hex characters', '{n} cifre esadecimali'],
  [
    'a link that was neither used nor replaced nor has expired',
    'un link non usato, non sostituito e non scaduto',
  ],
  ['ask for a new one', 'chiedine uno nuovo'],
  ['why you disagree', 'perché non sei d’accordo'],
  ['a time between 1970 and 2255', 'un momento fra il 1970 e il 2255'],
  ['a picture of at least 5 pixels a side', 'un’immagine di almeno 5 pixel per lato'],
  ['a smaller one', 'una più piccola'],
  ['a picture, a film or a frame of one', 'un’immagine, un video o un suo fotogramma'],
  ['sound', 'un suono'],
  ['one file, the model', 'un solo file, il modello'],
  ['another', 'un altro'],
  ['the files of a pack', 'i file di un modello'],
  [
    'the setting backup.dir to name where backups may go',
    'l’impostazione backup.dir con la cartella delle copie',
  ],
  ['it empty', 'vuota'],
  ['a file or an address', 'un file o un indirizzo'],
  ['a file', 'un file'],
  ['an empty one (0 bytes)', 'uno vuoto (0 byte)'],
  ['{n} bytes as announced', '{n} byte, come annunciato'],
  ['at least {a}', 'almeno {a}'],
  ['a C2PA manifest store (a .c2pa file)', 'un manifesto C2PA (un file .c2pa)'],
  ['an empty file', 'un file vuoto'],
  ['at least one analysis', 'almeno un’analisi'],
  ['a folder that no other one watches', 'una cartella non ancora sorvegliata'],
  ['NAME=VALUE with one of {a}', 'NOME=VALORE con uno fra {a}'],
  ['which holds or lies in {a} of folder {b}', 'che contiene o sta in {a} della cartella {b}'],
  ['which is', 'che è'],
  ['holds or lies in {a} of folder {b}', 'contiene o sta in {a} della cartella {b}'],
  ['under another path', 'con un altro percorso'],
  ['a password', 'una password'],
  ['none yet: ask for a link that sets one', 'ancora nessuna: chiedi un link per impostarla'],
  ['an absolute path', 'un percorso assoluto'],
  ['a folder in one of watch.roots ({a})', 'una cartella dentro watch.roots ({a})'],
  ['{a} lower-case letters, digits and dashes', '{a} lettere minuscole, cifre e trattini'],
  ['1 to 40', 'da 1 a 40'],
  ['there is a list "{a}" already', 'c’è già un elenco «{a}»'],
  ['there are {a} lists, the most there may be', 'ci sono {a} elenchi, il massimo'],
  ['a newer edition', 'un’edizione più nuova'],
  [
    'it drops what vouches for signers of records here: {a}',
    'toglie ciò che garantisce per i firmatari di schede di questa macchina: {a}',
  ],
  ['a list that was added', 'un elenco aggiunto'],
  ['"{a}": switch it off instead', '«{a}»: questo si può solo disattivare'],
  ['a fingerprint or a part of a name', 'un’impronta o una parte del nome'],
  ['the day of publication as YYYY-MM-DD', 'il giorno di pubblicazione come AAAA-MM-GG'],
  ['an address', 'un indirizzo'],
  ['an e-mail address like name@example.org', 'un indirizzo e-mail come nome@example.org'],
  ['an e-mail address', 'un indirizzo e-mail'],
  ['the password of this account', 'la password di questo account'],
  ['up to 64 letters, digits, dots and hyphens', 'fino a 64 lettere, cifre, punti e trattini'],
  ['pairs like heatmap=2', 'coppie come heatmap=2'],
  ['all or identifiers of packs', '«all» o identificatori di modelli'],
  ['one that no other plan has', 'uno che nessun altro piano ha'],
  [
    'the address of an account that this desk is for',
    'l’indirizzo di un account che può entrare in questo desk',
  ],
  ['one record or more', 'almeno una scheda'],
  ['an absolute http or https address', 'un indirizzo http o https completo'],
  ['credentials in the address are not accepted', 'l’indirizzo non può contenere una password'],
  ['a port from 1 to 65535', 'una porta da 1 a 65535'],
  ['it {a}', 'il contenuto {a}'],
];

const PATTERNS = [...LABEL_ROWS, ...ROWS].map(([english, italian]) => ({
  english,
  italian,
  pattern: filledPattern(english, takenBy),
}));

function takenBy(gap: string): string {
  return gap === 'n' || gap === 'm' ? '[\\d.,]+' : '.+?';
}

/** Between the parts of a sentence, the widest first. */
const JOINTS = ['; ', ', '];
const DEPTH_MAX = 6;

/** In the reader's language; what has no row stays as the daemon wrote it. */
export function saySentence(sentence: string): string {
  return language.get() === 'it' ? inItalian(sentence, DEPTH_MAX) : sentence;
}

function inItalian(sentence: string, depth: number): string {
  if (depth === 0) return sentence;
  const joint = JOINTS.find((one) => sentence.includes(one));
  for (const { english, pattern, italian } of PATTERNS) {
    // The gap of a row of one part would take all the others.
    const isApt = joint === undefined || JOINTS.some((one) => english.includes(one));
    const gaps = isApt ? pattern.exec(sentence) : null;
    if (gaps !== null) {
      const filling = Object.entries(gaps.groups ?? {}).map(([gap, text]) => [
        gap,
        inItalian(text, depth - 1),
      ]);
      return fillText(italian, Object.fromEntries(filling));
    }
  }
  if (joint === undefined) return sentence;
  return sentence
    .split(joint)
    .map((part) => inItalian(part, depth - 1))
    .join(joint);
}
