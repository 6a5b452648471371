/** What the label helper advises (src/domain/verdicts/article-50.ts), in Italian. */
export const LABEL_ROWS: readonly (readonly [english: string, italian: string])[] = [
  [
    'The text was reviewed by a person and somebody answers for it: there is no duty to disclose.',
    'Una persona ha rivisto il testo e qualcuno ne risponde: non c’è obbligo di dichiararlo.',
  ],
  [
    'The text informs the public on matters of public interest and nobody reviewed it: its making must be disclosed.',
    'Il testo informa il pubblico su questioni di interesse pubblico e nessuno l’ha rivisto: bisogna dichiarare come è nato.',
  ],
  [
    'Nobody would take it for real, so it is no deep fake: there is no duty to label it.',
    'Nessuno lo prenderebbe per vero, quindi non è un deep fake: non c’è obbligo di etichettarlo.',
  ],
  [
    'It resembles reality, but is evidently artistic: that AI had a part in it must be said in a way that does not hamper the work.',
    'Somiglia alla realtà, ma è chiaramente un’opera artistica: va detto, senza disturbare l’opera, che l’IA vi ha avuto parte.',
  ],
  [
    'It resembles reality and could be taken for real: its making must be disclosed. Editorial control is no exception for pictures, films and sound.',
    'Somiglia alla realtà e si potrebbe prendere per vero: bisogna dichiarare come è nato. Per immagini, filmati e suoni il controllo redazionale non fa eccezione.',
  ],
  [
    'On the picture or right beside it, seen together with it at first sight.',
    'Sull’immagine o subito accanto, visibile insieme a essa al primo sguardo.',
  ],
  [
    'On the picture at the start, and again after each break.',
    'Sull’immagine all’inizio, e di nuovo dopo ogni interruzione.',
  ],
  ['Spoken at the start.', 'Detto all’inizio.'],
  ['At the head of the text, before it is read.', 'In testa al testo, prima della lettura.'],
  [
    'In the caption or the credits, so that the work is not disturbed.',
    'Nella didascalia o nei crediti, per non disturbare l’opera.',
  ],
  [
    'In the opening or the credits, so that the work is not disturbed.',
    'Nei titoli di testa o nei crediti, per non disturbare l’opera.',
  ],
  [
    'In the announcement or the description, so that the work is not disturbed.',
    'Nell’annuncio o nella descrizione, per non disturbare l’opera.',
  ],
  [
    'In the imprint or a note, so that the work is not disturbed.',
    'Nel colophon o in una nota, per non disturbare l’opera.',
  ],
  [
    'Regulation (EU) 2024/1689 (AI Act), articles 3(60) and 50(4), (5)',
    'Regolamento (UE) 2024/1689 (AI Act), articoli 3(60) e 50(4), (5)',
  ],
  [
    'who must disclose what, the exceptions, and that it is clear at the first exposure at the latest',
    'chi deve dichiarare che cosa, le eccezioni, e che sia chiaro al più tardi alla prima esposizione',
  ],
  [
    'Code of Practice on marking and labelling of 10 June 2026, as reported; the paper was not read for this',
    'Codice di buone pratiche sulla marcatura e l’etichettatura del 10 giugno 2026, come riferito; il testo non è stato letto',
  ],
  [
    'the words of the label, that a capital AI leads in it, and where it stands',
    'le parole dell’etichetta, che cominci con AI in maiuscolo, e dove sta',
  ],
  ['IPTC NewsCodes, Digital Source Type', 'NewsCodes IPTC, Digital Source Type'],
  ['the term for the file', 'il termine per il file'],
];
