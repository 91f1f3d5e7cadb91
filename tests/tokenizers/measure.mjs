// The table of mean errors: for each family and kind of text, |estimate - tokens| / tokens over texts of about 4 KB.
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {getTokenizer} from '@anthropic-ai/tokenizer';
import {countTokens as cl100k} from 'gpt-tokenizer/encoding/cl100k_base';
import {countTokens as o200k} from 'gpt-tokenizer/encoding/o200k_base';

const bar = 5, size = 4000, most = 60;
const special = {allowedSpecial: 'all'};
const claude = getTokenizer();
const public_one = async name => {
  const tokenizer = (await import('@lenml/tokenizer-' + name)).fromPreTrained();
  return text => tokenizer.encode(text, {add_special_tokens: false}).length;
};
const families = {  // in the order of the program
  claude: text => claude.encode(text.normalize('NFKC'), 'all').length,
  cl100k: text => cl100k(text, special),
  o200k: text => o200k(text, special),
  gemini: await public_one('gemini'),
  llama: await public_one('llama3'),
  qwen: await public_one('qwen3'),
  deepseek: await public_one('deepseek_v3'),
  mistral: await public_one('mistral_nemo'),
};

function* files(folder) {
  for (const entry of readdirSync(folder, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

function pieces(text) {  // whole lines, about `size` characters each
  const made = [];
  let now = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (line.length > size / 2) continue;  // minified
    now += line;
    if (now.length >= size) made.push(now), now = '';
  }
  if (now.length > size / 3) made.push(now);
  return made;
}

const without_code = text => text.replace(/```[^]*?```/g, '');
const chinese = text => (text.match(/[\u4e00-\u9fff]/g) ?? []).length > 0.25 * text.length;
const kinds = {
  chinese: [/\.md$/, text => pieces(without_code(text)).filter(chinese)],
  code: [/\.(ts|js|mjs|cjs|cts|vue|css)$/, pieces],
  json: [/\.json$/, pieces],
  prose: [/\.md$/, text => pieces(without_code(text)).filter(piece => !/[\u0400-\uffff]{2}/.test(piece))],
};

let failed = false;
console.log(['family', ...Object.keys(kinds)].map(word => word.padEnd(10)).join(''));
// Translations and lists of commits are neither code nor prose.
const all = [...files('texts')].filter(path => !/locales|l10n|CHANGELOG/.test(path)), texts = {}, estimates = {};
for (const [kind, [names, cut]] of Object.entries(kinds)) {
  const found = all.filter(path => names.test(path)).flatMap(path => cut(readFileSync(path, 'utf8')));
  const step = Math.max(1, Math.ceil(found.length / most));
  texts[kind] = found.filter((_, i) => i % step === 0).map(text => text.replaceAll('\0', ' '));
  const said = execFileSync('./weigh', {input: texts[kind].map(text => text + '\0').join(''), maxBuffer: 1 << 26});
  estimates[kind] = said.toString().trim().split('\n').map(line => line.trim().split(' ').map(Number));
}
Object.entries(families).forEach(([family, tokens], column) => {
  const row = [family];
  for (const kind in kinds) {
    const errors = texts[kind].map((text, i) => {
      const real = tokens(text);
      return Math.abs(estimates[kind][i][column] - real) / real;
    });
    const mean = (100 * errors.reduce((a, b) => a + b, 0)) / errors.length;
    failed ||= !(mean <= bar);
    row.push(mean.toFixed(1));
  }
  console.log(row.map(word => word.padEnd(10)).join(''));
});
console.log(['texts', ...Object.values(texts).map(list => String(list.length))].map(word => word.padEnd(10)).join(''));
process.exit(failed ? 1 : 0);
