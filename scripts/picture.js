// npm run picture: draws docs/terminal.svg and docs/terminal-light.svg from real runs against a
// service with sample data. The program must be built.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const columns = 120; // the width of sentences without a terminal
const escapeCharacter = '\x1b';
const sequences = new RegExp(`(${escapeCharacter}\\[[0-9;]*m)`); // of colours
const pieces = new RegExp(`${sequences.source}|.`, 'gu');
// svcctl chooses its colours by the background that COLORFGBG names.
const themes = {
  terminal: {
    background: '#1e1e1e',
    text: '#d4d4d4',
    bold: '#ffffff',
    dim: '#8a8a8a',
    colors: ['#f48771', '#89d185', '#e2c08d', '#75beff', '#d7a6ff', '#6fd3d3'],
    colorfgbg: '15;0',
  },
  'terminal-light': {
    background: '#fbfbfb',
    text: '#333333',
    bold: '#000000',
    dim: '#6e6e6e',
    colors: ['#b3261e', '#1a7f37', '#8a5a00', '#0550ae', '#7d3cb5', '#0b7285'],
    colorfgbg: '0;15',
  },
};
const program = resolve('bin/svcctl.cjs');
const folder = await mkdtemp(join(tmpdir(), 'svcctl-picture-'));
const readyFile = join(folder, 'ready.json');
const home = { XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder };
const specWithoutTime = {
  id: 'edits-of-may',
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource: 'edits',
      timestampSpec: { column: 'timestamp' },
      dimensionsSpec: {},
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'inline', data: '{"time": "2024-05-01", "page": "Oslo"}' },
      inputFormat: { type: 'json' },
    },
    tuningConfig: { type: 'index_parallel', maxParseExceptions: 0 },
  },
};
const service = spawn(
  process.execPath,
  [program, 'serve', '--demo', '--ephemeral', '--port', '0', '--ready-file', readyFile],
  { stdio: 'ignore', env: { ...process.env, ...home } },
);
try {
  while (!existsSync(readyFile)) await sleep(100);
  const { url } = JSON.parse(await readFile(readyFile, 'utf8'));
  while (!(await ran(url, ['datasources', 'list', '-o', 'name'])).includes('wikipedia'))
    await sleep(500);
  await prepare(url);
  for (const [name, theme] of Object.entries(themes))
    await writeFile(`docs/${name}.svg`, svgOf(await session(url, theme), theme));
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
  await rm(folder, { recursive: true, force: true });
}

// A changed folder of files, and a task that fails.
async function prepare(url) {
  await ran(url, ['export', '--dir', 'cluster']);
  await writeFile(
    join(folder, 'cluster/rules/wikipedia.yaml'),
    '- type: loadByPeriod\n  period: P1M\n  tieredReplicants: { _default_tier: 1 }\n- type: dropForever\n',
  );
  await writeFile(join(folder, 'edits.json'), JSON.stringify(specWithoutTime));
  await ran(url, ['tasks', 'submit', 'edits.json', '--wait']);
}

// A query, a change with its impact, a failure explained, and an undo.
async function session(url, { colorfgbg }) {
  const lines = [];
  for (const words of [
    [
      'sql',
      'SELECT channel, COUNT(*) AS edits, SUM(added) AS added FROM wikipedia GROUP BY 1 ORDER BY 2 DESC LIMIT 3',
    ],
    ['plan', '--files', 'cluster', '--only', 'rules'],
    ['why', 'task', specWithoutTime.id],
    ['datasources', 'drop', 'wikipedia', '--confirm=wikipedia'],
    ['undo', '--yes'],
  ]) {
    const said = words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
    lines.push(`\x1b[1m$ svcctl ${said}\x1b[0m`);
    lines.push(...(await ran(url, words, { COLORFGBG: colorfgbg })).trimEnd().split('\n'), '');
  }
  return lines.flatMap(folded).slice(0, -1);
}

/** The output of a command, standard error included, as on a terminal with colours. */
function ran(url, words, env = {}) {
  return new Promise((settle) => {
    execFile(
      process.execPath,
      [program, ...words],
      {
        cwd: folder,
        env: {
          ...process.env,
          ...home,
          SVCCTL_URL: url,
          SVCCTL_OUTPUT: 'table',
          FORCE_COLOR: '1',
          COLUMNS: String(columns),
          ...env,
        },
      },
      (_error, stdout, stderr) => settle(stdout + stderr),
    );
  });
}

// A line longer than the terminal continues in the next one; control sequences have no width.
function folded(line) {
  const lines = [];
  let width = 0;
  let now = '';
  for (const [text] of line.matchAll(pieces)) {
    if (text[0] !== escapeCharacter && width++ === columns) {
      lines.push(now);
      now = '';
      width = 1;
    }
    now += text;
  }
  return [...lines, now];
}

function svgOf(lines, { background, text, bold, dim, colors }) {
  const style = new Set();
  const rows = lines.map((line, row) => {
    const spans = [];
    for (const part of line.split(sequences)) {
      if (part[0] === escapeCharacter)
        for (const code of part.slice(2, -1).split(';')) applied(style, Number(code));
      else if (part) spans.push(`<tspan class="${[...style].join(' ')}">${escaped(part)}</tspan>`);
    }
    return `<text x="16" y="${30 + row * 18}">${spans.join('')}</text>`;
  });
  const height = 30 + lines.length * 18;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${32 + columns * 7.8} ${height}" role="img" aria-label="A session of svcctl">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: ${text}; white-space: pre }
.bold { font-weight: 700; fill: ${bold} } .dim { fill: ${dim} }
${colors.map((color, at) => `.c${at + 31} { fill: ${color} }`).join(' ')}
</style>
<rect width="100%" height="100%" rx="8" fill="${background}"/>
${rows.join('\n')}
</svg>
`;
}

function applied(style, code) {
  if (code === 0) style.clear();
  else if (code === 1) style.add('bold');
  else if (code === 2) style.add('dim');
  else if (code === 22) for (const name of ['bold', 'dim']) style.delete(name);
  else if (code >= 30 && code <= 39) {
    for (const name of [...style]) if (name.startsWith('c')) style.delete(name);
    if (code < 38) style.add(`c${code}`);
  }
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
