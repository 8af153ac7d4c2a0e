import type { FrameBase, ImportPreview } from "@sightline/core/exchange";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { client, fetchInSession, trpc } from "../../app/clients.ts";
import type { ExportChoice } from "../../app/exchange/exchange.ts";

/** Files on their way to the server, and what they would change. */
export type HandedFiles = {
  state: "none" | "sending" | "looking" | "shown" | "failed";
  /** Files that have arrived, of all. */
  sent: number;
  count: number;
  problem: string | null;
  preview: ImportPreview | null;
  wish: ReturnType<typeof toWish> | null;
  /** Hands files over in place of those before. */
  hand(files: readonly File[]): void;
  /** Gives up and lets the server forget what arrived. */
  drop(): void;
};

const toWish = (import_id: string, at: ExportChoice | null, base: FrameBase | null) => ({
  import_id,
  ...(at !== null && { clip_id: at.clip_id }),
  ...(at?.settings_hash !== undefined && { settings_hash: at.settings_hash }),
  ...(base !== null && { base }),
});

/**
 * Sends files and asks what they would change; nothing is changed by it.
 *
 * @param at  The clip that the person is at; null in the library.
 * @param base  What frames count from where a file does not say; null while nobody said it.
 */
export function useFiles(at: ExportChoice | null, base: FrameBase | null): HandedFiles {
  const [sending, setSending] = useState({ import_id: null as string | null, sent: 0, count: 0 });
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  const is_sent = sending.import_id !== null && sending.sent === sending.count && problem === null;
  const wish = sending.import_id === null ? null : toWish(sending.import_id, at, base);
  const looked = useQuery({
    ...trpc.exchange.preview.queryOptions(wish ?? toWish(crypto.randomUUID(), null, null)),
    enabled: is_sent,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

  const drop = () => {
    stop.current?.abort();
    if (sending.import_id !== null) {
      client.exchange.forget.mutate({ import_id: sending.import_id }).catch(() => {
        // The server forgets what is left behind by itself.
      });
    }
    setSending({ import_id: null, sent: 0, count: 0 });
    setProblem(null);
  };

  const send = async (files: readonly File[]) => {
    const import_id = crypto.randomUUID();
    const control = new AbortController();
    stop.current = control;
    setProblem(null);
    setSending({ import_id, sent: 0, count: files.length });
    try {
      for (const [index, file] of files.entries()) {
        const path = encodeURIComponent(file.webkitRelativePath || file.name);
        const response = await fetchInSession(`/exchange/imports/${import_id}/files?path=${path}`, {
          method: "POST",
          headers: { "content-type": "application/offset+octet-stream" },
          body: file,
          signal: control.signal,
        });
        if (!response.ok) {
          const { message } = (await response.json()) as { message?: string };
          throw new Error(message ?? `The server answered ${response.status}. Choose the files again.`);
        }
        setSending({ import_id, sent: index + 1, count: files.length });
      }
    } catch (error) {
      if (control.signal.aborted) return;
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };

  return {
    state:
      problem !== null || looked.isError
        ? "failed"
        : sending.import_id === null
          ? "none"
          : !is_sent
            ? "sending"
            : looked.data === undefined
              ? "looking"
              : "shown",
    sent: sending.sent,
    count: sending.count,
    problem: problem ?? looked.error?.message ?? null,
    preview: is_sent ? (looked.data ?? null) : null,
    wish,
    hand(files) {
      if (files.length === 0) return;
      drop();
      void send(files);
    },
    drop,
  };
}
