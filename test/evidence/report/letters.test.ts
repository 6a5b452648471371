import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../../src/evidence/report/blocks.ts';
import { toHtmlReport } from '../../../src/evidence/report/html-report.ts';
import { Letters } from '../../../src/evidence/report/letters/letters.ts';
import { writePdfReport } from '../../../src/evidence/report/pdf-process.ts';
import type { Report } from '../../../src/evidence/report/report.ts';
import { type PdfPiece, readPdf } from './pdf-text.ts';

const { signal } = new AbortController();
const reportOf = (blocks: Block[]): Report => ({ language: 'en', title: '报告', blocks, footer: 'p {page}' });
const pdfOf = async (...blocks: Block[]) =>
  Buffer.concat(await Array.fromAsync(writePdfReport(reportOf(blocks), new Map(), signal)));
/** A mark that is drawn at a height of its own repeats the letters that it belongs to. */
const packed = (pieces: readonly PdfPiece[]) =>
  pieces
    .filter(
      ({ text }, at) =>
        at === 0 || text === '' || !/^\p{M}|.\p{M}/u.test(text) || !pieces[at - 1]?.text.endsWith(text),
    )
    .map(({ text }) => text)
    .join('')
    .replace(/\s/g, '');
const RIGHT_TO_LEFT = ['ar', 'fa', 'ur', 'he'];

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
  const pieces = readPdf(await pdfOf(...blocks));
  const read = packed(pieces);
  for (const [language, text] of Object.entries(SAID)) {
    // Pieces of such texts lie from left to right, so their letters are counted.
    if (RIGHT_TO_LEFT.includes(language))
      assert.deepEqual(lettersOf(lineBelow(language, pieces)), lettersOf(text));
    else assert.ok(read.includes(text.replace(/\s/g, '')), `${language}: ${text}`);
  }
  assert.ok(!read.includes('\\u{') && !read.includes('□'), 'every letter is drawn');
});

function lettersOf(text: string): string[] {
  return [...new Set(text.replace(/\s/g, ''))].toSorted();
}

/** The row below the head of a table. */
function lineBelow(head: string, pieces: readonly PdfPiece[]): string {
  const row = pieces.slice(pieces.findIndex(({ text }) => text === head) + 1);
  const end = row.findIndex(({ y }) => Math.abs(y - (row[0]?.y ?? 0)) > 6);
  return row
    .slice(0, end)
    .map(({ text }) => text)
    .join('');
}

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
  assert.deepEqual(
    lettersOf('شعار').filter((letter) => !read.includes(letter)),
    [],
  );
  for (const text of ['照片.jpg', 'ज्ञान', 'リスト', 'שם', 'เสียง.wav', '한국']) {
    assert.ok(read.includes(text), text);
  }
  assert.ok(pdf.includes('报告'), 'the title of the document');
});

test('characters that no font has, or that are invisible, stand as their number', async () => {
  const text = 'a\u{1f600}b \u{13000} c\u200bd e\u200df ǅ\u2028g';
  const shown = 'a\\u{1f600}b\\u{13000}c\\u{200b}de\\u{200d}fǅ\\u{2028}g';
  assert.ok(packed(readPdf(await pdfOf({ type: 'paragraph', text }))).includes(shown));
});

test('a line to the left begins at the right, and Latin in it keeps its order', async () => {
  const words = 'واحد اثنان Assay one ثلاثة';
  const pieces = readPdf(await pdfOf({ type: 'paragraph', text: words }));
  const at = (letters: string) => pieces.find(({ text }) => text === letters)?.x ?? Number.NaN;
  const places = ['واحد', 'اث', 'Assay one', 'لاث'].map(at);
  assert.deepEqual(
    places,
    places.toSorted((left, right) => right - left),
    'from right to left',
  );
  assert.ok(at('واحد') > 450, 'at the right of the page');
});

test('Japanese is written in its own forms, if it is stated or recognised', async () => {
  const texts = [
    { text: '直' },
    { text: '直', language: 'ja' },
    { text: '直に' },
    { text: '直', language: 'ko' },
  ];
  const letters = await Letters.open(texts);
  assert.deepEqual(
    texts.map((text) => letters.show(text).families[0]),
    ['Noto Sans SC', 'Noto Sans JP', 'Noto Sans JP', 'Noto Sans KR'],
  );
});

test('the same report has the same bytes, and embeds what it needs of a font', async () => {
  const block: Block = { type: 'table', head: ['zh'], rows: Array(60).fill([SAID.zh]), language: 'zh' };
  const pdfs = [await pdfOf(block), await pdfOf(block)] as const;
  // `equal` would print both files.
  assert.ok(pdfs[0].equals(pdfs[1]));
  assert.ok(pdfs[0].length < 100_000, `${pdfs[0].length} bytes`);
});

test('the HTML report says the language of what was said', async () => {
  const block: Block = { type: 'table', head: ['s'], rows: [['直']], language: 'ja' };
  const html = Buffer.concat(await Array.fromAsync(toHtmlReport(reportOf([block]), new Map()))).toString();
  assert.match(html, /<tbody lang="ja"><tr><td>直/);
});
