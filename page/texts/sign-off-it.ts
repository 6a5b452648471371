import type { SIGN_OFF_EN } from './sign-off-en.ts';

export const SIGN_OFF_IT: Readonly<Record<keyof typeof SIGN_OFF_EN, string>> = {
  signOff: 'Secondo paio d’occhi',
  signOffLead:
    'Un’altra persona guarda il file e concorda con il giudizio, oppure no. Non cambia nulla di ciò che dice la scheda.',
  signOff_OPEN: 'Controfirma in attesa: nessun altro ha ancora risposto',
  signOff_UNASKED: 'Controfirma in attesa: il piano la esige e nessuno è stato ancora interpellato',
  signOff_AGREED: 'Un’altra persona concorda con il giudizio',
  signOff_DISAGREED: 'Un’altra persona non concorda con il giudizio',
  signOff_DISPUTED: 'Contestato: due volte non c’è stato accordo; cambia il giudizio o toglilo',
  signOff_WITHDRAWN: 'Controfirma conclusa: il giudizio è stato tolto',
  signOff_SUPERSEDED: 'Controfirma conclusa: è stato dato un altro giudizio',
  signOffAsk: 'Chiedi una controfirma',
  signOffAskAgain: 'Chiedi ancora una volta',
  signOffAskLead: 'Chi può rispondere potrà aprire le schede di questo file, finché il giudizio resta.',
  signOffMayAnswer: 'Possono rispondere: {names}.',
  signOffNone:
    'Nessuno può concordare. Un amministratore può dare a un altro membro del desk il ruolo che controfirma.',
  signOffExcluded:
    '{name} non può concordare: dietro i due account potrebbe esserci la stessa persona. {reason}.',
  signOffExcludedSelf:
    'Non puoi concordare: dietro i due account potrebbe esserci la stessa persona. {reason}.',
  obstacle_KEY_MADE: '{actor} ha creato la chiave {key} di {account} il {day}',
  obstacle_KEY_REPLACED: '{actor} ha sostituito la chiave {key} di {account} il {day}',
  obstacle_KEY_SHOWN: '{actor} ha visto la chiave {key} di {account} il {day}',
  obstacle_PASSWORD_LINK: '{actor} ha creato un link per la password di {account} il {day}',
  obstacle_MAILBOX: '{actor} ha cambiato l’indirizzo e-mail di {account} il {day}',
  obstacle_UNKNOWN: '{account} ha avuto troppe chiavi e link per sapere chi poteva usarlo',
  obstacleDays: 'vale per {days} {days:giorno|giorni}, e finché la chiave è valida',
  signOffsWaiting: '{count} da controfirmare',
  signOffQuestion: '{who} dichiara: {classification}. Concordi?',
  signOffAgree: 'Concordo',
  signOffDisagree: 'Non concordo',
  signOffReason: 'Motivo (necessario per non concordare)',
  signOffAgreedBy: '{who} concorda',
  signOffDisagreedBy: '{who} non concorda',
  waitsForMe: 'Attende la mia controfirma',
  fourEyes: 'Ogni giudizio di una persona chiede la controfirma di un’altra',
  fourEyesDays: 'Giorni per cui chi ha avuto accesso a un account non può controfirmare per esso',
  fourEyesDaysHint:
    'Una chiave, un link per la password o un’altra casella; 0: solo finché la chiave è valida',
  seenBeforeAcrossUsers: 'Indica copie precedenti di un’immagine fra gli utenti di un partner',
  custody_sign_off_asked: 'È stata chiesta la controfirma di un’altra persona',
  custody_sign_off_agreed: 'Un’altra persona ha concordato con il giudizio',
  custody_sign_off_disagreed: 'Un’altra persona non ha concordato con il giudizio',
  custody_sign_off_ended: 'La controfirma è finita con il suo giudizio',
};
