// The API as a client without any knowledge sees it: JSON over HTTP.
import { parseJson } from '../../src/model/json.ts';

/** `authorization` is the header of whoever asks. */
export function api({ url, authorization }: { url: string; authorization?: string | undefined }) {
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(authorization && { authorization }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(url + path, init);
    const text = await response.text();
    return { status: response.status, text, body: jsonIn(text) };
  };
  const get = (path: string) => send('GET', path);
  const until = async (holds: () => Promise<boolean>, seconds = 60) => {
    for (
      const end = Date.now() + seconds * 1000;
      !(await holds());
      await new Promise((wake) => setTimeout(wake, 20))
    ) {
      if (Date.now() > end) throw new Error('This did not happen in time');
    }
  };
  return {
    send,
    get,
    post: (path: string, body: unknown) => send('POST', path, body),
    until,
    /** The status of a task when it is over. */
    async ended(taskId: string, service = 'svc', seconds = 60) {
      const status = async () =>
        (await get(`/${service}/indexer/v1/task/${taskId}/status`)).body.status;
      await until(async () => (await status()).statusCode !== 'RUNNING', seconds);
      return status();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
function jsonIn(text: string): any {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
