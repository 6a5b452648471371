import type { CUSTODY_EN } from './custody-en.ts';

export const CUSTODY_IT: Readonly<Record<keyof typeof CUSTODY_EN, string>> = {
  custodyLead:
    'Ogni riga è una voce del registro della macchina. Le voci sono concatenate: nessuna può essere cambiata o tolta senza che si scopra (assay custody verify).',
  custodyEntry: 'Voce {sequence}',
  custodyDetailsDeleted: 'Dettagli eliminati il {at}',
  custodyOlder: 'Inviato prima che il registro di custodia iniziasse; queste righe non ne fanno parte:',
  custody_received: 'Ricevuto',
  custody_fetched: 'Scaricato dal suo indirizzo',
  custody_analysed: 'Analizzato',
  custody_failed: 'L’analisi è finita senza risultato',
  custody_manifest_reread: 'Manifesto riletto con altri elenchi di fiducia',
  custody_manifest_not_reread: 'Il manifesto non si è potuto rileggere; resta quanto letto prima',
  custody_cancelled: 'Annullato',
  custody_analyses_added: 'Chiesto altro',
  custody_retried: 'Ricominciato',
  custody_looked_at: 'Consultato',
  custody_downloaded: 'Originale scaricato',
  custody_exported: 'Esportato in un pacchetto firmato',
  custody_overridden: 'Giudizio di una persona',
  custody_override_removed: 'Il giudizio della persona è stato tolto',
  custody_bytes_deleted: 'Il file conservato è stato eliminato allo scadere della conservazione',
  custody_deleted: 'Eliminato',
  custody_redacted: 'Sono stati eliminati dettagli di voci',
  custody_taken_over: 'Dal registro precedente',
};
