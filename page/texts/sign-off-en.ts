/** The second pair of eyes on a finding, in English. */

export const SIGN_OFF_EN = {
  signOff: 'Second pair of eyes',
  signOffLead:
    'Another person looks at the file and agrees with the finding, or not. It changes nothing of what the record says.',
  signOff_OPEN: 'Sign-off open: nobody else has answered yet',
  signOff_UNASKED: 'Sign-off open: the plan demands one, and nobody was asked yet',
  signOff_AGREED: 'Another person agrees with the finding',
  signOff_DISAGREED: 'Another person disagrees with the finding',
  signOff_DISPUTED: 'Disputed: it was disagreed with twice; change the finding or take it back',
  signOff_WITHDRAWN: 'Sign-off ended: the finding was taken back',
  signOff_SUPERSEDED: 'Sign-off ended: another finding was stated',
  signOffAsk: 'Ask for a sign-off',
  signOffAskAgain: 'Ask once more',
  signOffAskLead:
    'Your partner and the administrators can then open the records of this file, for as long as the finding stands.',
  signOffQuestion: '{who} states: {classification}. Do you agree?',
  signOffAgree: 'I agree',
  signOffDisagree: 'I disagree',
  signOffReason: 'Reason (needed to disagree)',
  signOffAgreedBy: '{who} agrees',
  signOffDisagreedBy: '{who} disagrees',
  waitsForMe: 'Waits for my sign-off',
  fourEyes: 'Each finding by a person asks for another person’s sign-off',
  fourEyesDays: 'Days for which access to an account forbids signing off for it',
  fourEyesDaysHint: 'A key, a password link or another mailbox; 0: only while the key is valid',
  seenBeforeAcrossUsers: 'Show earlier copies of a picture across a partner’s users',
  custody_sign_off_asked: 'Another person’s sign-off was asked for',
  custody_sign_off_agreed: 'Another person agreed with the finding',
  custody_sign_off_disagreed: 'Another person disagreed with the finding',
  custody_sign_off_ended: 'The sign-off ended with its finding',
} as const;
