/** What to do about a part of the box that needs the operator, in Italian; the daemon says it itself in English. */
import { language } from './language.ts';

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
