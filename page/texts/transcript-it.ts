/** Ciò che la pagina dice delle trascrizioni. */
export const TRANSCRIPT_IT = {
  optionTranscriptLanguage: 'Lingua parlata',
  languageUnknown: 'Riconosciuta dal modello',
  transcript: 'Che cosa si dice',
  transcriptLead:
    'Scritto da una macchina ({model}, {language}); può contenere errori. Un clic su una riga riproduce da lì. Non decide nulla.',
  transcriptNone: 'Nessuna parola che una macchina potesse trascrivere.',
  transcriptLeftOut: 'Per {seconds} s di parlato non c’è un testo affidabile.',
  transcriptFault: 'Non è completa: {fault}.',
  transcriptPlay: 'Riproduci da {at}: {text}',
  transcriptChannel: 'Canale {channel}',
  transcriptUnsure: 'La macchina non era sicura di queste parole',
  transcriptMore: 'Mostra {count:la riga|tutte le righe} ({count})',
  transcriptFailed: 'Il resto non si è potuto caricare.',
  transcriptSoFar: 'Che cosa si dice finora',
};
