/** A promise with its ends outside. */
export type Deferred<T> = { promise: Promise<T>; resolve(value: T): void; reject(error: Error): void };

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
