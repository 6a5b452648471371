/** What the daemon says in English, in Italian: refusals by their reasons, and advice by the examined part of the box. */
import { fillText } from '../../../src/domain/shown-text.ts';
import { language } from '../language.ts';
import { saySentence } from './sentences-it.ts';

/** `{detail}` is the daemon's own sentence, in Italian where it has words there. The first text is taken whose figures came with the refusal. */
export const FAULTS_IT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    bad_field: ['Il valore di «{field}» non va bene: {detail}', 'Un valore non va bene: {detail}'],
    unsupported_media_type: ['Questo tipo di file non si può analizzare: {detail}'],
    bad_address: ['Questo indirizzo non si può usare: {detail}'],
    too_large: ['Il file ha {actual_bytes} byte, il massimo è {maximum_bytes}.', 'È troppo grande: {detail}'],
    corrupt: ['Il file è danneggiato: {detail}'],
    below_minimum: ['Il file è troppo piccolo o breve: {detail}'],
    too_many_pixels: ['L’immagine ha troppi pixel: {detail}'],
    too_long: ['La registrazione è troppo lunga: {detail}'],
    no_models: ['Nessun modello caricato può giudicare questo file.'],
    bad_model: ['Il modello non si può usare: {detail}'],
    list_too_long: ['L’elenco è troppo lungo: {detail}'],
    request_reused: ['La stessa richiesta è già stata fatta con altri dati.'],
    key: ['La chiave API non è valida.'],
    credentials: ['L’e-mail o la password è sbagliata, oppure la sessione è finita.'],
    not_enabled: ['Il piano di questo account non lo prevede: {detail}'],
    terms: ['Prima bisogna accettare le condizioni d’uso.'],
    read_only: ['Questo account può solo vedere i risultati.'],
    role: ['Il ruolo di questo account non lo permette.'],
    classification: ['Questa scheda non esiste.'],
    heatmap: ['Per questa scheda non c’è una mappa.'],
    media: ['Il file non è più conservato.'],
    user: ['Questo account non esiste.'],
    desk: ['Questo desk non esiste.'],
    plan: ['Questo piano non esiste.'],
    api_key: ['Questa chiave non esiste.'],
    upload: ['Questo invio non esiste più.'],
    delivery: ['Questa consegna non esiste.'],
    model: ['Questo modello non esiste.'],
    notice: ['Questo avviso non esiste.'],
    saved_filter: ['Questo filtro non esiste.'],
    watch_folder: ['Questa cartella non è sorvegliata.'],
    worker: ['Questa macchina di lavoro non esiste.'],
    trust_list: ['Questo elenco di fiducia non esiste.'],
    email: ['C’è già un account con questo indirizzo e-mail.'],
    credits: [
      'Servono {needed_credits} crediti, ne restano {available_credits}.',
      'I crediti non bastano: {detail}',
    ],
    already_ended: ['L’analisi è già finita.'],
    not_ended: ['L’analisi non è ancora finita.'],
    last_admin: ['È l’ultimo amministratore: ne serve almeno uno.'],
    backup: ['La copia di sicurezza non si può fare ora: {detail}'],
    sign_off: ['La controfirma non è possibile: {detail}'],
    signing_key: ['La chiave che firma non si può usare: {detail}'],
    model_exists: ['Questo modello è già installato.'],
    too_many: ['Ce ne sono già troppi: {detail}'],
    worker_here: ['La macchina di lavoro è ancora collegata.'],
    watching: ['La cartella è già sorvegliata: {detail}'],
    rate: ['Troppe richieste: riprova fra poco.'],
    queue_full: ['La coda è piena: riprova fra poco.'],
    uploads_full: ['Ci sono troppi invii in corso: riprova fra poco.'],
    starting: ['La macchina si sta avviando: riprova fra poco.'],
    draining: ['La macchina si sta fermando: riprova fra poco.'],
    disk_full: ['Il disco è pieno: non si accettano nuovi file finché non c’è spazio.'],
    probe_busy: ['La macchina controlla già altri file: riprova fra poco.'],
    exhausted: ['La macchina ha troppi file e collegamenti aperti: riprova fra poco.'],
    mail: ['Il messaggio non è partito: {detail}'],
    damaged: ['Un valore conservato è danneggiato: {detail}'],
    too_slow: ['L’invio era troppo lento ed è stato interrotto.'],
    deadline: ['La risposta ha richiesto troppo tempo.'],
    cancelled: ['Interrotto.'],
    internal: ['Errore interno: il registro della macchina dice di più.'],
  }),
);

