import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compressionOf } from '../../../src/worker/inference/transcription/transcribe-window.ts';

/** The bound that the model's makers use. */
const MAX = 2.4;
const PLAIN = {
  english:
    'Yesterday the minister told reporters that the talks would go on next week. Both sides, he said, were close to an agreement, yet some hard questions were left, above all about the borders.',
  russian:
    'Вчера вечером министр сообщил журналистам, что переговоры продолжатся на будущей неделе. По его словам, стороны близки к соглашению, однако остаётся несколько трудных вопросов, прежде всего о границах.',
  hindi:
    'मंत्री ने कल शाम पत्रकारों को बताया कि बातचीत अगले सप्ताह भी जारी रहेगी। उनके अनुसार दोनों पक्ष समझौते के करीब हैं, लेकिन कुछ कठिन प्रश्न बाकी हैं, सबसे पहले सीमाओं के बारे में। शहर के लोग इन वादों पर भरोसा नहीं करते, क्योंकि वे ऐसी बातें बहुत बार सुन चुके हैं। बाज़ार में फिर से रोटी मिलती है, बच्चे स्कूल जाते हैं, पर रात को गोलियों की आवाज़ आती है। अस्पताल में दवाइयाँ कम हैं और डॉक्टर दो दिन से सोए नहीं हैं।',
  chinese:
    '部长昨晚告诉记者，谈判将在下周继续。他说双方已经接近达成协议，但仍有几个难题，首先是边界问题。城里的居民不相信这些承诺，因为他们已经听过太多次了。',
} as const;
const LOOPS = {
  english: 'and then he said '.repeat(12),
  russian: 'и тогда он сказал '.repeat(12),
  hindi: 'और फिर उसने कहा '.repeat(12),
  chinese: '我不知道。'.repeat(24),
} as const;

for (const [language, text] of Object.entries(PLAIN))
  test(`plain ${language} is no repetition`, () => assert.ok(compressionOf(text) < MAX));
for (const [language, text] of Object.entries(LOOPS))
  test(`a loop in ${language} is a repetition`, () => assert.ok(compressionOf(text) > MAX));

test('an empty text is no repetition', () => assert.equal(compressionOf(''), 0));
