// Records what Hugging Face's tokenizers make of many lines, for
// tests/test_tokenizer.c. README.md beside this file says how to run it.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// Seeded, so that the same lines come out each time (mulberry32).
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) >>> 0;
    let t = seed;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Lines that were thought of.
export const chosen = [
  '', ' ', 'a', '\n', '\0', 'Hello, world!', ' SolidGoldMagikarp',
  '<|BOS|>', '<|BOS|>Hello', 'x<|BOS|> <|EOS|>\n<|PAD|>y', '<|BOS|', '<|bos|>',
  '<|BOS|><|BOS|>', ' <|BOS|>', 'I like green tea, so I drink green',
  'The whale swam north. Ahab saw the whale and cried: the white',
  "don't we'll they're I've he'd I'm it's 'S 'LL ''s",
  'for (int i = 0; i < n; i++) {\r\n\tsum += a[i] * b[i];\r\n}\r\n',
  'def f(self, *args):\n    return {"k": [1, 2.5e-6]}  # note\n',
  'size_t __init__ snake_case _a_ __ _ ', 'a\tb\t\tc', 'one  two   three    ',
  '\n\n\n  \n', '1234567890 3.14159 1e-06 0xff ²³ ½ Ⅷ ٣٤ ๑๒ 𝟘',
  'e\u0301 é a\u0308 q\u0307\u0323 q\u0323\u0307', '\u0301start', 'ﬁne ﬀ № ℃ Å',
  '\ufb01n', '①②', '漢字とひらがな、カタカナ。', '中文字符', '한국어 각 \u1100\u1161\u11a8',
  'שלום עולם', 'مرحبا بالعالم', 'हिन्दी में', 'Ελληνικά привет', '👍🏽 👨‍👩‍👧 🇩🇪 ❤️',
  'a\u200bb\u200dc\ufeffd', 'a\u00a0b\u2003c\u3000d\u2028e', 'x\u180ey',
  'a\u0085b\x0bc\x0cd', '\x01\x02\x1b[0m\x7f', 'Ġa Ċ Ā', 'backslash \\ \\n \\\\',
  'a'.repeat(300), ' '.repeat(200) + 'x', 'ab'.repeat(150), '-'.repeat(77),
  '<m>', ' <m> ', 'a <m> b', '<m><m>', '<l> x  <l>y', 'x  <r>  y<r> ', '<b>  <b>',
  ' owl ', 'bowl owl owls', 'owl', '_owl', 'é owl', 'éowl', '漢owl字', '٣owl', '.owl.',
  'owl\u200d', 'Ⓐowl', '²owl', 'owl\u0301', 'cat concat cats', '<a><ab><abc>', '<abc',
  '   four', '    x     ', 'yes Ｙｅｓ ｙｅｓ', 'the then hen', ' the then hen',
];

// Bytes that are no UTF-8. Node decodes them to U+FFFD, as most programs do, and
// what is recorded is the text after that.
export const broken = [
  [0x61, 0xff, 0x62], [0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80], [0xc0, 0x80], [0x80, 0x80, 0x20, 0xbf],
  [0x74, 0x65, 0x61, 0x20, 0xe9, 0x74, 0xe9],
].map((b) => new TextDecoder().decode(Uint8Array.from(b)));

const pools = [
  [...Array(95)].map((_, i) => String.fromCharCode(32 + i)),
  ("the whale swam north Ahab saw and cried white green tea drink so I like don't it's we'll they're " +
   "I've he'd I'm int main return void static const if else for while printf size_t struct_name " +
   '__init__ snake_case 12 2024 3.14 1e-06 0xff nobody understood counting islands lantern ' +
   'window winter matrix attention reading writing copied gravity Budapest Naomi café').split(' '),
  [' ', '  ', '   ', '\t', '\n', '\r\n', '\n\n', '\u00a0', '\u2003', '\u3000', '\u2028',
   '\u200b', '\u180e', '\u0085', '\x0b', '\x0c'],
  [...('éüßøłŁĠĊñçşİı中文漢字日本語ひらがなカタカナ한국어приветΕλληνικάשלוםمرحباहिन्दी๑๒๓٣٤½²³①Ⅷ𝟘𝔸' +
       '👍🏽\u200d👩🇩🇪❤️\u0301\u0308\u0323\u0307ﬁﬀ№℃㎏Å豈가각\u1100\u1161\u11a8\u0344\u0958\u212bⒶ')],
  [...'\x00\x01\x07\x1b\x7f\u0080\u009f\u00ad\ufeff\ufffd\ufffe\u{10ffff}\u{e0001}'],
  ['<|BOS|>', '<|EOS|>', '<|PAD|>', '<|BOS|', '|>', '<m>', '<l>', '<r>', '<b>', 'owl',
   ' owl ', 'cat', '<a>', '<ab>', '<abc>', '    ', 'ﬁn', 'fin', ' the', ' then'],
];

