// One of the two services that are asked: its data, and its replies to statements.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { datasources, lookup } from './data.js';

const patienceMs = 300_000;
const statementTimeoutMs = 20_000;

const unanswered = (error) => ({ status: 0, text: String(error.cause ?? error) });

/** @param {string} url of a Router, a Broker or `serve --service druid` */
export function serviceAt(url) {
  const base = `${url.replace(/\/$/, '')}/druid`;
  const send = async (method, path, body) => {
    const { statusCode, body: reply } = await request(base + path, {
      method,
      headers: { 'content-type': 'application/json' },
      headersTimeout: patienceMs,
      bodyTimeout: patienceMs,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: statusCode, text: await reply.text() };
  };

  /** The reply to a statement: rows with names and types, or a refusal. */
  async function ask(query, context = {}) {
    const started = performance.now();
    const body = {
      query,
      context: { timeout: statementTimeoutMs, ...context },
      resultFormat: 'array',
      header: true,
      typesHeader: true,
      sqlTypesHeader: true,
    };
    const { status, text } = await send('POST', '/v2/sql', body).catch(unanswered);
    const ms = performance.now() - started;
    return { ...tableOf(status, text), text, ms };
  }

  /** The status and the text of the reply to a native query. @param {object} query */
  const askNative = (query) =>
    send('POST', '/v2', {
      ...query,
      context: { timeout: statementTimeoutMs, ...query.context },
    }).catch(unanswered);

  /** The status and the text of the reply of the sampler. @param {object} specification */
  const sample = (specification) =>
    send('POST', '/indexer/v1/sampler', specification).catch(unanswered);

  /** The status and the text of the reply to a specification. An accepted task is shut down. */
  async function submit(path, specification) {
    const reply = await send('POST', path, specification).catch(unanswered);
    const id = reply.status === 200 ? jsonOf(reply.text)?.task : undefined;
    if (id) await send('POST', `/indexer/v1/task/${encodeURIComponent(id)}/shutdown`);
    return reply;
  }

  const rowsOf = async (table) => {
    const { rows } = await ask(`SELECT COUNT(*) AS n FROM ${table}`);
    return rows?.[0] ? Number(numberText(rows[0][0])) : 0;
  };

  async function until(what, reached) {
    for (const deadline = Date.now() + patienceMs; !(await reached()); await sleep(300)) {
      if (Date.now() > deadline) throw new Error(`${url}: ${what}`);
    }
  }

  async function failIfFailed(id) {
    const path = `/indexer/v1/task/${encodeURIComponent(id)}/status`;
    const { status } = JSON.parse((await send('GET', path)).text);
    if (status?.status === 'FAILED')
      throw new Error(`${url}: the task ${id} failed: ${status.errorMsg}`);
  }

  /** Runs a task and waits until its datasource has rows. */
  async function run(task) {
    const { status, text } = await send('POST', '/indexer/v1/task', task);
    if (status !== 200) throw new Error(`${url}: the task was refused: ${status} ${text}`);
    const { task: id } = JSON.parse(text);
    const { dataSource } = task.spec.dataSchema;
    await until(`${dataSource} never had rows`, async () => {
      await failIfFailed(id);
      return (await rowsOf(dataSource)) > 0;
    });
  }

  /** Loads what is missing. */
  async function load() {
    for (const { name, rows, task } of datasources) {
      if ((await rowsOf(name)) === rows) continue;
      const { status, text } = await send('POST', '/indexer/v1/task', task);
      if (status !== 200)
        throw new Error(`${url}: the task for ${name} was refused: ${status} ${text}`);
      const { task: id } = JSON.parse(text);
      await until(`${name} never had its ${rows} rows`, async () => {
        await failIfFailed(id);
        return (await rowsOf(name)) === rows;
      });
    }
    if ((await rowsOf(`lookup.${lookup.name}`)) === Object.keys(lookup.map).length) return;
    await send('POST', '/coordinator/v1/lookups/config', {}); // the first one prepares lookups
    const extractor = {
      version: new Date().toISOString(),
      lookupExtractorFactory: { type: 'map', map: lookup.map },
    };
    await send('POST', `/coordinator/v1/lookups/config/__default/${lookup.name}`, extractor);
    await until('the lookup is not there', async () => (await rowsOf(`lookup.${lookup.name}`)) > 0);
  }

  return { url, ask, askNative, sample, submit, rowsOf, run, load };
}

/**
 * What a reply to a statement says: a table with names and types, or an error.
 * @param {number} status @param {string} text
 */
export function tableOf(status, text) {
  const json = jsonOf(text);
  if (status !== 200) return { status, error: json ?? { errorMessage: text } };
  if (json === undefined)
    return { status: 500, error: { errorMessage: `the reply breaks off: ${text.slice(-200)}` } };
  const [columns, nativeTypes, sqlTypes, ...rows] = json;
  return { status, columns, nativeTypes, sqlTypes, rows };
}

// JSON in which a number keeps its text, so that 64 bits stay exact.
const mark = '\uE000';
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** JSON with exact numbers: 12 becomes a marked text. */
export function jsonOf(text) {
  try {
    return JSON.parse(text.replace(token, (one) => (one[0] === '"' ? one : `"${mark}${one}"`)));
  } catch {
    return undefined;
  }
}

/** The text of a number of `jsonOf`; undefined for all else. */
export const numberText = (value) =>
  typeof value === 'string' && value.startsWith(mark) ? value.slice(1) : undefined;

/** A value of `jsonOf` as people read it. */
export const shown = (value) => JSON.stringify(value)?.replaceAll(mark, '#') ?? 'nothing';
