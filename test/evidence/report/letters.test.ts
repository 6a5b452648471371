/** What a report says in letters that its own font lacks, read back from the PDF. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../../src/evidence/report/blocks.ts';
import { toHtmlReport } from '../../../src/evidence/report/html-report.ts';
import { Letters } from '../../../src/evidence/report/letters/letters.ts';
import { splitRuns, visualOrder } from '../../../src/evidence/report/letters/text-runs.ts';
import { writePdfReport } from '../../../src/evidence/report/pdf-process.ts';
import type { Report } from '../../../src/evidence/report/report.ts';
import { type PdfPiece, readPdf } from './pdf-text.ts';

const { signal } = new AbortController();
const reportOf = (blocks: Block[]): Report => ({ language: 'en', title: '报告', blocks, footer: 'p {page}' });
const pdfOf = async (...blocks: Block[]) =>
  Buffer.concat(await Array.fromAsync(writePdfReport(reportOf(blocks), new Map(), signal)));
const packed = (pieces: readonly PdfPiece[]) =>
  pieces
    .map(({ text }) => text)
    .join('')
    .replace(/\s/g, '');

const SAID: Readonly<Record<string, string>> = {
  zh: '你好，世界。今天的新闻记者采访了一位来自上海的工程师；共3个频道。',
  ja: '今日は東京で直接お話を伺いました。カタカナとＡＢＣ。骨、海、今、直',
  ko: '안녕하세요. 오늘은 서울에서 기자가 인터뷰를 했습니다.',
  ar: 'السلام عليكم ورحمة الله. أجرى الصحفي مقابلة في عام 2026 مع مهندس Assay من القاهرة، لا إلا. مُحَمَّد',
  fa: 'این یک آزمایش است؛ می‌خواهم بدانم که صدا واقعی است. گچ‌پژ',
  ur: 'یہ اردو میں ایک امتحان ہے، آواز اصلی ہے یا نہیں؟',
  he: 'שלום עולם. בְּרֵאשִׁית בָּרָא. העיתונאי ראיין מהנדס בשנת 2026.',
  hi: 'यह हिन्दी में एक परीक्षण है। क्षत्रिय, श्री, राष्ट्रीय, विद्यार्थी, र्कि, संस्कृत।',
  bn: 'বাংলা ভাষায় একটি পরীক্ষা। শ্রী, ক্ষমা, কৌশল।',
  ta: 'தமிழில் ஒரு சோதனை. கொண்டு வந்தான்.',
  te: 'తెలుగులో ఒక పరీక్ష. స్త్రీ, రాష్ట్రం.',
  kn: 'ಕನ್ನಡದಲ್ಲಿ ಒಂದು ಪರೀಕ್ಷೆ. ರಾಷ್ಟ್ರ.',
  ml: 'മലയാളത്തിൽ ഒരു പരീക്ഷ. സ്ത്രീ.',
  gu: 'ગુજરાતીમાં એક પરીક્ષણ. જ્ઞાન.',
  pa: 'ਪੰਜਾਬੀ ਵਿੱਚ ਇੱਕ ਪਰਖ। ਸ੍ਰੀ.',
  or: 'ଓଡ଼ିଆରେ ଏକ ପରୀକ୍ଷା। ଶ୍ରୀ',
  si: 'සිංහලෙන් පරීක්ෂණයක්. ශ්‍රී ලංකාව.',
  th: 'ภาษาไทย น้ำที่นี่ผู้ใหญ่กำลังเรียนรู้เรื่องเสียงสังเคราะห์และเครื่องมือที่ตรวจสอบว่าเสียงนั้นเป็นของจริง',
  lo: 'ພາສາລາວ ການທົດສອບສຽງ ນ້ຳ',
  km: 'ភាសាខ្មែរ ការសាកល្បងសំឡេង ស្ត្រី',
  my: 'မြန်မာဘာသာ စမ်းသပ်မှု ကြောင်း',
  hy: 'Հայերեն փորձարկում։',
  ka: 'ქართული ტესტი.',
  am: 'የአማርኛ ሙከራ።',
  az: 'Azərbaycan, nǐ hǎo, ḥāʾ ṣād, Ἑλληνική, ẹ̀kọ́',
};

test('a transcript in each script is read back as it was said', async () => {
  const blocks = Object.entries(SAID).map(
    ([language, text]): Block => ({ type: 'table', head: [language], rows: [[text]], language }),
  );
  const read = packed(readPdf(await pdfOf(...blocks)));
  for (const [language, text] of Object.entries(SAID))
    assert.ok(read.includes(text.replace(/\s/g, '')), `${language}: ${text}`);
  assert.ok(!read.includes('\\u{'), 'no letter stands as its number');
});

test('names, notes and findings have the letters too, and the title of the document', async () => {
  const pdf = await pdfOf(
    { type: 'title', text: 'Report of 照片.jpg' },
    { type: 'heading', level: 1, text: '1. شعار.jpg' },
    { type: 'finding', text: 'ज्ञान' },
    { type: 'list', items: ['リスト'] },
    { type: 'facts', rows: [{ name: 'שם', value: 'เสียง.wav' }] },
    { type: 'thumbnails', items: [{ data: '', text: '한국' }] },
  );
  const read = packed(readPdf(pdf));
  for (const text of ['照片.jpg', '1.شعار.jpg', 'ज्ञान', 'リスト', 'שם', 'เสียง.wav', '한국']) {
    assert.ok(read.includes(text), text);
  }
  assert.ok(pdf.includes(Buffer.from('报告', 'utf16le').swap16()), 'the title of the document');
});

test('what no font has, and what is not seen, stands as its number', async () => {
  const text = 'a\u{1f600}b \u{13000} c\u200bd e\u200df ǅ\u2028g';
  const shown = 'a\\u{1f600}b\\u{13000}c\\u{200b}de\\u{200d}fǅ\\u{2028}g';
  assert.ok(packed(readPdf(await pdfOf({ type: 'paragraph', text }))).includes(shown));
});

test('a line to the left begins at the right, and what stands to the right in it keeps its order', async () => {
  const words = 'واحد اثنان Assay one ثلاثة';
  const pieces = readPdf(await pdfOf({ type: 'paragraph', text: words }));
  const at = (word: string) => pieces.find(({ text }) => text.trim() === word)?.x ?? Number.NaN;
  assert.ok(at('واحد') > at('اثنان') && at('اثنان') > at('one'), 'from right to left');
  assert.ok(at('Assay') < at('one') && at('one') > at('ثلاثة'), 'but Latin from left to right');
  assert.ok(at('واحد') > 450, 'at the right of the page');
  const long = readPdf(await pdfOf({ type: 'paragraph', text: `${words} `.repeat(12) }));
  const firsts = long.filter(({ text }) => text.trim() === 'واحد');
  assert.ok((firsts[0]?.y ?? 0) > (firsts.at(-1)?.y ?? 0), 'the first line stands above the last');
});

test('letters are joined, and vowels moved, as their script wants it', async () => {
  const letters = await Letters.open([{ text: 'ب कि น้ำ' }]);
  const glyphsOf = (text: string, isRightToLeft: boolean) => {
    const [run] = letters.runsOf({ text });
    assert.ok(run !== undefined);
    const { shaping } = letters.cutOf(run.font, false);
    return shaping.layout(text, isRightToLeft).glyphs.map(({ id }) => id);
  };
  // Its dot is a glyph of its own, in front of it.
  const alone = glyphsOf('ب', true).at(-1);
  assert.ok(!glyphsOf('ببب', true).includes(alone ?? -1), 'no letter of three stands as it does alone');
  assert.equal(glyphsOf('कि', false)[1], glyphsOf('क', false)[0], 'the vowel stands before its consonant');
  assert.ok(!glyphsOf('น้ำ', false).includes(0), 'no empty box');
});

test('Japanese is written in its own forms, where that is said or seen', async () => {
  const texts = [
    { text: '直' },
    { text: '直', language: 'ja' },
    { text: '直に' },
    { text: '直', language: 'ko' },
  ];
  const letters = await Letters.open(texts);
  assert.deepEqual(
    texts.map((text) => /-(sc|jp|kr)-/.exec(letters.runsOf(text)[0]?.font ?? '')?.[1]),
    ['sc', 'jp', 'jp', 'kr'],
  );
});

test('the same report has the same bytes but for its date, and embeds what it needs of a font', async () => {
  const block: Block = { type: 'table', head: ['zh'], rows: Array(60).fill([SAID.zh]), language: 'zh' };
  const undated = (pdf: Buffer) =>
    pdf
      .toString('latin1')
      .replace(/\(D:\d+Z\)/, '')
      .replace(/\/ID \[.*?\]/s, '');
  const pdfs = [await pdfOf(block), await pdfOf(block)] as const;
  // Not compared by `equal`, which would print both.
  assert.ok(undated(pdfs[0]) === undated(pdfs[1]));
  assert.ok(pdfs[0].length < 80_000, `${pdfs[0].length} bytes`);
});

test('runs are cut by font and direction, and ordered by their levels', () => {
  const latin = (character: string) => (/[a-z 0-9]/.test(character) ? 'Roboto' : 'other');
  assert.deepEqual(
    splitRuns('ab שלום cd', latin).map(({ text, font, level }) => [text, font, level]),
    [
      ['ab ', 'Roboto', 0],
      ['שלום', 'other', 1],
      [' cd', 'Roboto', 0],
    ],
  );
  assert.deepEqual(
    splitRuns('x\u{1f600}', () => undefined).map(({ text }) => text),
    ['\\u{78}\\u{1f600}'],
  );
  assert.deepEqual(visualOrder([0, 1, 1, 2, 2, 1, 0]), [0, 5, 3, 4, 2, 1, 6]);
  assert.deepEqual(visualOrder([]), []);
});

test('the HTML report says the language of what was said', async () => {
  const block: Block = { type: 'table', head: ['s'], rows: [['直']], language: 'ja' };
  const html = Buffer.concat(await Array.fromAsync(toHtmlReport(reportOf([block]), new Map()))).toString();
  assert.match(html, /<tbody lang="ja"><tr><td>直/);
});