// n lines, each mostly from one pool; `longest` is about how many parts.
export function mixed(n, seed, longest) {
  const r = random(seed);
  const pick = (list) => list[Math.floor(r() * list.length)];
  return [...Array(n)].map(() => {
    const main = pick(pools);
    let text = '';
    for (let k = Math.floor(r() * r() * longest); k > 0; k--) {
      const pool = r() < 0.6 ? main : pick(pools);
      text += pick(pool) + (pool === pools[1] && r() < 0.8 ? ' ' : '');
    }
    return text;
  });
}

// A small vocabulary: 256 bytes as characters and a few merges.
const spelt = [...Array(256)].map((_, b) => {
  if ((b >= 33 && b <= 126) || (b >= 0xa1 && b !== 0xad)) return String.fromCharCode(b);
  return String.fromCharCode(0x100 + (b <= 32 ? b : b <= 0xa0 ? b - 94 : 67));
});
const merges = ['h e', 'Ġ t', 'Ġt he', 'he n', 'Ġ a', 'c a', 'ca t', 'Ġ cat', '1 2', 'a a',
  'aa aa', 'Ġ Ġ', 'ĠĠ ĠĠ', 'Ã ©', 'Ġ <', 'a b', 'f i', 'fi n', 'Ċ Ċ', 'e n', 't h'];
// Merges that would join what a pattern keeps apart, and so show where it cuts.
const across = ['e Ġ', 'n Ġ', '. Ġ', '1 Ġ', 'a <', 'a 1', 'Ġ 1', '> a', 'c 1', '. a', 'd _', 'Ċ a'];
const alphabet = (left_out) => spelt.filter((_, b) => !left_out.includes(b));

const added = (content, options = {}) => ({
  content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: false, ...options,
});
const byteLevel = (options = {}) => ({
  type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true, ...options,
});
const sequence = (...pretokenizers) => ({ type: 'Sequence', pretokenizers });
const split = (pattern, behavior, invert = false) => sequence(
  { type: 'Split', pattern, behavior, invert },
  byteLevel({ add_prefix_space: true, use_regex: false }));

function tokenizer({ left_out = [], more = [], listed = [], model = {}, ...parts } = {}) {
  const tokens = alphabet(left_out), rules = [];
  for (const rule of [...across, ...merges]) {
    const [a, b] = rule.split(' ');
    if (!tokens.includes(a) || !tokens.includes(b)) continue;
    rules.push(rule);
    if (!tokens.includes(a + b)) tokens.push(a + b);
  }
  tokens.push(...more);
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  let next = tokens.length;
  return {
    version: '1.0', truncation: null, padding: null,
    added_tokens: listed.map((token) => ({ id: vocab[token.content] ?? next++, ...token })),
    normalizer: null, pre_tokenizer: byteLevel(), post_processor: null, decoder: byteLevel(),
    ...parts,
    model: {
      type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null,
      end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false,
      vocab, merges: rules, ...model,
    },
  };
}

const strips = [
  added('<m>', { lstrip: true, rstrip: true }), added('<l>', { lstrip: true }),
  added('<r>', { rstrip: true }), added('<b>', { special: true, lstrip: true, single_word: true }),
  added('owl', { single_word: true, normalized: true }), added('<a>'), added('<ab>'),
  added('<abc>', { normalized: true }), added('ﬁn', { normalized: true }),
  added('    ', { normalized: true }), added('<|BOS|>', { special: true }),
];

export const small = tokenizer({
  normalizer: { type: 'NFKC' },
  pre_tokenizer: sequence({ type: 'Digits', individual_digits: true }, byteLevel({ add_prefix_space: true })),
  listed: strips,
  model: { merges: [...across, ...merges].map((rule) => rule.split(' ')) },
});

const gpt4 = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|" +
  ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const cased = '[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+' +
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const signs = '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|' +
  ' ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

