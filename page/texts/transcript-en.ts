/** What the page says of transcripts. */
export const TRANSCRIPT_EN = {
  optionTranscriptLanguage: 'Spoken language',
  languageUnknown: 'Found by the model',
  transcript: 'What is said',
  transcriptLead:
    'Written by a machine ({model}, {language}); it may be wrong. A click on a line plays from there. It decides nothing.',
  transcriptNone: 'No words were heard that a machine could write down.',
  transcriptLeftOut: 'For {seconds} s of speech there is no reliable text.',
  transcriptFault: 'It is not whole: {fault}.',
  transcriptPlay: 'Play from {at}: {text}',
  transcriptChannel: 'Channel {channel}',
  transcriptUnsure: 'The machine was not sure of these words',
  transcriptMore: 'Show all {count} {count:line|lines}',
  transcriptFailed: 'The rest could not be loaded.',
  transcriptSoFar: 'What is said so far',
};
