// Requests to the coordinator, below /api/v1.

import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "./text";

export const base = "/api/v1";

/** Problem is a mistake in a request. */
export interface Problem {
  place?: string;
  file?: string;
  line?: number;
  column?: number;
  key?: string;
  message: string;
}

/** Failure is a request that the coordinator refused, or that did not reach it: status is 0 then. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly problems: Problem[] = [],
  ) {
    super(message);
  }
}

type Listener = (reached: boolean) => void;
const listeners = new Set<Listener>();
let reached = true;

/** heard notes whether the coordinator answers. Pages show it, and come back by themselves. */
export function heard(now: boolean): void {
  if (now === reached) return;
  reached = now;
  for (const l of listeners) l(now);
}

/** useReached is whether the coordinator answers. */
export function useReached(): boolean {
  const [now, set] = useState(reached);
  useEffect(() => {
    listeners.add(set);
    set(reached);
    return () => void listeners.delete(set);
  }, []);
  return now;
}

async function request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(base + path, {
      method,
      credentials: "same-origin",
      ...(signal ? { signal } : {}),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
  } catch (e) {
    if (signal?.aborted) throw e;
    heard(false);
    throw new Failure(0, t("The coordinator does not answer.", "coordinator 没有响应。"));
  }
  heard(true);
  if (answer.ok) return answer;
  const text = await answer.text();
  try {
    const { error } = JSON.parse(text) as { error: { message: string; problems?: Problem[] } };
    throw new Failure(answer.status, error.message, error.problems);
  } catch (e) {
    if (e instanceof Failure) throw e;
    throw new Failure(answer.status, text.slice(0, 500) || `HTTP ${answer.status}`);
  }
}

/** get reads a document. The browser keeps those of what has ended, and asks whether they are still the same. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await request("GET", path, undefined, signal);
  return (await answer.json()) as T;
}

/** Page is a page of a list. */
export interface Page<T> {
  items: T[];
  next: string | undefined; // path of the page after it
}

/** getPage reads a page of a list. */
export async function getPage<T>(path: string, signal?: AbortSignal): Promise<Page<T>> {
  const answer = await request("GET", path, undefined, signal);
  const link = /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1];
  return { items: (await answer.json()) as T[], next: link?.slice(link.indexOf(base) + base.length) };
}

/** send makes a request that changes something, or checks a submission. */
export async function send<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  const answer = await request(method, path, body);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

/** Read is what a page has of a document. It keeps the last one when a request fails. */
export interface Read<T> {
  data: T | undefined;
  failure: Failure | undefined;
  again: () => void;
}

/** useGet reads a document, again every so many milliseconds while the page is shown, and soon again after a failure. */
export function useGet<T>(path: string | undefined, every = 0): Read<T> {
  const [data, setData] = useState<{ path: string; of: T }>();
  const [failure, setFailure] = useState<Failure>();
  const [turn, setTurn] = useState(0);
  const interval = useRef(every);
  interval.current = every;
  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    let timer = 0;
    let has = false;
    const read = async (): Promise<void> => {
      let next = interval.current;
      try {
        if (!document.hidden || !has) {
          const began = Date.now();
          const of = await get<T>(path, abort.signal);
          if (abort.signal.aborted) return;
          has = true;
          // A document that is expensive, such as that of a long run in progress, is read less often.
          if (next > 0) next = Math.max(next, 20 * (Date.now() - began));
          setData({ path, of });
          setFailure(undefined);
        }
      } catch (e) {
        if (abort.signal.aborted) return;
        const f = e instanceof Failure ? e : new Failure(0, String(e));
        setFailure(f);
        if (f.status === 0 || f.status === 503) next = Math.min(next || 2000, 2000);
        if (f.status === 401) next = 60_000; // each refusal is in the audit log
      }
      if (next > 0) timer = window.setTimeout(() => void read(), next);
    };
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, turn, every > 0]);
  return { data: data?.path === path ? data?.of : undefined, failure, again: () => setTurn((n) => n + 1) };
}