// One of each kind of component, and of each way in which they meet.
export const kinds = {
  'GPT-2 as it is': tokenizer(),
  'added tokens, no normalizer': tokenizer({ listed: strips }),
  'added tokens that are in the vocabulary': tokenizer({ more: ['<m>', '<|BOS|>'], listed: [strips[0], strips[10]] }),
  NFC: tokenizer({ normalizer: { type: 'NFC' }, listed: strips }),
  NFD: tokenizer({ normalizer: { type: 'NFD' }, listed: strips }),
  NFKD: tokenizer({ normalizer: { type: 'NFKD' }, listed: strips }),
  'NFD, then NFC': tokenizer({ normalizer: { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'NFC' }] } }),
  'digits together': tokenizer({ pre_tokenizer: sequence({ type: 'Digits', individual_digits: false }, byteLevel()) }),
  'bytes, then digits': tokenizer({ pre_tokenizer: sequence(byteLevel(), { type: 'Digits', individual_digits: true }) }),
  'bytes, then split': tokenizer({ pre_tokenizer: sequence(byteLevel({ use_regex: false }),
    { type: 'Split', pattern: { Regex: 'Ġ?[a-z]+' }, behavior: 'Isolated', invert: false }) }),
  'a space for each piece': tokenizer({ pre_tokenizer: sequence(
    { type: 'Split', pattern: { String: 'a' }, behavior: 'MergedWithNext', invert: false },
    byteLevel({ add_prefix_space: true })) }),
  'no pattern, a space': tokenizer({ pre_tokenizer: byteLevel({ add_prefix_space: true, use_regex: false }) }),
  'GPT-4': tokenizer({ pre_tokenizer: split({ Regex: gpt4 }, 'Isolated') }),
  'case by case': tokenizer({ pre_tokenizer: split({ Regex: cased }, 'Isolated') }),
  signs: tokenizer({ pre_tokenizer: split({ Regex: signs }, 'Isolated') }),
  'matches of nothing': tokenizer({ pre_tokenizer: split({ Regex: 'a*' }, 'MergedWithPrevious') }),
  'the empty string': tokenizer({ pre_tokenizer: split({ String: '' }, 'Isolated') }),
  'a string of signs': tokenizer({ pre_tokenizer: split({ String: '.*[' }, 'Removed') }),
  'look behind': tokenizer({ pre_tokenizer: split({ Regex: '(?<=a)b|(?<!a)c|(?>x+)' }, 'MergedWithNext') }),
  'unknown bytes': tokenizer({ left_out: [0xc3, 0xa9, 0x61, 0x7a, 0xe4], more: ['<unk>'], model: { unk_token: '<unk>' } }),
  'unknown bytes, fused': tokenizer({ left_out: [0xc3, 0xa9, 0x61, 0x7a, 0xe4, 0x20], more: ['<unk>'],
    listed: [added('<unk>', { special: true })], model: { unk_token: '<unk>', fuse_unk: true } }),
  'whole words first': tokenizer({ more: ['Ġhello', 'cab', '12345', 'thehen'], model: { ignore_merges: true } }),
  'a template': tokenizer({ listed: [added('<b>', { special: true }), added('<|BOS|>', { special: true })],
    post_processor: { type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<b>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: { '<b>': { id: '<b>', ids: [289], tokens: ['<b>'] } } } }),
};
for (const behavior of ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'])
  for (const invert of [false, true])
    kinds[`${behavior}${invert ? ', inverted' : ''}`] =
      tokenizer({ pre_tokenizer: split({ Regex: '\\s|[a-e]' }, behavior, invert) });

// Everything but printable ASCII is written byte by byte, and so is a backslash.
const written = (text) => [...Buffer.from(text, 'utf8')].map((byte) =>
  byte >= 32 && byte < 127 && byte !== 92 ? String.fromCharCode(byte)
    : '\\x' + byte.toString(16).padStart(2, '0')).join('');

async function record(Tokenizer, json, lines) {
  const tokenizer = Tokenizer.fromString(json);
  const encoded = await tokenizer.encodeBatch(lines, { addSpecialTokens: false });
  return encoded.map((one, k) => `${written(lines[k])}\t${one.getIds().join(' ')}`).join('\n') + '\n';
}

async function main(folder, version) {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const { Tokenizer } = createRequire(path.resolve(folder) + '/')('tokenizers');
  const mini = 'models/mini/tokenizer.json';
  const head = `# Recorded by record.mjs with tokenizers ${version}; README.md says what it is.\n`;

  const lines = [...chosen, ...broken, ...mixed(2000, 1, 30)];
  writeFileSync(path.join(here, 'mini.txt'), `${head}@ ${mini}\n` +
    await record(Tokenizer, readFileSync(path.join(here, '../..', mini), 'utf8'), lines));

  const file = path.join(here, 'small.json');
  writeFileSync(file, JSON.stringify(small, null, 1) + '\n');
  writeFileSync(path.join(here, 'small.txt'), `${head}@ tests/tokenizer/small.json\n` +
    await record(Tokenizer, readFileSync(file, 'utf8'), [...chosen, ...broken, ...mixed(300, 2, 30)]));

  let text = head, seed = 3;
  for (const [name, kind] of Object.entries(kinds)) {
    const json = JSON.stringify(kind);
    text += `# ${name}\n= ${json}\n` +
      await record(Tokenizer, json, [...chosen.filter((line) => line.length < 20), ...mixed(20, seed++, 15)]);
  }
  writeFileSync(path.join(here, 'kinds.txt'), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? '.';
  const { version } = JSON.parse(readFileSync(path.join(folder, 'node_modules/tokenizers/package.json'), 'utf8'));
  await main(folder, version);
}