export interface SaidFault {
  message: string;
  reason: string;
  field: string | null;
  /** The daemon's figures, by the names of their gaps. */
  metadata: unknown;
}

/** In the reader's language; a reason without a text is said as the daemon says it. */
export function sayFault({ message, reason, field, metadata }: SaidFault): string {
  if (language.get() === 'en') return message;
  const filling = new Map(
    Object.entries(Object(metadata)).map(([gap, value]): [string, string] => [gap, String(value)]),
  );
  const detail =
    field !== null && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  filling.set('detail', saySentence(detail));
  if (field !== null) filling.set('field', field);
  const isWhole = (text: string): boolean =>
    [...text.matchAll(/\{(\w+)\}/g)].every(([, gap = '']) => filling.has(gap));
  const text = FAULTS_IT.get(reason)?.find(isWhole);
  return text === undefined ? saySentence(message) : fillText(text, Object.fromEntries(filling));
}

export const ADVICE_IT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    backup: 'Imposta backup.dir su una cartella di un altro disco, poi esegui «assay backup».',
    broker: 'Controlla nats.servers e la rete fino al server NATS, e che chieda l’autenticazione.',
    clock: 'Chiedi a timedatectl: schede, link e firme sono giudicati con questo orologio.',
    custody: 'Esegui «assay custody verify» e conserva ciò che trova.',
    decoders: 'Il registro dice di più; «npm ci» installa di nuovo i decodificatori.',
    disk: 'Fai spazio, dai ai piani una conservazione (giorni per file e schede), o sposta la cartella dei dati.',
    flush: 'Ogni invio aspetta una scrittura: metti la cartella dei dati su un disco più veloce.',
    gpu: 'Il registro dice perché i modelli non girano sulla scheda grafica; «assay models verify» lo controlla.',
    isolation:
      'Installa bubblewrap e permetti gli user namespace, o imposta decode.isolation = "require", perché il demone non parta senza.',
    limits: 'Alza LimitNOFILE (o ulimit -n): ogni osservatore ne occupa uno.',
    lists: 'Aspetta la fine dell’indice; se resta un errore, esegui «assay restore --rebuild-indexes».',
    mail: 'Imposta mail.smtp_url, o consegna i messaggi a mano.',
    memory: 'Riduci decode.slots o decode.memory_bytes_max, o dai più memoria alla macchina.',
    model: 'Installa di nuovo il modello o il suo dispositivo; il registro dice di più.',
    models: 'Aggiungi un modello con «assay models add»; il registro dice di più.',
    originals: 'Ripristina i file dall’ultima copia buona, e fai controllare il disco.',
    port: 'Libera la porta o scegline un’altra; controlla che il servizio risponda.',
    queue: 'C’è lavoro in attesa e nulla è in corso: guarda il registro.',
    readers: 'Il registro dice che cosa legge da troppo tempo; riavvia il demone se non finisce.',
    records:
      'Se ci sono valori danneggiati, ripristina l’ultima copia buona in una nuova cartella; altrimenti «assay store compact» recupera spazio.',
    search: 'Aspetta che le immagini precedenti siano descritte; se ci sono errori, guarda disco e registro.',
    'timestamp authority': 'Controlla l’indirizzo dell’autorità e la rete fino a essa.',
    tls: 'Rinnova il certificato prima della scadenza.',
    'trust lists':
      'Prendi l’elenco attuale da chi lo pubblica, poi «assay trust update»; o attiva un elenco.',
    'watched folder': 'Dai la cartella all’utente del demone, o monta la sua condivisione.',
    worker: 'Avvia la macchina di lavoro, con la stessa versione e gli stessi modelli di questa macchina.',
  }),
);

/** The advice about a part of the box. */
export function sayAdvice(part: string, advice: string): string {
  return (language.get() === 'it' ? ADVICE_IT.get(part) : undefined) ?? advice;
}
